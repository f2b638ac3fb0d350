//! One line that somebody types.

/// A line with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: Vec<char>,
    at: usize,
}

impl LineEdit {
    /// A line with a text, and the cursor behind it.
    pub fn of(text: &str) -> LineEdit {
        let text: Vec<char> = text.chars().collect();
        LineEdit { at: text.len(), text }
    }

    /// What was typed.
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// What stands before the cursor.
    pub fn before(&self) -> String {
        self.text[..self.at].iter().collect()
    }

    /// Puts in a character.
    pub fn put(&mut self, c: char) {
        if !c.is_control() {
            self.text.insert(self.at, c);
            self.at += 1;
        }
    }

    /// Takes out the character before the cursor.
    pub fn back(&mut self) {
        if self.at > 0 {
            self.at -= 1;
            self.text.remove(self.at);
        }
    }

    /// Takes out the character at the cursor.
    pub fn delete(&mut self) {
        if self.at < self.text.len() {
            self.text.remove(self.at);
        }
    }

    /// Takes out the word before the cursor.
    pub fn back_word(&mut self) {
        while self.at > 0 && self.text[self.at - 1] == ' ' {
            self.back();
        }
        while self.at > 0 && self.text[self.at - 1] != ' ' {
            self.back();
        }
    }

    /// Takes out everything.
    pub fn clear(&mut self) {
        *self = LineEdit::default();
    }

    /// Moves the cursor by so many characters.
    pub fn go(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.text.len());
    }

    /// Moves the cursor to the start.
    pub fn start(&mut self) {
        self.at = 0;
    }

    /// Moves the cursor to the end.
    pub fn end(&mut self) {
        self.at = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        let mut line = LineEdit::of("yesterday 3:00");
        line.go(-4);
        line.put('0');
        assert_eq!(line.text(), "yesterday 03:00");
        line.end();
        line.back_word();
        assert_eq!(line.text(), "yesterday ");
        line.start();
        line.delete();
        assert_eq!((line.text().as_str(), line.before().as_str()), ("esterday ", ""));
        line.go(-5);
        line.go(99);
        assert_eq!(line.before(), "esterday ");
        line.put('\u{1b}');
        line.clear();
        assert_eq!(line.text(), "");
    }
}
