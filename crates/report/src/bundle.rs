//! The page: one bundle for the server and for reports. `web/` makes it; it is committed as it was built.

/// The document of a server.
pub const PAGE: &str = include_str!("../../../web/dist/index.html");
/// Its script.
pub const SCRIPT: &str = include_str!("../../../web/dist/app.js");
/// Its style.
pub const STYLE: &str = include_str!("../../../web/dist/app.css");
/// Its icon.
pub const ICON: &str = include_str!("../../../web/dist/icon.svg");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_can_stand_in_a_document() {
        // What a parser of HTML takes for the end of them, or for a state in which it does not see that end.
        for (text, tag) in [(SCRIPT, "script"), (STYLE, "style")] {
            let small = text.to_ascii_lowercase();
            assert!(!small.contains(&format!("</{tag}")) && !small.contains("<!--"), "{tag}");
        }
        assert!(!SCRIPT.to_ascii_lowercase().contains("<script"));
    }

    #[test]
    fn the_document_has_neither_script_nor_style_of_its_own() {
        assert!(!PAGE.contains("style=") && !PAGE.contains("<style") && !PAGE.contains("onload"), "{PAGE}");
        assert_eq!(PAGE.matches("<script").count(), PAGE.matches("<script src=").count());
    }
}
