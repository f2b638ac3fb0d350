//! What is particular about soaking stories.

/// How names of their tests begin.
pub(super) const TESTS: &str = "story::";
/// Times in a row.
pub(super) const ROUNDS: usize = 5;

/// Rows of the table that the tests add to in each round: of each story the newest.
pub(super) fn newest(said: &str) -> String {
    let story = |line: &str| line.split('|').nth(1).map(str::to_owned);
    let lines: Vec<&str> = said.lines().collect();
    let is_newest = |at: usize| {
        let own = story(lines[at]);
        lines[at + 1..].iter().all(|later| story(later) != own)
    };
    let kept = (0..lines.len()).filter(|at| is_newest(*at)).map(|at| lines[at]);
    kept.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_story_the_newest_row_stays() {
        let said = "| story | right |\n|---|---|\n| a | NO |\n| b | yes |\n| a | yes |\n";
        assert_eq!(newest(said), "| story | right |\n|---|---|\n| b | yes |\n| a | yes |");
    }
}
