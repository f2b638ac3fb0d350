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

/// The host that a prompt names: `root@db1:~# …`, `[oracle@db1 ~]$ …`; none that all machines have, or that is a container's id.
pub fn host_of(line: &str) -> Option<&str> {
    let (user, rest) = line.trim_start().trim_start_matches('[').split_once('@')?;
    let is_user =
        !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let end = rest.find([':', ' ', ']', '#', '$'])?;
    let (host, behind) = rest.split_at(end);
    let is_prompt = behind.find(['#', '$', '%', '>']).is_some_and(|at| {
        let path = behind.get(..at).unwrap_or_default();
        let is_path = path.len() <= LONGEST_PATH && path.split_whitespace().count() <= 2;
        is_path && matches!(behind.as_bytes().get(at + 1), None | Some(b' '))
    });
    let is_host =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let is_id = host.len() >= 12 && host.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_placeholder = crate::host_name::is_placeholder(host);
    (is_user && is_prompt && is_host && !is_id && !is_placeholder).then_some(host)
}

/// A folder that a prompt shows is not longer.
const LONGEST_PATH: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_names_the_host() {
        for (line, expect) in [
            ("root@witherspoon:~# perf top", Some("witherspoon")),
            ("drkirkby@kestrel:~$ prstat", Some("kestrel")),
            ("[root@mikoto ~]# vmstat 1", Some("mikoto")),
            ("[yejr@imysql.com:~ ]# sar -q 1", Some("imysql.com")),
            ("[root@localhost ~]# top", None),
            ("root@3f2a9c01d4e5:/# top", None),
            ("write to root@example.org: 3 files # and more", None),
            ("git@github.com:owner/name.git", None),
        ] {
            assert_eq!(host_of(line), expect, "{line}");
        }
    }

    #[test]
    fn a_command_stands_behind_a_prompt_and_in_a_folder() {
        assert_eq!(arguments(&["#", "vmstat", "-S", "M"], "vmstat"), Some(&["-S", "M"][..]));
        assert_eq!(arguments(&["root@db1:~#/usr/bin/free", "-m"], "free"), Some(&["-m"][..]));
        assert_eq!(arguments(&["`ethtool", "eth0`"], "ethtool"), Some(&["eth0`"][..]));
        assert_eq!(arguments(&["freedom", "of", "speech"], "free"), None);
    }
}
