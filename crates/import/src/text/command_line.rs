//! Command lines as people paste them above a listing: `# vmstat -S M 5`, `$ /usr/bin/free -m`.

/// The command that a word of a line may be, without its prompt and its folder.
pub fn name_of(word: &str) -> &str {
    let name = word.trim_start_matches(['#', '$', '>', '%', '`', '\\']).trim_end_matches('`');
    name.rsplit('/').next().unwrap_or(name)
}

/// What stands behind a command of this name, where a line has one.
pub fn arguments<'w, 'l>(words: &'w [&'l str], command: &str) -> Option<&'w [&'l str]> {
    let at = words.iter().position(|word| name_of(word).eq_ignore_ascii_case(command))?;
    Some(&words[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_stands_behind_a_prompt_and_in_a_folder() {
        assert_eq!(arguments(&["#", "vmstat", "-S", "M"], "vmstat"), Some(&["-S", "M"][..]));
        assert_eq!(arguments(&["root@db1:~#/usr/bin/free", "-m"], "free"), Some(&["-m"][..]));
        assert_eq!(arguments(&["`ethtool", "eth0`"], "ethtool"), Some(&["eth0`"][..]));
        assert_eq!(arguments(&["freedom", "of", "speech"], "free"), None);
    }
}
