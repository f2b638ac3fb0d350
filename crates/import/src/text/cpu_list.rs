//! Lists of CPUs as the kernel writes them: `0-15,32-47`. Pure.

/// CPUs of the largest machine that the kernel allows, many times over.
const MOST_CPUS: usize = 1 << 16;

/// The numbers of a list; none where it is no list. An empty one has none.
pub fn parse(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || (last - first) as usize + cpus.len() >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// A list of numbers in ascending order.
pub fn text(cpus: &[u32]) -> String {
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let runs = sorted.chunk_by(|one, next| one + 1 == *next);
    let runs = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}-{last}")),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        assert_eq!(parse("0-2, 8,10-11"), Some(vec![0, 1, 2, 8, 10, 11]));
        assert_eq!(parse(""), Some(Vec::new()));
        assert_eq!(parse("3-1"), None);
        assert_eq!(parse("0-99999999"), None);
        assert_eq!(parse("a"), None);
        assert_eq!(text(&[11, 0, 1, 2, 10, 8]), "0-2,8,10-11");
        assert_eq!(text(&[]), "");
    }
}
