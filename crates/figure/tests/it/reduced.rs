//! A frame that is narrower than its samples keeps their sum and their greatest value.

use heldup_figure::{Ask, answer, find};
use heldup_import::{Hints, read};
use heldup_model::{Capture, Frame};

/// `vmstat 1` of a quiet machine with one second of many context switches.
fn with_a_spike(seconds: usize) -> Capture {
    let mut text = String::from(
        "$ vmstat 1\n\
         procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
         r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
         7  0      0 23511332    576 964668   71  104  9049  5717  600 1740 43  7 47  2  0\n",
    );
    for second in 0..seconds {
        let switches = if second == seconds / 3 { 90_000 } else { 120 };
        text += &format!(
            " 1  0      0 23511332    576 964668    0    0    84     0   88 {switches}  1  0 99  1  0\n"
        );
    }
    read("vmstat.txt", text.as_bytes(), Hints::default()).expect("a listing").capture.expect("a capture")
}

/// Values times their time.
fn area(frame: &Frame) -> f64 {
    let secs = |at: usize| (frame.steps[at].until_ms - frame.steps[at].since_ms) as f64 / 1000.0;
    let mean = frame.series[0].mean.iter().enumerate();
    mean.filter_map(|(at, mean)| Some(mean.as_ref()? * secs(at))).sum()
}

#[test]
fn no_spike_and_no_area_is_lost() {
    let capture = with_a_spike(300);
    let figure = find("cpu.switches").expect("a figure");
    let frame = |steps| answer(figure, &capture, Ask { steps, by_minute: false });
    let (wide, narrow) = (frame(1000), frame(20));
    let ([wide], [narrow]) = (&wide[..], &narrow[..]) else { panic!("{} and {}", wide.len(), narrow.len()) };
    assert!(
        wide.steps.len() >= 300 && narrow.steps.len() <= 21,
        "{} {}",
        wide.steps.len(),
        narrow.steps.len()
    );
    assert_eq!(wide.series[0].summary, narrow.series[0].summary);
    let spikes = |frame: &Frame| {
        let greatest = frame.series[0].greatest.iter().flatten();
        greatest.filter(|value| **value > 80_000.0).count()
    };
    assert_eq!((spikes(wide), spikes(narrow)), (1, 1));
    let (wide, narrow) = (area(wide), area(narrow));
    assert!((wide - narrow).abs() < wide * 1e-6, "{wide} and {narrow}");
}
