//! The colours of charts: a resource each, in steps of lightness, on light and on dark paper.
//!
//! Any two resources differ for normal and for colour-blind eyes, and each stands out from the paper: tests.

use std::fmt::Write as _;

use heldup_model::{Colour, Role};

/// On which paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// A colour, three bytes of red, green and blue.
pub type Rgb = u32;

/// What is drawn in no resource's colour.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The ground.
    pub paper: Rgb,
    /// Text, of three weights.
    pub ink: [Rgb; 3],
    /// Lines of a grid.
    pub hair: Rgb,
    /// Lines between parts.
    pub rule: Rgb,
    /// Where nothing was measured.
    pub hatch: Rgb,
    /// The one red: severity.
    pub severity: Rgb,
    /// Links.
    pub link: Rgb,
    /// Behind commands.
    pub sunk: Rgb,
}

impl Theme {
    /// What is drawn in no resource's colour.
    pub const fn paper(self) -> Paper {
        match self {
            Theme::Light => Paper {
                paper: 0xfbfaf7,
                ink: [0x1a1c20, 0x50545d, 0x6b6f78],
                hair: 0xe9e6df,
                rule: 0xd9d6cf,
                hatch: 0xcfcbc2,
                severity: 0xb3261e,
                link: 0x1f59a5,
                sunk: 0xf4f2ec,
            },
            Theme::Dark => Paper {
                paper: 0x131519,
                ink: [0xe8e8ea, 0xb0b3ba, 0x8b8f98],
                hair: 0x24272c,
                rule: 0x33373e,
                hatch: 0x3a3e45,
                severity: 0xff7a70,
                link: 0x9cc0f7,
                sunk: 0x181b1f,
            },
        }
    }

    /// The steps of a resource's colour.
    pub const fn steps(self, role: Role) -> &'static [Rgb] {
        match (self, role) {
            (Theme::Light, Role::Cpu) => &[0x225fb0, 0x6b94ca, 0xa9c2e4],
            (Theme::Light, Role::Queue) => &[0x0592e0, 0x74c0ef],
            (Theme::Light, Role::Disk) => &[0xcf7936, 0x9c5217, 0xdea06d, 0x7a3d0c, 0xe8bd98, 0xf0d5bf],
            (Theme::Light, Role::Memory) => &[0x51044d, 0x834480, 0xb183af],
            (Theme::Light, Role::Lock) => &[0x735316, 0x9c8049, 0x4f3606, 0xbda77a, 0xd6c8a8, 0x8d6b2a],
            (Theme::Light, Role::Remote) => &[0x133c2f, 0x5c8475],
            (Theme::Light, Role::Idle) => &[0x5b5e6a],
            (Theme::Light, Role::Unknown) => &[0x8e877e, 0xb9b4aa],
            (Theme::Dark, Role::Cpu) => &[0xc2caf3, 0x8d95bf, 0x5c638a],
            (Theme::Dark, Role::Queue) => &[0x6b90ec, 0x42599a],
            (Theme::Dark, Role::Disk) => &[0xd28165, 0xefb39c, 0xa65f47, 0xf8d7ca, 0x824735, 0x5f3427],
            (Theme::Dark, Role::Memory) => &[0x875181, 0xb681b0, 0x5e3759],
            (Theme::Dark, Role::Lock) => &[0xe8d977, 0xb2a655, 0xf6f0bc, 0x857c3a, 0x5f582a, 0xcdbf66],
            (Theme::Dark, Role::Remote) => &[0x7de4c6, 0x3f8f79],
            (Theme::Dark, Role::Idle) => &[0x948d96],
            (Theme::Dark, Role::Unknown) => &[0x646458, 0x4a4d52],
        }
    }
}

/// The name of a colour, as classes of a picture have it: `disk-0`.
pub fn class(colour: Colour) -> String {
    format!("{}-{}", role_name(colour.role), colour.step)
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Cpu => "cpu",
        Role::Queue => "queue",
        Role::Disk => "disk",
        Role::Memory => "memory",
        Role::Lock => "lock",
        Role::Remote => "remote",
        Role::Idle => "idle",
        Role::Unknown => "unknown",
    }
}

/// The style of charts on one paper: plain rules by class, which every reader of SVG knows.
pub fn css(theme: Theme) -> String {
    let mut css = String::new();
    let paper = theme.paper();
    // Writing to a String cannot fail.
    let mut rule = |selector: &str, what: &str, rgb: Rgb| {
        let _ = write!(css, "{selector}{{{what}:#{rgb:06x}}}");
    };
    rule(".paper", "fill", paper.paper);
    for (class, rgb) in ["t1", "t2", "t3"].iter().zip(paper.ink) {
        rule(&format!("text.{class},tspan.{class}"), "fill", rgb);
    }
    rule(".piece", "stroke", paper.paper);
    rule(".hair", "stroke", paper.hair);
    rule(".axis,.limit", "stroke", paper.ink[2]);
    rule(".peak", "fill", paper.ink[0]);
    rule(".line", "stroke", paper.ink[0]);
    rule(".hatch", "stroke", paper.hatch);
    rule(".sev", "fill", paper.severity);
    rule(".sevline", "stroke", paper.severity);
    rule(".dot", "fill", paper.ink[0]);
    for role in Role::ALL {
        for (step, rgb) in theme.steps(role).iter().enumerate() {
            let name = format!("{}-{step}", role_name(role));
            rule(&format!(".f-{name}"), "fill", *rgb);
            rule(&format!(".s-{name}"), "stroke", *rgb);
        }
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear light of a colour.
    fn linear(rgb: Rgb) -> [f64; 3] {
        [16, 8, 0].map(|shift| {
            let part = f64::from((rgb >> shift) & 0xff) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn luminance([red, green, blue]: [f64; 3]) -> f64 {
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(linear(a)), luminance(linear(b)));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// What eyes without one kind of cones see, by Machado, Oliveira and Fernandes 2009, severity 1.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    fn seen(rgb: Rgb, eye: &[[f64; 3]; 3]) -> [f64; 3] {
        let light = linear(rgb);
        eye.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
    }

    /// CIE L*a*b* under D65.
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
        let y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
        let z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let (x, y, z) = (f(x), f(y), f(z));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// CIEDE2000.
    fn difference(a: [f64; 3], b: [f64; 3]) -> f64 {
        let ([l1, a1, b1], [l2, a2, b2]) = (a, b);
        let mean_chroma = f64::midpoint(a1.hypot(b1), a2.hypot(b2));
        let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
        let g = 0.5 * (1.0 - seventh(mean_chroma));
        let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
        let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
        let hue = |a: f64, b: f64| {
            if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) }
        };
        let (h1, h2) = (hue(a1, b1), hue(a2, b2));
        let mut dh = h2 - h1;
        if dh > 180.0 {
            dh -= 360.0;
        } else if dh < -180.0 {
            dh += 360.0;
        }
        let dh = if c1 * c2 == 0.0 { 0.0 } else { 2.0 * (c1 * c2).sqrt() * (dh / 2.0).to_radians().sin() };
        let (lm, cm) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2));
        let hm = if c1 * c2 == 0.0 {
            h1 + h2
        } else if (h1 - h2).abs() <= 180.0 {
            f64::midpoint(h1, h2)
        } else {
            (f64::midpoint(h1, h2) + 180.0).rem_euclid(360.0)
        };
        let cos = |degrees: f64| degrees.to_radians().cos();
        let t = 1.0 - 0.17 * cos(hm - 30.0) + 0.24 * cos(2.0 * hm) + 0.32 * cos(3.0 * hm + 6.0)
            - 0.20 * cos(4.0 * hm - 63.0);
        let sl = 1.0 + 0.015 * (lm - 50.0).powi(2) / (20.0 + (lm - 50.0).powi(2)).sqrt();
        let (sc, sh) = (1.0 + 0.045 * cm, 1.0 + 0.015 * cm * t);
        let turn = 30.0 * (-((hm - 275.0) / 25.0).powi(2)).exp();
        let rt = -2.0 * seventh(cm) * (2.0 * turn).to_radians().sin();
        let (dl, dc, dh) = ((l2 - l1) / sl, (c2 - c1) / sc, dh / sh);
        (dl * dl + dc * dc + dh * dh + rt * dc * dh).sqrt()
    }

    #[test]
    fn the_difference_is_that_of_its_authors() {
        // Sharma, Wu and Dalal 2005, pairs 1, 7 and 25.
        for (a, b, expected) in [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
            ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ] {
            assert!((difference(a, b) - expected).abs() < 1e-4, "{a:?} {b:?}");
        }
    }

    #[test]
    fn any_two_resources_differ_for_all_eyes() {
        for theme in [Theme::Light, Theme::Dark] {
            for (at, a) in Role::ALL.into_iter().enumerate() {
                for b in Role::ALL.into_iter().skip(at + 1) {
                    for eye in &EYES {
                        let of = |role: Role| lab(seen(theme.steps(role)[0], eye));
                        let differs = difference(of(a), of(b));
                        assert!(differs >= 16.0, "{theme:?} {a:?} {b:?}: {differs}");
                    }
                }
            }
        }
    }

    #[test]
    fn colours_and_text_stand_out_from_the_paper() {
        for theme in [Theme::Light, Theme::Dark] {
            let paper = theme.paper();
            for role in Role::ALL {
                let stands_out = contrast(theme.steps(role)[0], paper.paper);
                assert!(stands_out >= 3.0, "{theme:?} {role:?}: {stands_out}");
                assert_eq!(theme.steps(role).len(), usize::from(role.steps()));
            }
            for text in paper.ink.into_iter().chain([paper.severity, paper.link]) {
                assert!(contrast(text, paper.paper) >= 4.5, "{theme:?} {text:06x}");
            }
        }
    }
}
