//! Lines, words, numbers and times of a text, whoever wrote it.

pub mod aligned;
pub mod bytes;
pub mod civil;
pub mod clock_line;
pub mod command_line;
pub mod cpu_list;
pub mod date_order;
pub mod date_words;
pub mod escapes;
pub mod html;
pub mod json_text;
pub mod json_token;
pub mod lines;
pub mod number;
pub mod prompt;
pub mod what;
pub mod words;
