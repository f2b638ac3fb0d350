//! Which devices a section is for: `sd*, !sdb`.

use crate::setting_path::fits;

/// Whether a device fits: one of the rules, and none of those with `!`; where all have `!`, every other.
pub fn matches(rules: &str, device: &str) -> bool {
    let rules: Vec<&str> = rules.split([' ', '\t', '\n', ',']).filter(|rule| !rule.is_empty()).collect();
    let (without, wanted): (Vec<&str>, Vec<&str>) = rules.into_iter().partition(|rule| rule.starts_with('!'));
    if without.iter().any(|rule| is(&rule[1..], device)) {
        return false;
    }
    wanted.is_empty() || wanted.iter().any(|rule| is(rule, device))
}

/// A pattern of the shell: `*`, `?` and `[abc]`.
fn is(pattern: &str, device: &str) -> bool {
    if !pattern.contains(['?', '[']) {
        return fits(pattern, device);
    }
    let escaped = regex::escape(pattern);
    let expression = escaped.replace(r"\*", ".*").replace(r"\?", ".").replace(r"\[", "[").replace(r"\]", "]");
    regex::Regex::new(&format!("^(?:{expression})$")).is_ok_and(|regex| regex.is_match(device))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn rules() {
        assert!(matches("*", "vda") && matches("sd*, vda", "vda") && matches("sd?", "sda"));
        assert!(!matches("sd*", "vda") && !matches("*, !vda", "vda") && !matches("!vd*", "vda"));
        assert!(matches("!sd*", "vda") && matches("sd[ab]", "sdb") && !matches("sd[ab]", "sdc"));
    }
}
