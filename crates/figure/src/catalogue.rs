//! The figures that come with the program.

use std::sync::LazyLock;

use crate::document::{Figure, One};

/// Files below the repository and their text, as JSON.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_figures.rs"));

static SHIPPED: LazyLock<Vec<Figure>> = LazyLock::new(|| read(|figure| figure.one.is_none()));
static OF_PROCESS: LazyLock<Vec<Figure>> = LazyLock::new(|| read(|figure| figure.one == Some(One::Process)));

fn read(wanted: fn(&Figure) -> bool) -> Vec<Figure> {
    // A test reads every file: none is left out here.
    FILES.iter().filter_map(|(place, json)| Figure::parse(place, json).ok()).filter(wanted).collect()
}

/// All figures of a machine, by file.
pub fn shipped() -> &'static [Figure] {
    &SHIPPED
}

/// The figures of one process.
pub fn of_process(pid: i64, start_ms: Option<i64>) -> Vec<Figure> {
    OF_PROCESS.iter().map(|figure| figure.of_process(pid, start_ms)).collect()
}

/// The figure of an id.
pub fn find(id: &str) -> Option<&'static Figure> {
    shipped().iter().find(|figure| figure.id == id)
}

/// The figures of an area.
pub fn of_area(area: &str) -> impl Iterator<Item = &'static Figure> {
    shipped().iter().filter(move |figure| figure.area() == area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_figure_named_after_it() {
        let wrong: Vec<_> =
            FILES.iter().filter_map(|(place, json)| Figure::parse(place, json).err()).collect();
        assert_eq!(wrong, []);
        let all = read(|_| true);
        assert_eq!(all.len(), FILES.len());
        assert_eq!(shipped().len() + OF_PROCESS.len(), FILES.len());
        for ((place, _), figure) in FILES.iter().zip(&all) {
            assert_eq!(*place, format!("figures/{}/{}.toml", figure.area(), figure.id));
            let ends = |text: &str| text.ends_with(['?', '.']);
            assert!(figure.question.ends_with('?') && !ends(&figure.title), "{}", figure.id);
        }
    }
}
