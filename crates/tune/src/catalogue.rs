//! The catalogue: every tunable that is known, from the documents that are built in.

use std::collections::BTreeMap;

use serde::Deserialize;
use strsim::osa_distance;

use crate::check;
use crate::tunable::{Kind, Tunable};
use crate::value::canonical_of;

/// Documents of the program: path from the root of its sources, and text as JSON.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_tunables.rs"));

/// Something wrong in a document of tunables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct CatalogueError {
    /// File, with the line where there is one.
    pub place: String,
    /// What was found and what was expected.
    pub what: String,
}

/// Every tunable that is known.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// Sorted by id.
    pub tunables: Vec<Tunable>,
    /// What is wrong with documents; their other entries are there.
    pub flaws: Vec<CatalogueError>,
    /// Where each stands, for complaints.
    places: BTreeMap<String, String>,
}

/// A document: entries are read one by one, so that a flaw costs one of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<Entry> {
    area: String,
    #[serde(default)]
    references: Vec<String>,
    tunable: Vec<Entry>,
}

impl Catalogue {
    /// What the program came with.
    pub fn builtin() -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (place, json) in EMBEDDED {
            match serde_json::from_str::<Document<Tunable>>(json) {
                Ok(document) => {
                    let entries = document.tunable.into_iter().map(|entry| ((*place).to_owned(), entry));
                    catalogue.add(&document.area, &document.references, entries);
                }
                Err(error) => catalogue.flaw(place, error.to_string()),
            }
        }
        catalogue.tunables.sort_by(|a, b| a.id.cmp(&b.id));
        catalogue
    }

    /// The catalogue of some documents, (place, TOML) each, with all that is wrong in them.
    pub fn of_documents<'a>(documents: impl IntoIterator<Item = (&'a str, &'a str)>) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (place, text) in documents {
            match toml::from_str::<Document<toml::Spanned<toml::Value>>>(text) {
                Ok(document) => catalogue.add_spanned(place, text, document),
                Err(error) => {
                    let at =
                        error.span().map_or_else(String::new, |span| format!(":{}", line(text, span.start)));
                    catalogue.flaw(&format!("{place}{at}"), error.message().to_owned());
                }
            }
        }
        catalogue.tunables.sort_by(|a, b| a.id.cmp(&b.id));
        let found = check::all(&catalogue.tunables);
        for (id, what) in found {
            let place = catalogue.places.get(&id).cloned().unwrap_or_default();
            catalogue.flaw(&place, format!("{id}: {what}"));
        }
        catalogue
    }

    fn add_spanned(&mut self, place: &str, text: &str, document: Document<toml::Spanned<toml::Value>>) {
        let mut entries = Vec::new();
        for entry in document.tunable {
            let at = format!("{place}:{}", line(text, entry.span().start));
            let value = entry.into_inner();
            let id =
                value.get("id").and_then(toml::Value::as_str).unwrap_or("an entry without id").to_owned();
            match value.try_into::<Tunable>() {
                Ok(tunable) => entries.push((at, tunable)),
                Err(error) => self.flaw(&at, format!("{id}: {}", error.message())),
            }
        }
        self.add(&document.area, &document.references, entries);
    }

    fn add(
        &mut self,
        area: &str,
        references: &[String],
        entries: impl IntoIterator<Item = (String, Tunable)>,
    ) {
        for (place, mut tunable) in entries {
            tunable.area = area.to_owned();
            if tunable.references.is_empty() {
                tunable.references = references.to_vec();
            }
            if let Some(first) = self.places.insert(tunable.id.clone(), place.clone()) {
                self.flaw(&place, format!("{}: already in {first}", tunable.id));
                continue;
            }
            self.tunables.push(tunable);
        }
    }

    fn flaw(&mut self, place: &str, what: String) {
        self.flaws.push(CatalogueError { place: place.to_owned(), what });
    }

    /// The tunable of an id.
    pub fn find(&self, id: &str) -> Option<&Tunable> {
        let at = self.tunables.binary_search_by(|tunable| tunable.id.as_str().cmp(id)).ok()?;
        self.tunables.get(at)
    }

    /// The tunable of an id, or of a key or path of one of its files.
    pub fn named(&self, name: &str) -> Option<&Tunable> {
        self.find(name).or_else(|| self.tunables.iter().find(|tunable| tunable.covers(name)))
    }

    /// Up to five ids that are below a name, hold the last part of it, or differ from that by two
    /// letters at most; the closest first.
    pub fn close_to(&self, name: &str) -> Vec<&str> {
        let last = |text: &str| text.rsplit(['.', '/']).next().unwrap_or(text).to_owned();
        let part = last(name);
        let below = format!("{name}.");
        let looks_so = |id: &str| {
            id.starts_with(&below)
                || (part.len() >= LEAST_PART && id.contains(&part))
                || (part.len() >= LEAST_MISSPELT && osa_distance(&last(id), &part) <= 2)
        };
        let ids = self.tunables.iter().map(|tunable| tunable.id.as_str());
        let mut close: Vec<&str> = ids.filter(|id| looks_so(id)).collect();
        close.sort_by_key(|id| (!id.starts_with(&below), osa_distance(id, name)));
        close.truncate(5);
        close
    }

    /// What a file says, in the form in which its values are compared.
    pub fn canonical(&self, path: &str, text: &str) -> String {
        let covering = self.tunables.iter().find(|tunable| tunable.covers(path));
        canonical_of(covering.map_or(Kind::Word, |tunable| tunable.kind), text)
    }
}

/// A shorter part of a name is in too many ids.
const LEAST_PART: usize = 3;
/// In a shorter one two letters are too much of it.
const LEAST_MISSPELT: usize = 5;

/// The line of an offset, from 1.
fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "area = 'memory'\nreferences = ['vm.rst']\n\n[[tunable]]\nid = 'vm.x'\n\
        path = '/proc/sys/vm/x'\nkind = 'integer'\nmin = 0\nmax = 9\ndefault = '5'\nmeaning = 'm'\nup = 'u'\n\
        down = 'd'\nlevel = 'low'\nrisk = 'r'\nleave = 'l'\n";

    #[test]
    fn names_that_are_misspelt_are_told() {
        let builtin = Catalogue::builtin();
        assert_eq!(builtin.close_to("vm.swapiness")[0], "vm.swappiness");
        assert_eq!(builtin.close_to("net.core.somaxcon")[0], "net.core.somaxconn");
        assert_eq!(builtin.close_to("block.vda.queue.schedular"), ["block.*.queue.scheduler"]);
        assert!(builtin.close_to("vm").iter().all(|id| id.starts_with("vm.")));
        assert_eq!(builtin.close_to("kernel.foo"), [""; 0]);
    }

    fn flaws(text: &str) -> Vec<String> {
        Catalogue::of_documents([("t.toml", text)]).flaws.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_document_is_read() {
        let catalogue = Catalogue::of_documents([("t.toml", GOOD)]);
        assert_eq!(catalogue.flaws, []);
        let tunable = catalogue.find("vm.x").expect("the entry");
        assert_eq!(
            (tunable.area.as_str(), tunable.references.as_slice()),
            ("memory", &["vm.rst".to_owned()][..])
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_file_and_line() {
        let misspelt = GOOD.replace("leave =", "leaf =");
        assert!(
            flaws(&misspelt)[0].starts_with("t.toml:4: vm.x: unknown field `leaf`"),
            "{:?}",
            flaws(&misspelt)
        );
        let no_toml = GOOD.replace("kind = 'integer'", "kind = integer");
        assert!(flaws(&no_toml)[0].starts_with("t.toml:7: "), "{:?}", flaws(&no_toml));
        let wrong_default = GOOD.replace("default = '5'", "default = '50'");
        assert_eq!(flaws(&wrong_default), ["t.toml:4: vm.x: default: 50 is out of range (allowed: 0 to 9)"]);
        let twice = format!("{GOOD}{}", GOOD.split_once("\n\n").expect("two parts").1);
        assert_eq!(flaws(&twice), ["t.toml:17: vm.x: already in t.toml:4"]);
    }

    #[test]
    fn one_flaw_costs_one_entry() {
        let second =
            GOOD.split_once("\n\n").expect("two parts").1.replace("vm.x", "vm.y").replace("vm/x", "vm/y");
        let text = format!("{}{second}", GOOD.replace("'low'", "'lowest'"));
        let catalogue = Catalogue::of_documents([("t.toml", text.as_str())]);
        assert!(catalogue.find("vm.x").is_none() && catalogue.find("vm.y").is_some());
        assert_eq!(catalogue.flaws.len(), 1);
    }
}
