//! Something is done while somebody shows how far it is, minds the time and hears interrupts.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use caissa_search::Stopped;

/// How often progress is shown: on a terminal, and else.
const EVERY: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// What to look after.
pub struct Attended<'a> {
    /// Asks what is done to stop.
    pub stop: &'a AtomicBool,
    /// The time that it has.
    pub time: Option<Duration>,
    /// Set by an interrupt.
    pub interrupted: Option<&'a AtomicBool>,
    /// Shows nothing.
    pub quiet: bool,
}

impl Attended<'_> {
    /// Does it. `line` says how far it is. Returns also why it was asked to stop, if it was.
    pub fn during<T>(
        &self,
        line: &(dyn Fn(Duration) -> String + Sync),
        work: impl FnOnce() -> T,
    ) -> (T, Option<Stopped>) {
        let (done, timed_out) = (AtomicBool::new(false), AtomicBool::new(false));
        let result = std::thread::scope(|scope| {
            let attendant = scope.spawn(|| self.attend(&done, &timed_out, line)).thread().clone();
            // Also if the work panics: somebody waits for the attendant.
            let _ends = Ends { done: &done, attendant };
            work()
        });
        let asked = self.stop.load(Ordering::Relaxed);
        let why = if timed_out.load(Ordering::Relaxed) { Stopped::Time } else { Stopped::Interrupted };
        (result, asked.then_some(why))
    }

    fn attend(&self, done: &AtomicBool, timed_out: &AtomicBool, line: &(dyn Fn(Duration) -> String + Sync)) {
        let (started, mut shown) = (Instant::now(), Instant::now());
        let terminal = std::io::stderr().is_terminal();
        while !done.load(Ordering::Acquire) {
            if self.time.is_some_and(|time| started.elapsed() >= time) {
                timed_out.store(true, Ordering::Relaxed);
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.stop.store(true, Ordering::Relaxed);
            }
            if !self.quiet && shown.elapsed() >= EVERY[!terminal as usize] {
                shown = Instant::now();
                let line = line(started.elapsed());
                say(&if terminal { format!("\r\x1b[2K{line}") } else { format!("{line}\n") });
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
        if terminal && !self.quiet {
            say("\r\x1b[2K");
        }
    }
}

/// Lets the attendant go when the work is done.
struct Ends<'a> {
    done: &'a AtomicBool,
    attendant: std::thread::Thread,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.attendant.unpark();
    }
}

/// Nobody may be there any more to read it, which is no reason to fail.
fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
