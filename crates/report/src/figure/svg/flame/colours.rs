//! Fills of a flame graph: tints of a class's colour on the paper, so light that ink on them can be read.

use std::fmt::Write as _;

use heldup_model::{Colour, Role};

use super::tree::Kind;
use crate::figure::palette::{self, Rgb, Theme};

/// Steps of a difference, from nothing to all.
pub(super) const STEPS: usize = 5;
/// Share of the colour in a class, in the kernel's functions and calls, and in those of programs.
const CLASS: f64 = 0.7;
const KERNEL: f64 = 0.38;
const USER: f64 = 0.22;
/// Contrast of text on a fill, at least.
const READABLE: f64 = 4.5;

/// More and less: signs say the same.
const fn more_less(theme: Theme) -> [Rgb; 2] {
    match theme {
        Theme::Light => [0xcf7936, 0x225fb0],
        Theme::Dark => [0xd28165, 0x6b90ec],
    }
}

/// The class name of a fill.
pub(super) fn fill(kind: Kind, colour: Colour) -> String {
    let kind = match kind {
        Kind::All | Kind::Program => return "fl-p".to_owned(),
        Kind::Class => 'c',
        Kind::Call | Kind::Kernel => 'k',
        Kind::User => 'u',
    };
    format!("fl-{kind}-{}", palette::class(colour))
}

/// The class name of a difference, whose size is a share of the largest.
pub(super) fn change(share: f64) -> String {
    let step = (share.abs() * STEPS as f64).ceil().clamp(0.0, STEPS as f64) as usize;
    match (step, share < 0.0) {
        // What hardly differs is as it was.
        _ if share.abs() < 0.02 => "fl-0".to_owned(),
        (step, true) => format!("fl-l{step}"),
        (step, false) => format!("fl-m{step}"),
    }
}

/// The rules of flame graphs on one paper.
pub fn css(theme: Theme) -> String {
    let mut css = String::new();
    let paper = theme.paper();
    // Writing to a String cannot fail.
    let mut rule = |selector: &str, rgb: Rgb| {
        let _ = write!(css, "{selector}{{fill:#{rgb:06x}}}");
    };
    rule(".fl-p,.fl-0", paper.hair);
    rule(".fl-l", paper.ink[0]);
    rule(".fl-b", paper.link);
    for role in Role::ALL {
        for (step, rgb) in theme.steps(role).iter().enumerate() {
            let name = palette::class(Colour { role, step: step as u8 });
            for (kind, share) in [('c', CLASS), ('k', KERNEL), ('u', USER)] {
                rule(&format!(".fl-{kind}-{name}"), tint(theme, *rgb, share));
            }
        }
    }
    for (name, rgb) in ['m', 'l'].into_iter().zip(more_less(theme)) {
        for step in 1..=STEPS {
            let share = 0.12 + 0.58 * step as f64 / STEPS as f64;
            rule(&format!(".fl-{name}{step}"), tint(theme, rgb, share));
        }
    }
    let (ground, ink) = (paper.paper, paper.ink[0]);
    let _ = write!(css, ".fl-w{{stroke:#{ground:06x}}}.fl-cur{{stroke:#{ink:06x}}}");
    css
}

/// A colour laid over the paper with this share of it, or less where ink would not be read on it.
fn tint(theme: Theme, rgb: Rgb, share: f64) -> Rgb {
    let paper = theme.paper();
    let tried = (1..=20).rev().map(|step| mixed(paper.paper, rgb, share * f64::from(step) / 20.0));
    tried.into_iter().find(|tint| contrast(*tint, paper.ink[0]) >= READABLE).unwrap_or(paper.hair)
}

fn mixed(ground: Rgb, over: Rgb, share: f64) -> Rgb {
    [16, 8, 0].into_iter().fold(0, |rgb, shift| {
        let part = |colour: Rgb| f64::from((colour >> shift) & 0xff);
        let mixed = part(ground) * (1.0 - share) + part(over) * share;
        rgb | ((mixed.round() as Rgb) << shift)
    })
}

fn contrast(a: Rgb, b: Rgb) -> f64 {
    let luminance = |rgb: Rgb| -> f64 {
        let parts = [(16, 0.2126), (8, 0.7152), (0, 0.0722)];
        let light = |shift: u32| {
            let part = f64::from((rgb >> shift) & 0xff) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        parts.into_iter().map(|(shift, weight)| weight * light(shift)).sum()
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ink_can_be_read_on_every_fill() {
        for theme in [Theme::Light, Theme::Dark] {
            let ink = theme.paper().ink[0];
            let css = css(theme);
            let fills = css.split('}').filter(|rule| rule.starts_with(".fl-"));
            let fills = fills.filter(|rule| !rule.starts_with(".fl-l{") && !rule.starts_with(".fl-b"));
            let mut count = 0;
            for rule in fills.filter(|rule| rule.contains("fill:#")) {
                let (_, hex) = rule.split_once("fill:#").expect("a fill");
                let fill = Rgb::from_str_radix(hex, 16).expect("a colour");
                assert!(contrast(fill, ink) >= READABLE, "{theme:?} {rule}: {}", contrast(fill, ink));
                count += 1;
            }
            assert!(count > 60, "{count}");
        }
    }

    #[test]
    fn a_difference_has_a_sign_and_a_size() {
        assert_eq!([0.0, 0.01, -0.01].map(change), ["fl-0", "fl-0", "fl-0"]);
        assert_eq!([0.05, 1.0, -0.5, -7.0].map(change), ["fl-m1", "fl-m5", "fl-l3", "fl-l5"]);
    }
}
