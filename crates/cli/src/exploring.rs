//! States are explored while somebody looks after that.

use std::sync::atomic::Ordering;
use std::time::Duration;

use caissa_model::Model;
use caissa_model::explicit::{self, Ended, Explored, Order, Rounds, Settings, Watched};
use caissa_search::Stopped;

use crate::attending::Attended;

/// Explores the states of a model. Returns also why it ended early, if it did.
pub fn explore(
    model: &Model,
    settings: &Settings,
    rounds: Option<Rounds>,
    time: Option<Duration>,
    quiet: bool,
) -> (Explored, Option<Stopped>) {
    let watched = Watched::default();
    let attended = Attended { stop: &watched.stop, time, interrupted: model.interrupted, quiet };
    let (explored, asked) = attended.during(&|elapsed| line(&watched, settings, elapsed), || match rounds {
        Some(rounds) => explicit::explore_rounds(&model.code, rounds, settings, &watched),
        None => explicit::explore(&model.code, settings, &watched),
    });
    let stopped = explored.ended.map(|ended| match ended {
        Ended::Memory => Stopped::Memory,
        Ended::States => Stopped::Executions,
        Ended::Asked => asked.unwrap_or(Stopped::Interrupted),
    });
    (explored, stopped)
}

/// How far it is.
fn line(watched: &Watched, settings: &Settings, elapsed: Duration) -> String {
    let states = watched.states.load(Ordering::Relaxed);
    let bound = match settings.order {
        Order::BreadthFirst | Order::DepthFirst => String::new(),
        _ => format!("bound {}, ", watched.bound.load(Ordering::Relaxed)),
    };
    let (rate, noun) = (states as f64 / elapsed.as_secs_f64(), if states == 1 { "state" } else { "states" });
    format!("caissa: {bound}{states} {noun}, {rate:.0} a second")
}
