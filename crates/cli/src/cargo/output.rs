//! What is shown of tests: a line for each, as Rust's own harness has it, and then what was found.

mod json;
mod phrases;
mod summary;

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::build::Binary;
use super::explore::{Case, Outcome, shortened};
use super::pool::Listener;
pub use phrases::count;

/// How often progress is shown: on a terminal, and else.
const EVERY: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(10)];

/// A line of more characters than these would not be one line on every terminal.
const WIDTH: usize = 76;

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line for each.
    Pretty,
    /// A character for each.
    Terse,
    /// An object for each.
    Json,
}

/// How things are shown.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Of results.
    pub format: Format,
    /// Whether they are coloured.
    pub colours: bool,
    /// Whether it is not said how far it is.
    pub quiet: bool,
}

/// Shows what comes of tests. What belongs to an executable is shown together: results that come early are kept back.
pub struct Output<'a> {
    cases: &'a [Case],
    binaries: &'a [Binary],
    style: Style,
    started: Instant,
    /// Executions of all tests.
    count: Arc<AtomicU64>,
    /// What came of each test, once that is known.
    pub outcomes: Vec<Option<Outcome>>,
    /// The executable that is shown, and how many of its tests have been.
    shown: (usize, usize),
    /// The next test of which there is an object.
    next_object: usize,
    done: usize,
    /// The tests that are explored now, those that began first in front.
    running: Vec<usize>,
    last: Instant,
    /// A line stands on the terminal.
    drawn: bool,
    terminal: bool,
    filtered: usize,
}

impl<'a> Output<'a> {
    /// Shows nothing yet. `filtered`: so many tests are not among the cases.
    pub fn new(
        cases: &'a [Case],
        binaries: &'a [Binary],
        style: Style,
        count: Arc<AtomicU64>,
        filtered: usize,
        started: Instant,
    ) -> Output<'a> {
        let mut output = Output {
            cases,
            binaries,
            style,
            started,
            count,
            outcomes: cases.iter().map(|_| None).collect(),
            shown: (0, 0),
            next_object: 0,
            done: 0,
            running: Vec::new(),
            last: Instant::now(),
            drawn: false,
            terminal: std::io::stderr().is_terminal(),
            filtered,
        };
        if cases.is_empty() && style.format != Format::Json {
            output.print("running 0 tests\n");
        }
        output.head();
        output
    }

    fn print(&mut self, text: &str) {
        self.clear();
        super::print(text);
    }

    fn clear(&mut self) {
        if self.drawn {
            self.drawn = false;
            let _ = std::io::stderr().write_all(b"\r\x1b[2K");
        }
    }

    /// Tests of an executable.
    fn tests_of(&self, binary: usize) -> usize {
        self.cases.iter().filter(|case| case.binary == binary).count()
    }

    /// Goes on to the next executable that has tests, if the present one is done, and says so.
    fn head(&mut self) {
        if self.style.format == Format::Json {
            return;
        }
        while self.shown.0 < self.binaries.len() && self.shown.1 == self.tests_of(self.shown.0) {
            if self.shown.1 > 0 {
                let end = if self.style.format == Format::Terse { "\n\n" } else { "\n" };
                self.print(end);
                self.shown = (self.shown.0 + 1, 0);
            } else {
                self.shown.0 += 1;
            }
            let tests = self.tests_of(self.shown.0);
            if tests > 0 {
                self.announce(tests);
                return;
            }
        }
        if self.shown == (0, 0) && self.tests_of(0) > 0 {
            self.announce(self.tests_of(0));
        }
    }

    fn announce(&mut self, tests: usize) {
        let binary = &self.binaries[self.shown.0];
        let (title, package) = (&binary.title, &binary.package);
        let heading = format!("running {} of {title} ({package})\n", phrases::count(tests as u64, "test"));
        self.print(&heading);
    }

    /// Shows what came of a test of the executable that is shown.
    fn show(&mut self, case: usize) {
        let outcome = self.outcomes[case].as_ref().expect("it has ended");
        let text = match self.style.format {
            Format::Terse => phrases::character(outcome, self.style.colours),
            _ => {
                let name = &self.cases[case].test.name;
                format!("test {name} ... {}\n", phrases::line(outcome, self.style.colours))
            }
        };
        self.print(&text);
        self.shown.1 += 1;
    }

    fn show_objects(&mut self) {
        while let Some(Some(outcome)) = self.outcomes.get(self.next_object) {
            let case = &self.cases[self.next_object];
            let object = json::object(case, &self.binaries[case.binary], outcome);
            self.print(&format!("{object}\n"));
            self.next_object += 1;
        }
    }
}

impl Listener for Output<'_> {
    fn begins(&mut self, case: usize) {
        self.running.push(case);
    }

    fn ended(&mut self, case: usize, outcome: Outcome) {
        self.outcomes[case] = Some(outcome);
        self.done += 1;
        self.running.retain(|&running| running != case);
        if self.style.format == Format::Json {
            return self.show_objects();
        }
        if self.cases[case].binary != self.shown.0 {
            return;
        }
        self.show(case);
        loop {
            let before = self.shown.0;
            self.head();
            if self.shown.0 == before {
                break;
            }
            // What has ended before its turn.
            for case in 0..self.cases.len() {
                if self.cases[case].binary == self.shown.0 && self.outcomes[case].is_some() {
                    self.show(case);
                }
            }
        }
    }

    fn look(&mut self) {
        if self.style.quiet
            || self.last.elapsed() < EVERY[!self.terminal as usize]
            || self.done == self.cases.len()
        {
            return;
        }
        self.last = Instant::now();
        let executions = self.count.load(Ordering::Relaxed);
        let rate = executions as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let names = self.running.iter().map(|&case| &*self.cases[case].test.name);
        let line = format!(
            "caissa: {} of {}, {}, {rate:.0} a second; now {}",
            self.done,
            phrases::count(self.cases.len() as u64, "test"),
            phrases::count(executions, "execution"),
            names.collect::<Vec<_>>().join(", "),
        );
        let line = shortened(&line, if self.terminal { WIDTH } else { 4 * WIDTH });
        let text = if self.terminal { format!("\r\x1b[2K{line}") } else { format!("{line}\n") };
        self.drawn = self.terminal;
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
