//! What takes the values of a file that is a tree: JSON or XML, read as a stream.

use crate::document::Document;
use crate::error::ImportError;
use crate::sadf_groups::Member;

/// Takes groups of values one after another, as they close.
pub trait TakesGroups {
    /// A value by itself, as it is read.
    fn fact(&mut self, within: &str, name: &str, value: &str, document: &mut Document);

    /// A group is complete; of a list within one the groups are named after the list.
    fn group(&mut self, name: &str, within: &str, members: &[Member], line: u64, document: &mut Document);

    /// A group and all within it is over.
    fn ends(&mut self, name: &str, document: &mut Document) -> Result<(), ImportError>;
}
