//! Views that every database has: totals over the window that rules and people ask for.

/// A view and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Name, as in SQL.
    pub name: &'static str,
    /// What one row is and what it means.
    pub meaning: &'static str,
    /// Its SELECT.
    pub select: &'static str,
}

/// The views, by name.
pub const VIEWS: &[View] = &[];
