//! How far a long search is: one line that is written over on a terminal, lines elsewhere.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use caissa_search::{Mix, Progress, Pulse, Workers};

use crate::check::say;
use crate::report::count;

/// How often the line on a terminal changes, once there is one.
const REDRAWN_EVERY: Duration = Duration::from_millis(250);

/// Says now and then how far a search is.
pub(crate) struct ProgressLine {
    /// Zero is never.
    every: Duration,
    last: Instant,
    /// Executions that were run before these workers.
    before: u64,
    /// Executions of these workers when they were last looked at.
    executions: u64,
    /// A line stands on the terminal.
    drawn: bool,
    /// Writes the last line.
    writer: Option<JoinHandle<()>>,
    /// Executions of an earlier process.
    resumed: u64,
    /// The present bound, and when it began.
    bound: (Option<u32>, Instant),
    /// Where executions are added up with those of other checks.
    count: Option<Arc<AtomicU64>>,
}

impl ProgressLine {
    pub(crate) fn new(every: Duration, resumed: u64, count: Option<Arc<AtomicU64>>) -> ProgressLine {
        let now = Instant::now();
        ProgressLine {
            every,
            last: now,
            before: 0,
            executions: 0,
            drawn: false,
            writer: None,
            resumed,
            bound: (None, now),
            count,
        }
    }

    /// Adds up the executions of these workers.
    pub(crate) fn add_up(&mut self, pulses: &[Arc<Pulse>]) {
        let executions: u64 = pulses.iter().map(|pulse| pulse.executions()).sum();
        let known = self.before + self.executions;
        if executions < self.executions {
            // Workers were replaced.
            self.before += self.executions;
        }
        self.executions = executions;
        if let Some(count) = &self.count {
            count.fetch_add(self.before + self.executions - known, Ordering::Relaxed);
        }
    }

    pub(crate) fn show(&mut self, search: &Workers<Mix>, pulses: &[Arc<Pulse>], started: Instant) {
        self.add_up(pulses);
        if self.every.is_zero() {
            return;
        }
        let progress = search.search().progress();
        if progress.bound != self.bound.0 {
            self.bound = (progress.bound, Instant::now());
        }
        let due = if self.drawn { self.every.min(REDRAWN_EVERY) } else { self.every };
        if self.last.elapsed() < due || self.writer.as_ref().is_some_and(|writer| !writer.is_finished()) {
            return;
        }
        self.last = Instant::now();
        let line = line(
            progress,
            self.before + self.executions,
            self.resumed,
            started.elapsed(),
            self.bound.1.elapsed(),
        );
        self.drawn = std::io::stderr().is_terminal();
        // Back to the beginning of the line, and it is emptied.
        let text = if self.drawn { format!("\r\x1b[2K{line}") } else { format!("{line}\n") };
        // The caller or a task may have locked standard error. Whoever looks must not wait for that: budgets and the watch
        // depend on it.
        self.writer = std::thread::Builder::new().spawn(move || say(format_args!("{text}"))).ok();
    }
}

/// Takes the line away.
impl Drop for ProgressLine {
    fn drop(&mut self) {
        // A line that is being written is waited for, but not for long: who holds standard error may be the caller.
        let is_written = || self.writer.as_ref().is_none_or(|writer| writer.is_finished());
        let patience = Instant::now() + Duration::from_millis(50);
        while !is_written() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        if self.drawn && is_written() {
            say(format_args!("\r\x1b[2K"));
        }
    }
}

/// The words. `executions` were run here, in `elapsed`; the present bound has taken `in_bound` so far.
fn line(progress: Progress, executions: u64, resumed: u64, elapsed: Duration, in_bound: Duration) -> String {
    let per_second = executions as f64 / elapsed.as_secs_f64().max(1e-3);
    let mut line = "caissa: ".to_owned();
    if let Some(bound) = progress.bound {
        line.push_str(&format!("bound {bound}, "));
    }
    line.push_str(&format!("{}, {per_second:.0} a second", count(resumed + executions, "execution")));
    if let Some(done) = progress.share_done.filter(|&done| done > 0.0) {
        let left = in_bound.as_secs_f64() * (1.0 - done) / done;
        line.push_str(&format!(", about {:.0}% of this bound, {} left", done * 100.0, rough(left)));
    }
    line
}

fn rough(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6_000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3_600.0),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn it_says_executions_rate_bound_and_what_is_left() {
        let progress = Progress { bound: Some(2), share_done: Some(0.25), executions: 0, memory: 0 };
        let seconds = Duration::from_secs;
        assert_eq!(
            line(progress, 2_000, 500, seconds(4), seconds(2)),
            "caissa: bound 2, 2500 executions, 500 a second, about 25% of this bound, 6 s left"
        );
        let sampling = Progress { bound: None, share_done: None, ..progress };
        assert_eq!(line(sampling, 10, 0, seconds(1), seconds(1)), "caissa: 10 executions, 10 a second");
        assert_eq!([rough(600.0), rough(7_200.0)], ["10 min", "2 h"]);
    }
}
