//! Paths of settings, their keys and names, and patterns of them.

/// The key of a path.
pub(crate) fn key_of_path(path: &str) -> String {
    let below = path.strip_prefix("/proc/sys/").or_else(|| path.strip_prefix("/sys/"));
    match below {
        // An entry of its own name (`process.oom_score_adj`) is recognised by its path.
        None => path.to_owned(),
        Some(below) if below.starts_with("fs/cgroup/") => path.to_owned(),
        Some(below) => key(below),
    }
}

/// A path below `/proc/sys` or `/sys` as sysctl(8) writes it: a dot of the path itself, such as
/// that of an interface `eth0.100`, becomes a slash.
pub(crate) fn key(below: &str) -> String {
    let swap = |c| match c {
        '/' => '.',
        '.' => '/',
        other => other,
    };
    below.chars().map(swap).collect()
}

/// Whether a text is what a pattern describes, each `*` standing for any characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut after) = text.strip_prefix(start) else { return false };
    loop {
        if fits(rest.trim_start_matches('*'), after) {
            return true;
        }
        let mut characters = after.chars();
        if characters.next().is_none() {
            return false;
        }
        after = characters.as_str();
    }
}

/// The path of a name as sysctl(8) takes it: where the first separator is a slash the rest is as it
/// stands, where it is a dot the two are exchanged.
pub(crate) fn sysctl_path(name: &str) -> String {
    let slashes = name.find(['.', '/']).is_some_and(|at| name[at..].starts_with('/'));
    let below = if slashes { name.to_owned() } else { key(name) };
    format!("/proc/sys/{below}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(fits("block.*.queue.scheduler", "block.vda.queue.scheduler"));
        assert!(!fits("block.*.queue.scheduler", "block.vda.queue.nr_requests"));
        assert!(fits("/sys/fs/cgroup/**/memory.max", "/sys/fs/cgroup/system.slice/a.service/memory.max"));
        assert!(fits("a.*", "a.b") && !fits("a", "a.b") && fits("*", ""));
        assert_eq!(key("net/ipv4/conf/eth0.100/rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
    }

    #[test]
    fn names_are_read_as_sysctl_reads_them() {
        assert_eq!(sysctl_path("vm.swappiness"), "/proc/sys/vm/swappiness");
        assert_eq!(sysctl_path("vm/swappiness"), "/proc/sys/vm/swappiness");
        assert_eq!(
            sysctl_path("net.ipv4.conf.eth0/100.rp_filter"),
            "/proc/sys/net/ipv4/conf/eth0.100/rp_filter"
        );
        assert_eq!(
            sysctl_path("net/ipv4/conf/eth0.100/rp_filter"),
            "/proc/sys/net/ipv4/conf/eth0.100/rp_filter"
        );
    }
}
