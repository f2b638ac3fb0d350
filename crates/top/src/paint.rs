//! Colours: the sixteen of the user's terminal, and nothing that is told by colour alone.

use heldup_model::{Class, Colour, Role, Severity};
use ratatui::style::{Color, Modifier, Style};

/// Eighths of a cell.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PLAIN: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];

/// How it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// With colours.
    pub color: bool,
    /// ASCII only.
    pub ascii: bool,
    /// Commands are printed with sudo.
    pub sudo: bool,
}

impl Look {
    /// A style, without its colours where none are wanted.
    fn inked(self, style: Style) -> Style {
        match self.color {
            true => style,
            false => Style { fg: None, bg: None, ..style },
        }
    }

    /// A column of a height from 0 to 1.
    pub fn level(self, level: f64) -> char {
        let step = ((level * 8.0).ceil() as usize).clamp(1, 8) - 1;
        if self.ascii { PLAIN[step] } else { BLOCKS[step] }
    }

    /// What stands out.
    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is there for who looks closer.
    pub fn dim(self) -> Style {
        self.inked(Style::new().fg(Color::DarkGray))
    }

    /// The row or window that is chosen.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A finding's shape and share.
    pub fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Critical => self.inked(Style::new().fg(Color::Red)).add_modifier(Modifier::BOLD),
            Severity::Warning => self.inked(Style::new().fg(Color::Red)),
            Severity::Info => Style::new(),
        }
    }

    /// That it goes on.
    pub fn live(self) -> Style {
        self.inked(Style::new().fg(Color::Green)).add_modifier(Modifier::BOLD)
    }

    /// Letters of a class.
    pub fn class(self, class: Class) -> Style {
        self.inked(Style::new().fg(of(Colour::of_class(class))))
    }

    /// Black letters on the colour of a class.
    pub fn on_class(self, class: Class) -> Style {
        self.inked(Style::new().fg(Color::Black).bg(of(Colour::of_class(class))))
    }

    /// A mark in the colour of a series.
    pub fn colour(self, colour: Colour) -> Style {
        self.inked(Style::new().fg(of(colour)))
    }
}

/// The terminal's colour of a resource.
fn of(colour: Colour) -> Color {
    match (colour.role, colour.step) {
        (Role::Cpu, 0) => Color::Blue,
        (Role::Cpu, _) => Color::LightBlue,
        (Role::Queue, _) => Color::Cyan,
        (Role::Disk, _) => Color::Yellow,
        (Role::Memory, _) => Color::Magenta,
        (Role::Lock, _) => Color::LightYellow,
        (Role::Remote, _) => Color::Green,
        (Role::Idle | Role::Unknown, _) => Color::DarkGray,
    }
}

/// The shape of a severity.
pub fn shape(severity: Severity, look: Look) -> &'static str {
    match (severity, look.ascii) {
        (Severity::Critical, false) => "▲",
        (Severity::Warning, false) => "△",
        (Severity::Info, false) => "○",
        (Severity::Critical, true) => "!",
        (Severity::Warning, true) => "*",
        (Severity::Info, true) => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_there_are_none() {
        let look = Look { color: false, ascii: false, sudo: false };
        for style in [look.dim(), look.live(), look.on_class(Class::User), look.severity(Severity::Critical)]
        {
            assert!(style.fg.is_none() && style.bg.is_none(), "{style:?}");
        }
    }
}
