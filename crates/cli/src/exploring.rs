//! States are explored while somebody shows how far that is, minds the time and hears interrupts.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

use caissa_model::Model;
use caissa_model::explicit::{self, Ended, Explored, Order, Rounds, Settings, Watched};
use caissa_search::Stopped;

/// How often progress is shown: on a terminal, and else.
const EVERY: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// Explores the states of a model. Returns also why it ended early, if it did.
pub fn explore(
    model: &Model,
    settings: &Settings,
    rounds: Option<Rounds>,
    time: Option<Duration>,
    quiet: bool,
) -> (Explored, Option<Stopped>) {
    let watched = Watched::default();
    let (done, timed_out) = (AtomicBool::new(false), AtomicBool::new(false));
    let attendant = Attendant { model, settings, watched: &watched, time, quiet };
    let explored = std::thread::scope(|scope| {
        let attendant = attendant.start(scope, &done, &timed_out);
        let explored = match rounds {
            Some(rounds) => explicit::explore_rounds(&model.code, rounds, settings, &watched),
            None => explicit::explore(&model.code, settings, &watched),
        };
        done.store(true, Ordering::Release);
        attendant.unpark();
        explored
    });
    let stopped = explored.ended.map(|ended| match ended {
        Ended::Memory => Stopped::Memory,
        Ended::States => Stopped::Executions,
        Ended::Asked if timed_out.load(Ordering::Relaxed) => Stopped::Time,
        Ended::Asked => Stopped::Interrupted,
    });
    (explored, stopped)
}

/// Looks after an exploration.
#[derive(Clone, Copy)]
struct Attendant<'a> {
    model: &'a Model,
    settings: &'a Settings,
    watched: &'a Watched,
    time: Option<Duration>,
    quiet: bool,
}

impl<'a> Attendant<'a> {
    /// Begins to, until it is done.
    fn start<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        done: &'s AtomicBool,
        timed_out: &'s AtomicBool,
    ) -> std::thread::Thread
    where
        'a: 's,
    {
        let attends = move || {
            let (started, mut shown) = (Instant::now(), Instant::now());
            let terminal = std::io::stderr().is_terminal();
            while !done.load(Ordering::Acquire) {
                if self.time.is_some_and(|time| started.elapsed() >= time) {
                    timed_out.store(true, Ordering::Relaxed);
                    self.watched.stop.store(true, Ordering::Relaxed);
                }
                if self.model.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    self.watched.stop.store(true, Ordering::Relaxed);
                }
                if !self.quiet && shown.elapsed() >= EVERY[!terminal as usize] {
                    shown = Instant::now();
                    let line = self.line(started.elapsed());
                    say(&if terminal { format!("\r\x1b[2K{line}") } else { format!("{line}\n") });
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
            if terminal && !self.quiet {
                say("\r\x1b[2K");
            }
        };
        scope.spawn(attends).thread().clone()
    }

    /// How far it is.
    fn line(&self, elapsed: Duration) -> String {
        let states = self.watched.states.load(Ordering::Relaxed);
        let bound = match self.settings.order {
            Order::BreadthFirst | Order::DepthFirst => String::new(),
            _ => format!("bound {}, ", self.watched.bound.load(Ordering::Relaxed)),
        };
        let (rate, noun) =
            (states as f64 / elapsed.as_secs_f64(), if states == 1 { "state" } else { "states" });
        format!("caissa: {bound}{states} {noun}, {rate:.0} a second")
    }
}

/// Nobody may be there any more to read it, which is no reason to fail.
fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
