//! The form of tuned's files: sections of `option = value`, as Python's configparser reads them.

/// An option with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigOption {
    /// Its name, as it stands.
    pub name: String,
    /// Its value; continued lines are joined by a newline.
    pub value: String,
    /// `FILE:LINE`.
    pub place: String,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its options in the order in which they were first named.
    pub options: Vec<ConfigOption>,
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Sections in the order in which they were first named.
    pub sections: Vec<Section>,
    /// Places of lines that say nothing known.
    pub malformed: Vec<String>,
}

/// Reads a file. `first` is the section of options before any heading, which only files of variables have.
pub fn parse(file: &str, text: &str, first: Option<&str>) -> Config {
    let mut config = Config::default();
    let mut current = first.map(|name| config.section(name));
    // Deeper than its option's line is a line that goes on with its value.
    let mut open: Option<(usize, usize)> = None;
    for (at, raw) in text.lines().enumerate() {
        let place = format!("{file}:{}", at + 1);
        let line = without_comment(raw);
        if line.trim().is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if let (Some((option, depth)), Some(section)) = (open, current)
            && indent > depth
        {
            if let Some(option) = config.sections[section].options.get_mut(option) {
                option.value = format!("{}\n{}", option.value, line.trim());
            }
            continue;
        }
        open = None;
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            current = Some(config.section(name));
            continue;
        }
        let (Some(section), Some((name, value))) = (current, option_of(line, first.is_some())) else {
            config.malformed.push(place);
            continue;
        };
        let option = ConfigOption { name: name.to_owned(), value: value.to_owned(), place };
        open = Some((config.sections[section].set(option), indent));
    }
    config
}

/// Of a file of variables an option may stand without a value.
fn option_of(line: &str, bare: bool) -> Option<(&str, &str)> {
    match line.split_once('=') {
        Some((name, value)) => Some((name.trim(), value.trim())),
        None if bare => Some((line, "")),
        None => None,
    }
}

/// A line up to its comment: `#` and `;` at its start, `#` after a blank anywhere.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with(['#', ';']) {
        return "";
    }
    let bytes = line.as_bytes();
    let blank =
        |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_whitespace);
    let start = line.match_indices('#').map(|(at, _)| at).find(|at| blank(*at));
    start.map_or(line, |at| &line[..at])
}

impl Config {
    fn section(&mut self, name: &str) -> usize {
        let known = self.sections.iter().position(|section| section.name == name);
        known.unwrap_or_else(|| {
            self.sections.push(Section { name: name.to_owned(), options: Vec::new() });
            self.sections.len() - 1
        })
    }
}

impl Section {
    /// Sets an option, where it stands already in its place there; gives that place.
    pub fn set(&mut self, option: ConfigOption) -> usize {
        match self.options.iter().position(|had| had.name == option.name) {
            Some(at) => {
                self.options[at] = option;
                at
            }
            None => {
                self.options.push(option);
                self.options.len() - 1
            }
        }
    }

    /// Takes an option out.
    pub fn take(&mut self, name: &str) -> Option<ConfigOption> {
        let at = self.options.iter().position(|option| option.name == name)?;
        Some(self.options.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_options_comments_and_continued_lines() {
        let text = "# of us\n[main]\nsummary=Quick # not kept\n\n[sysctl]\nvm.dirty_ratio = 40\nx=a\n  b\n\
                    vm.dirty_ratio=30\nnonsense\n[main]\ninclude = a, b\nurl=http://x/#y\n";
        let config = parse("f", text, None);
        let told: Vec<_> = config.sections.iter().map(|s| (s.name.as_str(), s.options.len())).collect();
        assert_eq!(told, [("main", 3), ("sysctl", 2)]);
        let values = |at: usize| -> Vec<&str> {
            config.sections[at].options.iter().map(|option| option.value.as_str()).collect()
        };
        assert_eq!(values(0), ["Quick", "a, b", "http://x/#y"]);
        assert_eq!(values(1), ["30", "a\nb"]);
        assert_eq!(config.sections[1].options[0].place, "f:9");
        assert_eq!(config.malformed, ["f:10"]);
    }

    #[test]
    fn variables_stand_without_a_heading() {
        let config = parse("v", "isolated_cores=1-3\nbare\n", Some("variables"));
        assert_eq!(config.sections[0].options.len(), 2);
        assert!(config.malformed.is_empty());
    }
}
