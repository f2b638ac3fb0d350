//! Examinations as text and JSON; one file per format.
