//! Student's t distribution: how likely a value that far out is by chance.

/// Probability that Student's t with `freedom` degrees of freedom is at least `|t|` away from
/// zero, on either side; none where `freedom` is not positive or `t` is not a number.
pub fn student_two_sided(t: f64, freedom: f64) -> Option<f64> {
    if t.is_nan() || !(freedom.is_finite() && freedom > 0.0) {
        return None;
    }
    if t.is_infinite() {
        return Some(0.0);
    }
    Some(incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t)).clamp(0.0, 1.0))
}

/// The `t` beyond which, on either side, lies the probability `p` (above 0, below 1).
pub fn student_critical(p: f64, freedom: f64) -> Option<f64> {
    if !(0.0 < p && p < 1.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while student_two_sided(high, freedom)? > p {
        high *= 2.0;
        if high > 1e15 {
            return None;
        }
    }
    // 60 halvings leave less than one part in 1e15.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if student_two_sided(middle, freedom)? > p { low = middle } else { high = middle }
    }
    Some((low + high) / 2.0)
}

/// The regularized incomplete beta function I_x(a, b): the continued fraction DLMF 8.17.22,
/// evaluated by Lentz's method, on the side of its argument where it converges quickly.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, 1.0 - x) / b
    }
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    /// Keeps a denominator away from zero, as Lentz's method needs it.
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut sum = d;
    for step in 1..500_u32 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            sum *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    sum
}

/// Logarithm of the gamma function for positive arguments: Stirling's series (DLMF 5.11.1) above
/// ten, where five terms leave less than 1e-13, reached by the recurrence.
fn ln_gamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 10.0 {
        below += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / square) / square) / square) / square)
        / x;
    (x - 0.5) * x.ln() - x + (2.0 * std::f64::consts::PI).ln() / 2.0 + series - below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one degree of freedom t is Cauchy's, with two it has a closed form too.
    #[test]
    fn tails_agree_with_closed_forms() {
        for t in [0.0, 0.1, 1.0, 2.5, 12.7, 1000.0, 1e7] {
            let one = 1.0 - 2.0 / std::f64::consts::PI * f64::atan(t);
            let two = 1.0 - t / f64::sqrt(2.0 + t * t);
            let close = |found: Option<f64>, wanted: f64| {
                let found = found.expect("a probability");
                assert!((found - wanted).abs() < 1e-12, "{t}: {found}, not {wanted}");
            };
            close(student_two_sided(t, 1.0), one);
            close(student_two_sided(-t, 2.0), two);
        }
    }

    /// Tables of every book on statistics.
    #[test]
    fn critical_values_agree_with_tables() {
        for (p, freedom, t) in
            [(0.05, 1.0, 12.706), (0.05, 10.0, 2.228), (0.01, 14.0, 2.977), (0.001, 30.0, 3.646)]
        {
            let found = student_critical(p, freedom).expect("a value");
            assert!((found - t).abs() < 0.001, "{found}, not {t}");
        }
        // The normal distribution, to which it tends.
        let normal = student_critical(0.05, 1e9).expect("a value");
        assert!((normal - 1.959_964).abs() < 1e-5, "{normal}");
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!(student_two_sided(f64::NAN, 3.0), None);
        assert_eq!(student_two_sided(1.0, 0.0), None);
        assert_eq!(student_two_sided(f64::INFINITY, 3.0), Some(0.0));
        assert_eq!(student_critical(0.0, 3.0), None);
        assert_eq!(student_critical(1.0, 3.0), None);
    }
}
