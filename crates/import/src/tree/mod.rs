//! What takes the values of a file that is a tree: JSON or XML, read as a stream.

pub mod tree_json;
pub mod tree_xml;

use crate::document::Document;
use crate::error::ImportError;

/// One value and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// As it is printed.
    pub value: String,
}

/// Takes groups of values one after another, as they close.
pub trait TakesGroups {
    /// A value by itself, as it is read.
    fn fact(&mut self, within: &str, name: &str, value: &str, document: &mut Document);

    /// An element begins whose attributes are known already.
    fn begins(&mut self, _name: &str, _members: &[Member], _line: u64, _document: &mut Document) {}

    /// A group is complete; of a list within one the groups are named after the list.
    fn group(&mut self, name: &str, within: &str, members: &[Member], line: u64, document: &mut Document);

    /// A group and all within it is over.
    fn ends(&mut self, name: &str, document: &mut Document) -> Result<(), ImportError>;
}
