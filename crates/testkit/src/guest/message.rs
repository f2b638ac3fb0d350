//! What goes over the port between a test and its guest: JSON, each with its length before
//! it (four bytes, least first). Both ends are this program.

use std::io::{Read, Write};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Longest message: far more than any answer, far less than memory.
const LONGEST: usize = 256 << 20;

/// A command to be run in the guest.
#[derive(Clone, PartialEq, Debug)]
pub struct Order {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Milliseconds after which it is killed.
    pub limit_ms: u64,
}

/// What became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Exit status; none when a signal ended it, or its time was over.
    pub code: Option<i32>,
    /// Whether its time was over.
    pub too_long: bool,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
}

impl Order {
    /// Writes one.
    pub fn write(&self, output: &mut impl Write) -> Result<()> {
        write(output, &json!({ "words": self.words, "limit_ms": self.limit_ms }))
    }

    /// Reads one; blocks until it is there.
    pub fn read(input: &mut impl Read) -> Result<Order> {
        let value = read(input)?;
        let words = value["words"].as_array().context("an order without words")?;
        Ok(Order {
            words: words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            limit_ms: value["limit_ms"].as_u64().context("an order without a limit")?,
        })
    }
}

impl Answer {
    /// Writes one.
    pub fn write(&self, output: &mut impl Write) -> Result<()> {
        let Answer { code, too_long, stdout, stderr } = self;
        write(output, &json!({ "code": code, "too_long": too_long, "stdout": stdout, "stderr": stderr }))
    }

    /// Reads one; blocks until it is there.
    pub fn read(input: &mut impl Read) -> Result<Answer> {
        let value = read(input)?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Ok(Answer {
            code: value["code"].as_i64().map(i32::try_from).transpose()?,
            too_long: value["too_long"] == true,
            stdout: text("stdout"),
            stderr: text("stderr"),
        })
    }

    /// How it ended, in words.
    pub fn ending(&self) -> String {
        match self.code {
            Some(code) => format!("exit status {code}"),
            None if self.too_long => "killed when its time was over".to_owned(),
            None => "ended by a signal".to_owned(),
        }
    }
}

fn write(output: &mut impl Write, value: &Value) -> Result<()> {
    let text = value.to_string();
    output.write_all(&u32::try_from(text.len())?.to_le_bytes())?;
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

fn read(input: &mut impl Read) -> Result<Value> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    ensure!(length <= LONGEST, "a message of {length} bytes");
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() -> Result<()> {
        let order = Order { words: vec!["sh".to_owned(), "-c".to_owned(), "a\0\n".to_owned()], limit_ms: 7 };
        let answer = Answer { code: None, too_long: true, stdout: "ä\n".to_owned(), stderr: String::new() };
        let mut bytes = Vec::new();
        order.write(&mut bytes)?;
        answer.write(&mut bytes)?;
        let mut input = bytes.as_slice();
        assert_eq!(Order::read(&mut input)?, order);
        assert_eq!(Answer::read(&mut input)?, answer);
        assert!(Answer::read(&mut input).is_err());
        Ok(())
    }

    #[test]
    fn a_message_that_cannot_be_is_refused() {
        assert!(Order::read(&mut [255; 8].as_slice()).is_err());
    }
}
