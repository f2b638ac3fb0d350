//! The prompt of a shell, which names the host: `[root@db1 ~]# free`, `user@host:~$ top`. Pure.

/// Digits of a container's id in its prompt.
const ID_DIGITS: usize = 12;

/// The host that a prompt at the beginning of a line names.
pub fn host<'w>(words: &[&'w str]) -> Option<&'w str> {
    let (first, rest) = words.split_first()?;
    let host = match first.strip_prefix('[') {
        // `[root@db1 ~]#`, `[root@db1:/var/log]#`
        Some(bracketed) => {
            let is_closed = std::iter::once(first).chain(rest.first()).any(|word| is_end(word, "]"));
            bracketed.split_once('@').filter(|_| is_closed)?.1
        }
        // `user@host:~$`, and with the command behind it without a blank.
        None => {
            let (user, rest) = first.split_once('@')?;
            let (host, folder) = rest.split_once(':')?;
            let is_prompt = !user.is_empty()
                && folder.starts_with(['~', '/'])
                && (folder.contains(['#', '$', '%']) || words.get(1).is_some_and(|word| is_end(word, "")));
            is_prompt.then_some(host)?
        }
    };
    let end = host
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')))
        .unwrap_or(host.len());
    Some(&host[..end]).filter(|host| host.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_id(host))
}

/// Whether a name is the id of a container, by which nobody knows it.
fn is_id(host: &str) -> bool {
    host.len() == ID_DIGITS && host.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word ends a prompt: `~]#`, `$`.
fn is_end(word: &str, before: &str) -> bool {
    let sign = word.find(['#', '$', '%']);
    sign.and_then(|at| word.get(..at))
        .is_some_and(|text| if before.is_empty() { text.is_empty() } else { text.ends_with(before) })
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn prompts_name_their_host() {
        let check = |line: &str, expect: Option<&str>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(host(&words), expect, "{line}");
        };
        check("[root@db1 ~]# free -m", Some("db1"));
        check("[oracle@db1.example.com trace]$ vmstat 5", Some("db1.example.com"));
        check("[root@db1:/var/log]# tail", Some("db1"));
        check("root@vm-host-1:~# free", Some("vm-host-1"));
        check("user@host:/tmp$ top -b", Some("host"));
        check("user@host:~ $ top -b", Some("host"));
        check("root@3f2a1b4c5d6e:/# df", None);
        check("root@witherspoon:~# perf top", Some("witherspoon"));
        check("[yejr@imysql.com:~ ]# sar -q 1", Some("imysql.com"));
        check("git@github.com:owner/name.git", None);
        check("mail from bob@example.com: it is slow", None);
        check("bob@example.com wrote:", None);
        check("scp root@db1:/var/log/messages .", None);
        check("[see bob@example.com for #1]", None);
        check("rsync@10.0.0.1:~$ ls", None);
    }
}
