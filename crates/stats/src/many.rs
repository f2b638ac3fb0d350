//! Many questions at once: which answers still count.

/// Which of these likelinesses stand when all are asked at once and at most `level` is the
/// chance that even one of them stands by accident, whatever they have to do with each other.
///
/// Holm, "A simple sequentially rejective multiple test procedure" (1979).
pub fn holm(likeliness: &[f64], level: f64) -> Vec<bool> {
    let order = ascending(likeliness);
    let count = likeliness.len();
    let standing =
        order.iter().enumerate().take_while(|&(rank, &at)| likeliness[at] <= level / (count - rank) as f64);
    mark(count, standing.map(|(_, &at)| at))
}

/// Which of these likelinesses stand when among those that do at most the share `level` may
/// stand by accident; where nothing differs at all, `level` is the chance that any does.
///
/// Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
pub fn benjamini_hochberg(likeliness: &[f64], level: f64) -> Vec<bool> {
    let order = ascending(likeliness);
    let count = likeliness.len();
    let limit = |rank: usize| level * (rank + 1) as f64 / count as f64;
    let last = order.iter().enumerate().rposition(|(rank, &at)| likeliness[at] <= limit(rank));
    mark(count, last.map_or(&[][..], |last| &order[..=last]).iter().copied())
}

fn ascending(likeliness: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..likeliness.len()).collect();
    order.sort_by(|&a, &b| likeliness[a].total_cmp(&likeliness[b]));
    order
}

fn mark(count: usize, standing: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut marks = vec![false; count];
    standing.for_each(|at| marks[at] = true);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fifteen likelinesses of section 3.2 of Benjamini and Hochberg, of which their
    /// procedure lets four stand at 0.05 and Bonferroni's three.
    #[test]
    fn the_example_of_the_paper() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        assert_eq!(benjamini_hochberg(&p, 0.05).iter().filter(|stands| **stands).count(), 4);
        assert_eq!(holm(&p, 0.05).iter().filter(|stands| **stands).count(), 3);
    }

    #[test]
    fn order_does_not_matter() {
        assert_eq!(holm(&[0.5, 0.001, 0.02], 0.05), [false, true, true]);
        assert_eq!(benjamini_hochberg(&[0.04, 0.001, 0.03], 0.05), [true, true, true]);
        assert_eq!(holm(&[0.04, 0.001, 0.03], 0.05), [false, true, false]);
    }

    #[test]
    fn nothing_asked_nothing_stands() {
        assert_eq!(holm(&[], 0.05), [false; 0]);
        assert_eq!(benjamini_hochberg(&[], 0.05), [false; 0]);
    }

    #[test]
    fn what_is_no_number_never_stands() {
        assert_eq!(holm(&[f64::NAN, 0.001], 0.05), [false, true]);
        assert_eq!(benjamini_hochberg(&[f64::NAN, 0.001], 0.05), [false, true]);
    }
}
