//! What an execution that reached its limit of steps does for ever, if anything (docs/semantics.md, "Fairness and liveness").
//!
//! That an execution has no end cannot be seen; that it goes round can. It does if its last part is the same steps over and
//! over: equal tasks, operations, places and values, at least [`TIMES`] times and over a good share of the execution. What
//! an execution that goes round shows depends on its *cycle*:
//! - some task runs in it and does not yield: that task keeps the others from running, a good-samaritan violation;
//! - all that run yield, and all that are enabled run: a livelock;
//! - some enabled task does not run: the cycle is not fair, and says nothing.
//!
//! What a step changes that the trace does not show (what a lock guards, a message, a data cell) counts as different each time.
//!
//! Not seen: what tasks keep to themselves. A loop that counts to a million and yields in each round looks like a livelock if
//! `max_steps` ends it. Nor cycles in which values or objects differ each time.

use alloc::vec::Vec;
use core::ops::Range;

use crate::class::mix2;
use crate::finding::Bug;
use crate::op::OpKind;
use crate::source::Source;
use crate::task::{TaskId, TaskSet};
use crate::trace::Event;

/// How often a cycle has to be seen.
const TIMES: usize = 4;
/// One in so many of all operations has to belong to the part that goes round.
const SHARE: usize = 4;
/// And at least so many.
const LEAST: usize = 200;

/// Steps that are taken again and again: the first time from step `from` to step `to`, `to` not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Repeat {
    /// The first step of the first round.
    pub from: u32,
    /// The first step of the second round.
    pub to: u32,
}

impl Repeat {
    /// The step of the first round that a later step is like.
    pub(crate) fn origin(self, step: u32) -> u32 {
        self.from + (step - self.to) % (self.to - self.from)
    }
}

/// What an execution does for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cycle {
    /// The steps of the first two rounds.
    pub repeat: Repeat,
    /// How often it was seen.
    pub times: u32,
    /// The tasks that run in it, with the places of what each does in a round, those first that it came to first.
    pub tasks: Vec<(TaskId, Vec<Source>)>,
}

impl Cycle {
    /// The places of what a task does in a round, those first that it came to first: where its loop begins.
    pub fn places(&self, task: TaskId) -> &[Source] {
        self.tasks.iter().find(|(other, _)| *other == task).map_or(&[], |(_, places)| places)
    }

    /// Whether another cycle is the same loops.
    pub(crate) fn is_same_as(&self, other: &Cycle) -> bool {
        let places = |cycle: &Cycle| {
            let mut places: Vec<Source> = cycle.tasks.iter().flat_map(|(_, places)| places.clone()).collect();
            places.sort();
            places.dedup();
            places
        };
        places(self) == places(other)
    }
}

/// What the execution with these operations, which reached its limit of steps, does wrong for ever. `enabled_in`: the tasks that
/// were enabled at some of these steps; `pumped`: its cycle was repeated whatever that costs.
pub(crate) fn judge(
    events: &[Event],
    enabled_in: impl FnOnce(Range<u32>) -> TaskSet,
    pumped: bool,
) -> Option<Bug> {
    let (start, period) = period(events)?;
    let round = &events[start..start + period];
    let next = events.get(start + period)?;
    let repeat = Repeat { from: round.first()?.step, to: next.step };
    // Steps that look at the clock are not the same each time, if time passes.
    if repeat.from == repeat.to || round.iter().any(|event| event.op.kind == OpKind::Now) {
        return None;
    }
    let mut tasks: Vec<(TaskId, Vec<Source>)> = Vec::new();
    let mut yields = TaskSet::new();
    for event in round {
        if event.yields {
            yields.insert(event.task);
        }
        match tasks.iter_mut().find(|(task, _)| *task == event.task) {
            Some((_, places)) => places.push(event.source),
            None => tasks.push((event.task, alloc::vec![event.source])),
        }
    }
    // The head of a loop is run before its body.
    for (task, places) in &mut tasks {
        let first = |place: &Source| {
            events.iter().position(|event| event.task == *task && event.source.address() == place.address())
        };
        places.sort_by_cached_key(first);
        places.dedup();
    }
    tasks.sort();
    let times = ((events.len() - start) / period) as u32;
    let runs: TaskSet = tasks.iter().map(|(task, _)| *task).collect();
    let cycle = Cycle { repeat, times, tasks };
    if let Some(task) = runs.iter().find(|&task| !yields.contains(task)) {
        return Some(Bug::GoodSamaritan { task, cycle, pumped });
    }
    // The first round may have begun before anybody looked.
    let enabled = enabled_in(repeat.to..2 * repeat.to - repeat.from);
    enabled.iter().all(|task| runs.contains(task)).then_some(Bug::Livelock { cycle, pumped, after: None })
}

/// Where the part that goes round begins, and after how many operations it comes round.
fn period(events: &[Event]) -> Option<(usize, usize)> {
    // From the end, so that the repeated part is a prefix.
    let keys: Vec<u64> = events.iter().rev().map(key).collect();
    let borders = borders(&keys);
    let period = |length: usize| length - borders[length - 1];
    let enough = keys.len().div_ceil(SHARE).max(LEAST);
    let short = (enough..=keys.len()).find(|&length| length >= TIMES * period(length))?;
    let found = period(short);
    let longest = (short..=keys.len()).take_while(|&length| period(length) == found).last()?;
    Some((keys.len() - longest, found))
}

/// The length of the longest part that each prefix both begins and ends with, the prefix itself apart (Knuth, Morris, Pratt).
fn borders(keys: &[u64]) -> Vec<usize> {
    let mut borders = alloc::vec![0; keys.len()];
    let mut length = 0;
    for index in 1..keys.len() {
        while length > 0 && keys[index] != keys[length] {
            length = borders[length - 1];
        }
        if keys[index] == keys[length] {
            length += 1;
        }
        borders[index] = length;
    }
    borders
}

/// What must be equal in every round. What an operation that waits for time notes is the time.
fn key(event: &Event) -> u64 {
    let Event { task, op, source, note, aside, .. } = event;
    if event.hides {
        // What it changed is different each time, for all that is known.
        return mix2(!0, event.step as u64);
    }
    let place = source.address() as u64;
    let key = mix2(mix2(task.0 as u64 | (*aside as u64) << 32, op.fingerprint()), place);
    if op.kind.is_timed() { key } else { mix2(key, note.number()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{ObjectId, Op};
    use crate::trace::Note;
    use alloc::format;
    use core::panic::Location;

    const TASKS: [TaskId; 3] = [TaskId(0), TaskId(1), TaskId(2)];

    /// What comes of operations (task, object, whether it yields) while so many tasks are enabled.
    fn judged(events: &[Event], enabled: u32, pumped: bool) -> Option<Bug> {
        judge(events, |_| TASKS[..enabled as usize].iter().copied().collect(), pumped)
    }

    fn events(prefix: &[(u32, u32, bool)], round: &[(u32, u32, bool)], times: usize) -> Vec<Event> {
        let all = prefix.iter().chain((0..times).flat_map(|_| round));
        let event = |(step, &(task, object, yields)): (usize, &(u32, u32, bool))| {
            let op = Op::new(OpKind::Load, ObjectId(object));
            let event = Event::new(step as u32, TaskId(task), op, Location::caller().into());
            Event { yields, note: Note::Saw(format!("{object}")), ..event }
        };
        all.enumerate().map(event).collect()
    }

    #[test]
    fn a_cycle_in_which_all_run_and_yield_is_a_livelock() {
        let round = [(0, 1, false), (1, 2, true), (0, 3, true)];
        let Some(Bug::Livelock { cycle, pumped: false, .. }) =
            judged(&events(&[(0, 9, false), (1, 8, false)], &round, 77), 2, false)
        else {
            panic!("a livelock");
        };
        assert_eq!((cycle.repeat, cycle.times), (Repeat { from: 2, to: 5 }, 77));
        assert_eq!(cycle.repeat.origin(5), 2);
        assert_eq!(cycle.repeat.origin(10), 4);
        assert_eq!(judged(&events(&[], &round, 77), 3, false), None, "T2 is enabled and never runs");
        assert_eq!(judged(&events(&[], &round, 66), 2, false), None, "too few operations");
        let large: Vec<_> = (0..100).map(|n| (n % 2, n, true)).collect();
        assert!(judged(&events(&[], &large, 4), 2, false).is_some());
        assert_eq!(judged(&events(&[], &large, 3), 2, false), None, "too few rounds");
        let long: Vec<_> = (0..1000).map(|n| (0, n, true)).collect();
        assert_eq!(judged(&events(&long, &round, 77), 2, false), None, "too small a share");
    }

    #[test]
    fn a_task_that_runs_and_does_not_yield_is_no_good_samaritan() {
        let round = [(0, 1, true), (1, 2, false), (1, 3, false)];
        for enabled in 1..=3 {
            let bug = judged(&events(&[(2, 2, false)], &round, 90), enabled, true);
            assert!(matches!(bug, Some(Bug::GoodSamaritan { task: TaskId(1), pumped: true, .. })), "{bug:?}");
        }
    }

    #[test]
    fn what_differs_does_not_go_round() {
        let mut all = events(&[], &[(0, 1, true)], 400);
        assert!(judged(&all, 1, false).is_some());
        for (value, event) in all.iter_mut().enumerate() {
            event.note = Note::Saw(format!("{value}"));
        }
        assert_eq!(judged(&all, 1, false), None);
        assert_eq!(judged(&[], 1, false), None);
    }
}
