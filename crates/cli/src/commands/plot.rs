//! `heldup plot [SOURCE] [FIGURE...]`: figures in the terminal, as pictures, or as a page of all of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use heldup_engine::{Cancel, PlotRequest, figures, is_figure, plot};
use heldup_model::{Frame, Plotted};
use heldup_report::figure::cells::{CellLook, cells, legend};
use heldup_report::figure::palette::Theme;
use heldup_report::figure::png::png;
use heldup_report::figure::svg::{self, Look};
use heldup_report::figure::{file_name, listed};
use heldup_report::{TextOptions, answer_schema, harmless, html};
use jiff::tz::TimeZone;

use crate::arg_values::parse_duration;
use crate::args::{Format, LineArgs, MethodArgs, SpanArgs, with_page};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{self, Progress};

/// Width and height of a picture.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 300.0;
/// Figures that are printed where nobody says which.
const FIRST: [&str; 6] =
    ["time.classes", "cpu.states", "memory.use", "disk.latency", "net.throughput", "db.waits"];

/// Options of `plot`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("format", with_page))]
#[command(after_long_help = "\
Examples:
  sudo heldup plot                                the first figures of this machine, 10 s
  heldup plot sar.txt -o charts                   every figure of a file, as pictures and a page
  heldup plot disk --since 03:00 --until 04:00    the disks, as recorded
  heldup plot @last time.classes -o waits.svg     one figure as a picture
  heldup plot sar.txt -o charts --png             pictures as PNG
  heldup plot --list                              all figures, and the question that each answers

Without -o figures are drawn in the terminal. A file that ends in .svg or .png is one picture, in
.html one page that needs nothing else; a folder gets a picture of each figure and index.html.
Times are in the zone of this machine (TZ=UTC for another).")]
pub struct PlotArgs {
    /// Figures, areas (cpu, memory, disk, fs, net, groups, process, db, time), and what to read:
    /// @last, a capture, an archive, FILE... (default: this machine, now)
    #[arg(value_name = "SOURCE|FIGURE")]
    pub words: Vec<String>,
    /// Write to FILE.svg, FILE.png, FILE.html or a folder
    #[arg(short, long, value_name = "PLACE")]
    pub output: Option<PathBuf>,
    /// List the figures
    #[arg(long, conflicts_with_all = ["output", "words"])]
    pub list: bool,
    /// Window, from now or from --since (default 10s)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Replace names of people and machines by pseudonyms
    #[arg(long, hide_short_help = true)]
    pub redact: bool,
    /// Draw pictures on dark paper
    #[arg(long)]
    pub dark: bool,
    /// Write the pictures of a folder as PNG
    #[arg(long, requires = "output")]
    pub png: bool,
    /// How it is written in a terminal.
    #[command(flatten)]
    pub line: LineArgs,
}

/// Draws them.
pub fn run(args: &PlotArgs) -> anyhow::Result<Exit> {
    if args.list {
        print!("{}", listed(figures()));
        return Ok(Exit::DONE);
    }
    interrupt::acknowledge(interrupt::ANSWERS);
    let (figures, sources): (Vec<String>, Vec<String>) =
        args.words.iter().cloned().partition(|word| is_figure(word));
    let is_page = args.line.is_page(args.output.as_deref());
    let is_terminal = args.output.is_none() && args.line.format() == Format::Text && !is_page;
    let width = terminal::width();
    // Nobody said which: what there is of the first ones, else of all.
    let is_choice_ours = figures.is_empty() && is_terminal;
    let request = PlotRequest {
        sources,
        figures: if is_choice_ours { FIRST.iter().map(|id| (*id).to_owned()).collect() } else { figures },
        else_all: is_choice_ours,
        window: args.window,
        span: args.span.asked(),
        method: args.method.method.into(),
        steps: match (is_terminal, is_page) {
            (true, _) => width * 4,
            (_, true) => terminal::PAGE_STEPS,
            _ => (WIDTH / 2.0) as usize,
        },
        redact: args.redact,
    };
    let mut plotted = plot(&request, &Progress::default(), &Cancel::Signals)?;
    if is_choice_ours {
        plotted.without.clear();
    }
    let zone = TimeZone::system();
    match (&args.output, args.line.format()) {
        (file, _) if is_page => {
            let options = terminal::line_options(&args.line);
            terminal::write_page(&html::figures(&plotted, &options), file.as_deref())?;
        }
        (Some(place), _) => write(&plotted, place, args, &zone)?,
        (None, Format::Json) => print!("{}", answer_schema::json(&plotted)),
        (None, Format::Csv) => print!("{}", heldup_report::figure::csv(&plotted)),
        (None, Format::Text) => in_terminal(&plotted, args, width, &zone),
    }
    if plotted.figures.is_empty() {
        bail!(nothing(&plotted));
    }
    Ok(Exit::DONE)
}

fn nothing(plotted: &Plotted) -> String {
    match &plotted.without[..] {
        [] => format!("{}: no figure has numbers here", plotted.source),
        [only] => {
            format!("{}: no numbers for {}; supplied by: {}", plotted.source, only.id, only.supplied_by)
        }
        many => format!("{}: no numbers for any of {} figures", plotted.source, many.len()),
    }
}

fn in_terminal(plotted: &Plotted, args: &PlotArgs, width: usize, zone: &TimeZone) {
    let options = terminal::line_options(&args.line);
    let look = CellLook { width, color: options.color, ascii: options.ascii, zone };
    if let Some(first) = plotted.figures.first() {
        let window = heldup_report::figure::ticks::window(first, zone);
        println!("{}  {window}\n", harmless(&plotted.host));
    }
    plotted.figures.iter().for_each(|frame| print!("{}", cells(frame, &look)));
    print!("{}", legend(&look));
    for figure in &plotted.without {
        eprintln!("heldup: {}: not measured here; supplied by {}", figure.id, figure.supplied_by);
    }
}

/// Writes pictures: one, a page, or a folder of them.
fn write(plotted: &Plotted, place: &Path, args: &PlotArgs, zone: &TimeZone) -> anyhow::Result<()> {
    let theme = if args.dark { Theme::Dark } else { Theme::Light };
    let look = Look { width: WIDTH, height: HEIGHT, zone };
    let picture = |frame: &Frame, path: &Path| {
        let svg = svg::file(frame, &plotted.host, &look, theme);
        match path.extension().is_some_and(|extension| extension == "png") {
            true => {
                let pixels = png(&svg).map_err(|error| anyhow!("cannot draw {}: {error}", frame.id))?;
                to(path, &pixels)
            }
            false => to(path, svg.as_bytes()),
        }
    };
    match place.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => match &plotted.figures[..] {
            [] => Ok(()),
            [only] => picture(only, place),
            many => bail!(
                "{} is one picture, and {} are drawn: name one figure, a folder, or a file that ends in .html",
                place.display(),
                many.len()
            ),
        },
        _ => {
            std::fs::create_dir_all(place).with_context(|| format!("cannot make {}", place.display()))?;
            let ending = if args.png { "png" } else { "svg" };
            for frame in &plotted.figures {
                picture(frame, &place.join(format!("{}.{ending}", file_name(frame))))?;
            }
            let options = TextOptions { time_zone: zone.clone(), ..TextOptions::default() };
            to(&place.join("index.html"), html::figures(plotted, &options).as_bytes())?;
            eprintln!("{} pictures and index.html in {}", plotted.figures.len(), place.display());
            Ok(())
        }
    }
}

fn to(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
