//! What is said of a program that does not follow a schedule.

use std::fmt;

use caissa_core::{Bug, Difference, Event, Failure};
use caissa_search::Replay;

use crate::words::Words;

/// How a program failed to follow its own schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    message: String,
}

/// The first steps that are alike, but not in what they saw or where they stand.
fn differing<'a>(first: &'a Replay, again: &'a Replay) -> Option<(&'a Event, &'a Event)> {
    let mut events = first.trace.events.iter().zip(&again.trace.events);
    events.find(|(a, b)| a.note != b.note)
}

impl Divergence {
    pub(crate) fn between(first: &Replay, again: &Replay, words: &dyn Words) -> Divergence {
        let events = first.trace.events.iter().zip(&again.trace.events);
        let step = events.clone().position(|(a, b)| (a.task, a.op) != (b.task, b.op));
        let what = match step.and_then(|step| first.trace.events.get(step).zip(again.trace.events.get(step)))
        {
            Some((a, b)) => format!(
                "at step {} it did `{} {}` at {} the first time and `{} {}` at {} the second time",
                a.step, a.task, a.op, a.source, b.task, b.op, b.source
            ),
            None if first.trace.schedule.steps == again.trace.schedule.steps => match differing(first, again)
            {
                Some((a, b)) => format!(
                    "at step {} `{} {}` at {} saw {:?} the first time and {:?} the second time",
                    a.step, a.task, a.op, a.source, a.note, b.note
                ),
                None => "it took the same steps, but used other objects or saw other values".to_owned(),
            },
            None => format!(
                "it took {} steps the first time and {} the second time",
                first.trace.schedule.steps, again.trace.schedule.steps
            ),
        };
        Divergence {
            message: format!(
                "the program was run twice under the same schedule and did not do the same: {what}. {}",
                remedy(words)
            ),
        }
    }

    pub(crate) fn on_the_way(step: u32, words: &dyn Words) -> Divergence {
        Divergence {
            message: format!(
                "the program did not follow a schedule as it had done before: it differed at step {step} at the latest. {}",
                remedy(words)
            ),
        }
    }

    pub(crate) fn unconfirmed(failure: &Failure, replay: &Replay, words: &dyn Words) -> Divergence {
        let now = replay.bug.as_ref().map_or("no bug", Bug::kind);
        Divergence {
            message: format!(
                "a failing execution ({:?} at step {}) was replayed and showed {now} ({:?} at step {}). {}",
                failure.ending,
                failure.step,
                replay.ending,
                replay.trace.schedule.steps,
                remedy(words)
            ),
        }
    }

    pub(crate) fn of_replay(difference: Difference, how: Option<String>, words: &dyn Words) -> Divergence {
        let Difference { same_until, differs_by } = difference;
        let place = if same_until == differs_by {
            format!("at step {differs_by}")
        } else {
            format!("between steps {same_until} and {differs_by}")
        };
        let how = how.map_or_else(
            || format!("A trace file ({}) given to replay would also say how.", words.trace_file()),
            |how| how + ".",
        );
        Divergence {
            message: format!(
                "the program does not follow this schedule: it differs {place}. It has changed since the schedule was made, \
                 or the schedule is another program's. {how} Search again to get a schedule for the program as it is now"
            ),
        }
    }
}

fn remedy(words: &dyn Words) -> String {
    format!("Look for {}", words.what_can_differ())
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
