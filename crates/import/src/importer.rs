//! What a format is: something that tells its listings from everything else, and reads them.

use crate::document::{Document, Line};
use crate::error::ImportError;

/// One format. It lives as long as a file is read, in which it may begin again and again: inside
/// prose, between other tools' listings.
pub trait Importer {
    /// Whether a line begins a listing of this format, which it then takes. No two formats may
    /// take the same line: which is asked first must not matter.
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError>;

    /// Whether a line belongs to the listing that has begun; what does not may be prose.
    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError>;

    /// A line that no format took, which may be the command line of the listing that follows.
    fn command(&mut self, _words: &[&str]) {}

    /// The file is over.
    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError>;

    /// Which format it is, of several that have one name in common.
    #[cfg(test)]
    fn kind(&self) -> &'static str {
        std::any::type_name::<Self>()
    }
}
