//! Lists in source files that are kept sorted, one line per unit.

/// A list: the lines of a file between the first that contains `start` and the next
/// that begins with `end`.
pub struct List {
    /// File from the root of the tree.
    pub file: &'static str,
    /// Part of the line above the first item.
    pub start: &'static str,
    /// Beginning of the line below the last item, blanks aside.
    pub end: &'static str,
}

/// Every list of units.
pub const LISTS: &[List] = &[FORMATS, SOURCES, TABLES];

/// Tables of the model.
pub const TABLES: List =
    List { file: "crates/model/src/tables/mod.rs", start: "pub const ALL: &[&TableDef]", end: "]" };
/// Formats of other tools.
pub const FORMATS: List = List { file: "crates/import/src/formats.rs", start: "const FORMATS: ", end: "]" };
/// Live sources.
pub const SOURCES: List = List { file: "crates/sources/src/lib.rs", start: "fn all(", end: "]" };

/// What items are sorted by: the name in them, not how the item is made of it.
pub fn key(item: &str) -> &str {
    let name = ["Box::new(", "Box::<", "make::<"]
        .iter()
        .find_map(|before| item.strip_prefix(before))
        .unwrap_or(item);
    name.strip_suffix("Row::DEF,").unwrap_or(name)
}

impl List {
    /// Items with their line numbers, comments and brackets left out. `None` when the
    /// file has no such list.
    pub fn items<'a>(&self, text: &'a str) -> Option<Vec<(usize, &'a str)>> {
        let mut lines = text.lines().enumerate().skip_while(|(_, line)| !line.contains(self.start));
        lines.next()?;
        let mut items = Vec::new();
        for (at, line) in lines {
            let item = line.trim();
            if item.starts_with(self.end) {
                return Some(items);
            }
            if !item.is_empty() && !item.starts_with("//") && !item.ends_with(['[', '{', '(']) {
                items.push((at + 1, item));
            }
        }
        None
    }

    /// The text with one more line, at its place; as it was when it is there already.
    pub fn with(&self, text: &str, item: &str) -> Option<String> {
        let items = self.items(text)?;
        if items.iter().any(|(_, there)| *there == item) {
            return Some(text.to_owned());
        }
        // Line numbers count from one: the line before the next larger item.
        let before = match items.iter().find(|(_, there)| key(there) > key(item)) {
            Some((at, _)) => at - 1,
            None => items.last()?.0,
        };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let model = lines.get(items.first()?.0 - 1)?;
        let indent = " ".repeat(model.len() - model.trim_start().len());
        lines.insert(before, format!("{indent}{item}"));
        Some(lines.join("\n") + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: List = List { file: "", start: "ALL", end: "]" };
    const TEXT: &str = "x\nconst ALL = &[\n    // why\n    B,\n    D,\n];\ny\n";

    #[test]
    fn items_have_their_lines() {
        assert_eq!(LIST.items(TEXT), Some(vec![(4, "B,"), (5, "D,")]));
        assert_eq!(LIST.items("nothing"), None);
    }

    #[test]
    fn names_count_and_not_how_they_are_made() {
        assert!(key("Box::<a::A>::default(),") < key("Box::new(b::B),"));
    }

    #[test]
    fn a_new_item_goes_to_its_place() {
        let with = |item| LIST.with(TEXT, item).unwrap();
        assert_eq!(with("C,"), TEXT.replace("    D,", "    C,\n    D,"));
        assert_eq!(with("A,"), TEXT.replace("    B,", "    A,\n    B,"));
        assert_eq!(with("E,"), TEXT.replace("    D,", "    D,\n    E,"));
        assert_eq!(with("B,"), TEXT);
    }
}
