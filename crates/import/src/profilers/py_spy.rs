//! Threads of Python as `py-spy dump` prints them. Each dump is a sample.
//!
//! py-spy tells idle threads by the system; what they wait for is told by the functions of Python's library that they are in.

use heldup_model::Class;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::thread_rows::{DumpedThread, ToldWait};

const NAME: &str = "py-spy";

/// Functions of the library, their files, and what a thread waits for in them.
const WAITS: [(&str, &str, Class); 16] = [
    ("acquire", "threading.py", Class::LockUser),
    ("__enter__", "threading.py", Class::LockUser),
    ("_wait_for_tstate_lock", "threading.py", Class::Park),
    ("join", "threading.py", Class::Park),
    ("wait", "threading.py", Class::Park),
    ("get", "queue.py", Class::Park),
    ("put", "queue.py", Class::Park),
    ("_worker", "thread.py", Class::Park),
    ("select", "selectors.py", Class::Poll),
    ("poll", "connection.py", Class::Poll),
    ("accept", "socket.py", Class::Accept),
    ("readinto", "socket.py", Class::Read),
    ("recv_into", "ssl.py", Class::Read),
    ("read", "ssl.py", Class::Read),
    ("_recv", "connection.py", Class::Read),
    ("_try_wait", "subprocess.py", Class::Child),
];

/// Reads dumps of py-spy.
#[derive(Default)]
pub struct PySpy {
    open: Option<(DumpedThread, bool)>,
    threads: Vec<DumpedThread>,
    is_dump: bool,
    dumps: u64,
    last_line: u64,
}

impl Importer for PySpy {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_title = line.text.starts_with("Python v")
            && line.words.len() >= 3
            && line.words[2].starts_with(['(', '/']);
        let head = head(line.text);
        if !is_title && head.is_none() {
            return Ok(false);
        }
        if is_title {
            self.end_dump(document)?;
        }
        if !self.is_dump && self.dumps == 0 {
            document.begin(NAME);
        }
        self.is_dump = true;
        self.end_open();
        self.open = head;
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !self.is_dump {
            return Ok(false);
        }
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some((thread, _)) = self.open.as_mut().filter(|_| line.number <= self.last_line + 40) else {
            return Ok(false);
        };
        let text = line.text.trim();
        let is_frame = line.text.starts_with("    ") && text.ends_with(')') && text.contains(" (");
        if is_frame {
            thread.functions.push(text.to_owned());
            self.last_line = line.number;
        }
        // Local variables (`-l`) stand below a frame.
        Ok(is_frame || line.text.starts_with("        ") || text == "Arguments:" || text == "Locals:")
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_dump(document)
    }
}

impl PySpy {
    fn end_open(&mut self) {
        let Some((mut thread, is_idle)) = self.open.take() else { return };
        if thread.functions.is_empty() {
            return;
        }
        thread.told = is_idle.then(|| told(&thread.functions));
        // Without the line, of which there may be many in one function.
        for function in &mut thread.functions {
            if let Some((name, _)) = function.rsplit_once(':') {
                *function = format!("{name})");
            }
        }
        self.threads.push(thread);
    }

    fn end_dump(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_open();
        if self.threads.is_empty() {
            return Ok(());
        }
        let when = document.moment(NAME);
        for (at, thread) in std::mem::take(&mut self.threads).iter().enumerate() {
            thread.write(when, &format!("{} {at}", self.dumps), document);
        }
        self.dumps += 1;
        document.end_sample(NAME)
    }
}

/// `Thread 25585 (active+gil): "MainThread"`, `Thread 0x7F8E6F7FE700 (idle)`; whether it is idle.
fn head(text: &str) -> Option<(DumpedThread, bool)> {
    let rest = text.trim_end().strip_prefix("Thread ")?;
    let (id, rest) = rest.split_once(" (")?;
    let (state, rest) = rest.split_once(')')?;
    let is_idle = match state {
        "idle" | "idle+gil" => true,
        "active" | "active+gil" => false,
        _ => return None,
    };
    let tid = match id.strip_prefix("0x") {
        // An address is no number of a thread.
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(None)?,
        None => Some(id.parse().ok()?),
    };
    let name = match rest.strip_prefix(": \"") {
        Some(name) => name.trim_end_matches('"'),
        None if rest.is_empty() => "",
        None => return None,
    };
    Some((
        DumpedThread { tid, name: name.to_owned(), program: "python", threads: 1, ..DumpedThread::default() },
        is_idle,
    ))
}

/// What an idle thread waits for, and the function outside of the library that made it wait.
fn told(functions: &[String]) -> ToldWait {
    let parts = |function: &str| {
        let (name, place) = function.rsplit_once(" (").unwrap_or((function, ""));
        let file = place.split(':').next().unwrap_or("");
        (name.to_owned(), file.rsplit('/').next().unwrap_or("").to_owned())
    };
    let mut class = Class::Unknown;
    let mut asker = None;
    for function in functions.iter().take(8) {
        let (name, file) = parts(function);
        // Since Python 3.11 the class stands before the method.
        let bare = name.rsplit('.').next().unwrap_or(&name);
        match WAITS.iter().find(|(known, at, _)| *known == bare && *at == file) {
            Some((.., found)) if class == Class::Unknown || *found == Class::LockUser => class = *found,
            Some(_) => {}
            None => {
                asker = Some(name);
                break;
            }
        }
    }
    ToldWait { class_name: class.name(), lock: None, holder: None, asker }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let read = |text: &str| head(text).map(|(thread, is_idle)| (thread.tid, thread.name, is_idle));
        assert_eq!(
            read("Thread 25585 (active+gil): \"MainThread\""),
            Some((Some(25585), "MainThread".to_owned(), false))
        );
        assert_eq!(
            read("Thread 0x7F8E6F7FE700 (idle): \"Thread-1 (a)\""),
            Some((None, "Thread-1 (a)".to_owned(), true))
        );
        assert_eq!(read("Thread 7 (idle)"), Some((Some(7), String::new(), true)));
        for text in [
            "Thread 2 (Thread 0x7f (LWP 4712)):",
            "Thread 7 (busy): \"a\"",
            "Thread x (idle)",
            "Thread 7 (idle) is",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn waits() {
        let class = |functions: &[&str]| {
            let told = told(&functions.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            (told.class_name, told.asker.unwrap_or_default())
        };
        assert_eq!(
            class(&["wait (threading.py:300)", "get (queue.py:170)", "run (a.py:8)"]),
            ("park", "run".to_owned())
        );
        assert_eq!(class(&["acquire (threading.py:9)", "save (a/b.py:8)"]), ("lock_user", "save".to_owned()));
        assert_eq!(
            class(&["readinto (socket.py:586)", "begin (http/client.py:297)"]),
            ("read", "begin".to_owned())
        );
        assert_eq!(
            class(&["socket.accept (socket.py:294)", "serve (app.py:15)"]),
            ("accept", "serve".to_owned())
        );
        assert_eq!(class(&["main (a.py:1)"]), ("unknown", "main".to_owned()));
    }
}
