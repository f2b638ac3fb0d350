//! The terminal: taken at the start, given back however it ends.

use std::io::{self, Stdout, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use heldup_engine::{EngineError, Progress, Step, ViewRequest, Viewer};
use heldup_hostfs::{Interrupts, realtime_ms, stop_to_background};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};

use crate::app::{App, Then};
use crate::draw::draw;
use crate::keys::action;
use crate::paint::Look;
use crate::worker::{Ask, Told, Worker};

/// How often the clock of a machine that runs is drawn anew.
const TICK: Duration = Duration::from_secs(1);

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    /// The terminal did not do what it was asked.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
    /// What was asked for cannot be shown.
    #[error("{}", .0.whole())]
    Engine(#[from] EngineError),
    /// Signals cannot be waited for.
    #[error(transparent)]
    Host(#[from] heldup_hostfs::HostError),
}

/// What wakes the view.
enum Message {
    Terminal(Event),
    Told(Told),
    /// Nobody types any more.
    NoInput,
}

/// Shows a machine until somebody ends it.
pub fn run(request: &ViewRequest, look: Look, progress: &dyn Progress) -> Result<(), TopError> {
    let notes = Notes { progress, first: Mutex::new(None) };
    let viewer = Viewer::open(request, &notes)?;
    let zone = viewer.zone().cloned().unwrap_or_else(TimeZone::system);
    let mut app = App::new(viewer.name().map(str::to_owned), viewer.is_live(), zone, realtime_ms());
    app.said = notes.first.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first = viewer.first().ok();
    app.span = first;
    let interrupts = Interrupts::watch_with_hangup()?;
    let (send, messages) = channel();
    let told = send.clone();
    let worker = Worker::start(viewer, move |answer| told.send(Message::Told(answer)).is_ok())?;
    let mut screen = Screen::take()?;
    app.resized(screen.terminal.size()?.width as usize);
    app.first_asks(first).into_iter().for_each(|ask| worker.ask(ask));
    read_keys(send)?;
    let done = show(&mut app, look, &mut screen, &worker, &messages, &interrupts);
    screen.give_back();
    done
}

/// The first note is shown; all are told where the view does not come up.
struct Notes<'p> {
    progress: &'p dyn Progress,
    first: Mutex<Option<String>>,
}

impl Progress for Notes<'_> {
    fn step(&self, step: Step<'_>) {
        self.progress.step(step);
    }

    fn note(&self, text: &str) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| text.to_owned());
    }
}

fn show(
    app: &mut App,
    look: Look,
    screen: &mut Screen,
    worker: &Worker,
    messages: &Receiver<Message>,
    interrupts: &Interrupts,
) -> Result<(), TopError> {
    let mut has_news = true;
    loop {
        app.now_ms = realtime_ms();
        // Of a recording nothing changes by itself.
        if has_news || app.live {
            screen.terminal.draw(|frame| draw(app, look, frame))?;
        }
        let mut asks: Vec<Ask> = Vec::new();
        let mut next = match messages.recv_timeout(TICK) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        has_news = next.is_some();
        // What came together is drawn once.
        while let Some(message) = next {
            match message {
                Message::NoInput => return Ok(()),
                Message::Told(told) => asks.extend(app.tell(told)),
                Message::Terminal(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    let (then, more) = pressed(app, key);
                    asks.extend(more);
                    match then {
                        Then::Nothing => {}
                        Then::Quit => return Ok(()),
                        Then::Suspend => screen.suspended()?,
                    }
                }
                Message::Terminal(Event::Resize(columns, _)) => asks.extend(app.resized(columns as usize)),
                Message::Terminal(_) => {}
            }
            next = messages.try_recv().ok();
        }
        if interrupts.stopped() {
            return Ok(());
        }
        asks.into_iter().for_each(|ask| worker.ask(ask));
    }
}

/// A key, to the line that is typed or to the view.
fn pressed(app: &mut App, key: KeyEvent) -> (Then, Vec<Ask>) {
    let Some((_, line)) = &mut app.typed else {
        return match action(key) {
            Some(action) => app.act(action),
            None => (Then::Nothing, Vec::new()),
        };
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let mut asks = Vec::new();
    match key.code {
        KeyCode::Enter => asks = app.entered(),
        KeyCode::Esc => app.leave_line(),
        KeyCode::Char('c') if control => app.leave_line(),
        KeyCode::Char('u') if control => line.clear(),
        KeyCode::Char('w') if control => line.back_word(),
        KeyCode::Char('a') if control => line.start(),
        KeyCode::Char('e') if control => line.end(),
        KeyCode::Char(_) if control => {}
        KeyCode::Char(c) => line.put(c),
        KeyCode::Backspace => line.back(),
        KeyCode::Delete => line.delete(),
        KeyCode::Up => app.query_of_before(-1),
        KeyCode::Down => app.query_of_before(1),
        KeyCode::Left => line.go(-1),
        KeyCode::Right => line.go(1),
        KeyCode::Home => line.start(),
        KeyCode::End => line.end(),
        _ => {}
    }
    app.while_typing();
    (Then::Nothing, asks)
}

/// Reads keys in a thread, which ends with the program.
fn read_keys(send: Sender<Message>) -> io::Result<()> {
    let read = move || {
        loop {
            let message = match event::read() {
                Ok(event) => Message::Terminal(event),
                Err(_) => Message::NoInput,
            };
            let is_last = matches!(message, Message::NoInput);
            if send.send(message).is_err() || is_last {
                return;
            }
        }
    };
    std::thread::Builder::new().name("keys".to_owned()).spawn(read).map(drop)
}

/// The terminal while it is ours.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn take() -> io::Result<Screen> {
        enter()?;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
        let terminal = Terminal::new(CrosstermBackend::new(stdout())).inspect_err(|_| leave())?;
        Ok(Screen { terminal })
    }

    /// To the background, and back when somebody fetches it.
    fn suspended(&mut self) -> io::Result<()> {
        leave();
        stop_to_background();
        enter()?;
        // `clear` would ask the terminal where its cursor is, and the thread that reads keys would get the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    fn give_back(self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, cursor::Hide)
}

fn leave() {
    // Who has no terminal any more has nothing to put in order.
    let _ = execute!(stdout(), cursor::Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
