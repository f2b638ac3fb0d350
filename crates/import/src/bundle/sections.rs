//! Texts of supportconfig: outputs of commands and contents of files, each below a headed line.
//!
//! ```text
//! #==[ Command ]======================================#
//! # /usr/bin/uptime
//!  12:33pm  up 12 days
//! ```

use std::io::{self, Read};

/// How a heading begins.
const HEADING: &[u8] = b"#==[ ";
/// Longest heading or title that is read; what is longer is content.
const LONGEST_LINE: usize = 4096;
/// How much is read at once.
const PIECE_BYTES: usize = 64 << 10;
/// A heading stands within so many bytes of the beginning, or there is none: texts begin with a banner.
const LOOKED_AT_BYTES: usize = 4096;

/// Whether a text is made of sections.
pub fn is_one(beginning: &[u8]) -> bool {
    let beginning = &beginning[..beginning.len().min(LOOKED_AT_BYTES)];
    beginning.split(|byte| *byte == b'\n').any(|line| heading(line).is_some())
}

/// The kind of section that a line heads: `Command`, `Configuration File`, `Log File`.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let rest = line.trim_ascii_end().strip_prefix(HEADING)?;
    let end = rest.windows(2).position(|pair| pair == b" ]")?;
    rest[end + 2..].ends_with(b"=#").then_some(&rest[..end])
}

/// Reads the sections of a text, one after the other, holding a piece of it.
pub struct Sections<R> {
    input: R,
    piece: Vec<u8>,
    at: usize,
    is_over: bool,
    /// What is next begins a line.
    line_begins: bool,
}

impl<R: Read> Sections<R> {
    /// Of a text that is read from its beginning.
    pub fn of(input: R) -> Sections<R> {
        Sections { input, piece: Vec::new(), at: 0, is_over: false, line_begins: true }
    }

    /// Goes on to the next section; its title, as `# /usr/bin/uptime` says it. What was left of the one
    /// before is passed over.
    pub fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            if heading(&line).is_none() {
                continue;
            }
            let Some(title) = self.line()? else { return Ok(None) };
            let title = title.strip_prefix(b"#").unwrap_or(&title).trim_ascii();
            return Ok(Some(String::from_utf8_lossy(title).into_owned()));
        }
    }

    /// The content of the section, up to the next heading.
    pub fn content(&mut self) -> Content<'_, R> {
        Content { sections: self, is_over: false }
    }

    /// What is there, at least so many bytes where the text has them.
    fn there(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.piece.len() - self.at < wanted && !self.is_over {
            self.piece.drain(..self.at);
            self.at = 0;
            while self.piece.len() < wanted && !self.is_over {
                let length = self.piece.len();
                self.piece.resize(length + PIECE_BYTES, 0);
                let read = loop {
                    match self.input.read(&mut self.piece[length..]) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        read => break read,
                    }
                };
                self.piece.truncate(length + *read.as_ref().unwrap_or(&0));
                self.is_over = read? == 0;
            }
        }
        Ok(&self.piece[self.at..])
    }

    /// The next line without its end; of a very long one its beginning, with the rest passed over.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let there = self.there(LONGEST_LINE)?;
        if there.is_empty() {
            return Ok(None);
        }
        let there = &there[..there.len().min(LONGEST_LINE)];
        let end = there.iter().position(|byte| *byte == b'\n');
        let line = there[..end.unwrap_or(there.len())].to_vec();
        self.at += end.map_or(line.len(), |end| end + 1);
        if end.is_none() {
            while self.pass_to_line_end()? {}
        }
        self.line_begins = true;
        Ok(Some(line))
    }

    /// Passes over a piece of a line; false once its end is behind.
    fn pass_to_line_end(&mut self) -> io::Result<bool> {
        let there = self.there(1)?;
        let end = there.iter().position(|byte| *byte == b'\n');
        let passed = end.map_or(there.len(), |end| end + 1);
        let goes_on = end.is_none() && passed > 0;
        self.at += passed;
        Ok(goes_on)
    }
}

/// Reads one section.
pub struct Content<'s, R> {
    sections: &'s mut Sections<R>,
    is_over: bool,
}

impl<R: Read> Read for Content<'_, R> {
    /// A line at most, so that a heading is seen at its beginning.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over || buffer.is_empty() {
            return Ok(0);
        }
        let line_begins = self.sections.line_begins;
        let there = self.sections.there(if line_begins { LONGEST_LINE } else { 1 })?;
        if line_begins && there.starts_with(HEADING) {
            let line = there.split(|byte| *byte == b'\n').next().unwrap_or_default();
            if heading(line).is_some() {
                self.is_over = true;
                return Ok(0);
            }
        }
        let end = there.iter().position(|byte| *byte == b'\n').map_or(there.len(), |end| end + 1);
        let count = end.min(buffer.len());
        buffer[..count].copy_from_slice(&there[..count]);
        self.sections.line_begins = count == end && there.get(end.wrapping_sub(1)) == Some(&b'\n');
        self.sections.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        for piece in [1, 7, 1 << 20] {
            let mut sections = Sections::of(Pieces(text.as_bytes(), piece));
            for (title, content) in expect {
                assert_eq!(sections.next().expect("read").as_deref(), Some(*title), "{piece} at a time");
                let mut read = String::new();
                sections.content().read_to_string(&mut read).expect("read");
                assert_eq!(read, *content, "{piece} at a time");
            }
            assert_eq!(sections.next().expect("read"), None);
        }
    }

    /// Gives its bytes in small pieces.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn each_section_has_its_title_and_its_content() {
        check(
            "=====\n  Supportutils\n=====\n\n#==[ Command ]=====#\n# /bin/date\nThu Mar  3 12:33:44 CET 2022\n\n\
             #==[ Configuration File ]=====#\n# /proc/meminfo\nMemTotal: 5 kB\n#==[ no heading\n\
             #==[ Log File ]===#\n# /var/log/x - File not found\n",
            &[
                ("/bin/date", "Thu Mar  3 12:33:44 CET 2022\n\n"),
                ("/proc/meminfo", "MemTotal: 5 kB\n#==[ no heading\n"),
                ("/var/log/x - File not found", ""),
            ],
        );
        check("#==[ Command ]==#", &[]);
        check("#==[ Command ]==#\n# /bin/true", &[("/bin/true", "")]);
    }

    #[test]
    fn a_section_that_nobody_reads_is_passed_over_whatever_its_lines_are() {
        let long = "x".repeat(300_000);
        let text = format!("#==[ Command ]==#\n# a\n{long}\n#==[ Command ]==#\n# b\nc");
        let mut sections = Sections::of(text.as_bytes());
        assert_eq!(sections.next().expect("read").as_deref(), Some("a"));
        assert_eq!(sections.next().expect("read").as_deref(), Some("b"));
        let mut read = String::new();
        sections.content().read_to_string(&mut read).expect("read");
        assert_eq!(read, "c");
        assert!(sections.piece.capacity() <= 4 * PIECE_BYTES, "{}", sections.piece.capacity());
    }

    #[test]
    fn a_text_of_sections_is_told_from_others() {
        assert!(is_one(b"#====\n\n#==[ Command ]====#\n# /bin/date\n"));
        assert!(!is_one(b"#==[ Command ]\n"));
        assert!(!is_one(b"x #==[ Command ]===#\n"));
    }
}
