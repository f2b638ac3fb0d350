//! `--ignore`: findings that are known and not to be told.
//!
//! The rules are run all the same, so that a cause that is ignored does not turn into something
//! else; what it explained is told by itself.

use heldup_diagnose::Ruleset;
use heldup_model::{Finding, FindingGroup};

use crate::error::Result;
use crate::nearest;

/// Findings that are left out: by id, by the key of a group (`id@kind`), or by key where only one subject is meant.
#[derive(Clone, Debug, Default)]
pub struct Ignored(Vec<String>);

impl Ignored {
    /// The words of the command line; an id that no rule has is an error, or a slip of the pen
    /// would tell what was not to be told.
    pub fn parse(words: &[String], ruleset: &Ruleset) -> Result<Ignored> {
        for word in words {
            let id = word.split(['/', '@']).next().unwrap_or(word);
            if ruleset.find(id).is_none() {
                let names = ruleset.rules.iter().map(|rule| rule.id.as_str());
                return Err(nearest::unknown("finding", id, names, "heldup rules list"));
            }
        }
        Ok(Ignored(words.to_vec()))
    }

    fn has(&self, finding: &Finding) -> bool {
        let subject = &finding.subject;
        // Two subjects of one name are told apart in the key, by a number that nobody knows before.
        let both = format!("{}/{}:{}", finding.id, subject.kind, subject.name);
        let group = FindingGroup::key_of(finding);
        self.0.iter().any(|word| [&finding.id, &finding.key, &both, &group].contains(&word))
    }

    /// Leaves them out, also as causes and symptoms of others.
    pub fn leave_out(&self, findings: &mut Vec<Finding>) {
        if self.0.is_empty() {
            return;
        }
        let gone: Vec<String> = findings.iter().filter(|f| self.has(f)).map(|f| f.key.clone()).collect();
        findings.retain(|finding| !self.has(finding));
        for finding in findings {
            finding.because.retain(|key| !gone.contains(key));
            finding.explains.retain(|key| !gone.contains(key));
            finding.detail_of.take_if(|key| gone.contains(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(key: &str, because: &[&str], explains: &[&str]) -> Finding {
        let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let (id, subject) = key.split_once('/').expect("a key");
        let mut finding = Finding {
            key: key.to_owned(),
            id: id.to_owned(),
            because: owned(because),
            explains: owned(explains),
            ..Finding::default()
        };
        finding.subject.kind = subject.split(':').next().unwrap_or_default().to_owned();
        finding
    }

    fn left(words: &[&str]) -> Vec<(String, usize)> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut findings = vec![
            finding("fs.full/mount:/boot", &[], &["disk.slow/disk:sda"]),
            finding("fs.full/mount:/srv", &[], &[]),
            finding("disk.slow/disk:sda", &["fs.full/mount:/boot"], &[]),
        ];
        Ignored::parse(&words, &Ruleset::builtin()).unwrap().leave_out(&mut findings);
        findings.into_iter().map(|finding| (finding.key, finding.because.len())).collect()
    }

    #[test]
    fn an_id_leaves_out_all_of_its_kind_and_a_key_one_subject() {
        assert_eq!(left(&["fs.full"]), [("disk.slow/disk:sda".to_owned(), 0)]);
        assert_eq!(left(&["fs.full@mount"]), [("disk.slow/disk:sda".to_owned(), 0)]);
        let others = [("fs.full/mount:/boot".to_owned(), 0), ("disk.slow/disk:sda".to_owned(), 1)];
        assert_eq!(left(&["fs.full/mount:/srv"]), others);
        assert_eq!(left(&[]).len(), 3);
    }

    #[test]
    fn an_id_that_no_rule_has_is_refused() {
        let slip = Ignored::parse(&["fs.ful".to_owned()], &Ruleset::builtin()).unwrap_err();
        assert!(slip.to_string().contains("unknown finding `fs.ful`; did you mean fs.full"), "{slip}");
    }
}
