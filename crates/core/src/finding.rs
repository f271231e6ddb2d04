//! How executions end, and what makes an ending a bug.

use alloc::string::String;
use alloc::vec::Vec;

use crate::execution::Execution;
use crate::guide::GuideSpec;
use crate::job::{AtCut, Choice};
use crate::liveness::{Cycle, Repeat};
use crate::op::{ObjectId, Op};
use crate::race::{DataAccess, Race};
use crate::source::Source;
use crate::task::TaskId;

/// How one execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// Every task has ended.
    Complete,
    /// Some task has not ended and none is enabled.
    Deadlock,
    /// The main task panicked.
    Panicked,
    /// The limit of steps was met.
    StepLimit,
    /// Every way on would have cost something.
    Cut,
    /// The guide discarded it.
    Pruned,
    /// The program itself did: it is none of those that are of interest (a model's `assume`).
    Discarded,
    /// The program did not follow the schedule as it did before.
    Diverged,
    /// The library was used in a way that it cannot control; the front end knows how.
    Misused,
    /// Two accesses of a data cell were ordered by nothing.
    Raced,
}

impl Ending {
    /// Whether the program was followed to an end of its own.
    pub fn is_whole(&self) -> bool {
        matches!(
            self,
            Ending::Complete | Ending::Deadlock | Ending::Panicked | Ending::StepLimit | Ending::Raced
        )
    }

    pub(crate) fn replays_whole_prefix(&self) -> bool {
        // A race may be looked for where it was not before.
        self.is_whole() && *self != Ending::Raced || *self == Ending::Cut
    }
}

/// One word for what went wrong.
pub type Word = &'static str;

/// A panic of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PanicNote {
    /// One word for what went wrong: `panic`, or what a model's task did.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::source::known_word"))]
    pub kind: Word,
    /// The task that panicked.
    pub task: TaskId,
    /// Its message.
    pub message: String,
    /// Where, as `file:line:column`.
    pub source: String,
    /// Steps taken before.
    pub step: u32,
    /// A join has passed it on as an `Err`.
    pub consumed: bool,
    /// It only passes on the panic of this task, which a join has handed out.
    pub passed_on: Option<TaskId>,
}

/// A failing execution, as the search learns of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Failure {
    /// Its choices.
    pub choices: Vec<Choice>,
    /// The guide that took the other steps.
    pub guide: GuideSpec,
    /// How it was finished, if it was cut.
    pub at_cut: AtCut,
    /// How it ended.
    pub ending: Ending,
    /// At which step.
    pub step: u32,
    /// The window of steps that was repeated in it, free of charge.
    pub repeat: Option<Repeat>,
}

/// A task that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blocked {
    /// The task.
    pub task: TaskId,
    /// What it waits to do.
    pub op: Op,
    /// Where.
    pub source: Source,
    /// The tasks that would have to act first, as far as that is known: holders of the lock, the task to join.
    pub waits_for: Vec<TaskId>,
    /// What else the front end knows of it, for reports.
    pub clause: Option<String>,
}

/// A bug in the program under test.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bug {
    /// A task panicked and nobody handled it.
    Panic {
        /// The panic that started it.
        panic: PanicNote,
        /// The panic that passed it on, where there is one.
        passed_on: Option<PanicNote>,
        /// Tasks left waiting when it ended.
        blocked: Vec<Blocked>,
    },
    /// No task can go on.
    Deadlock {
        /// Every task that has not ended.
        blocked: Vec<Blocked>,
        /// Tasks each of which waits for the next, and the last for the first; empty if there is no such cycle.
        cycle: Vec<TaskId>,
    },
    /// All tasks that can run do, again and again, and none gets any further.
    Livelock {
        /// What they do.
        cycle: Cycle,
        /// Its window was repeated, whatever that costs.
        pumped: bool,
        /// A panic before it that nobody has handled: what they wait for may have gone with its task.
        after: Option<PanicNote>,
    },
    /// A task runs for ever and does not yield.
    GoodSamaritan {
        /// The task.
        task: TaskId,
        /// What is done for ever.
        cycle: Cycle,
        /// Its window was repeated, whatever that costs.
        pumped: bool,
    },
    /// Two tasks accessed the same data, one of them wrote, and nothing orders the two.
    Race {
        /// The data cell.
        object: ObjectId,
        /// The access that came first in this execution.
        first: DataAccess,
        /// The one that came then.
        second: DataAccess,
        /// The first was still going on.
        overlaps: bool,
    },
}

impl Bug {
    /// One word for the kind of bug.
    pub fn kind(&self) -> &'static str {
        match self {
            Bug::Panic { panic, .. } => panic.kind,
            Bug::Deadlock { .. } => "deadlock",
            Bug::Livelock { .. } => "livelock",
            Bug::GoodSamaritan { .. } => "good-samaritan",
            Bug::Race { .. } => "race",
        }
    }

    /// Replaces every place that it names.
    pub fn map_sources(&mut self, map: &mut dyn FnMut(Source) -> Source) {
        match self {
            Bug::Panic { blocked, .. } | Bug::Deadlock { blocked, .. } => {
                blocked.iter_mut().for_each(|blocked| blocked.source = map(blocked.source));
            }
            Bug::Livelock { cycle, .. } | Bug::GoodSamaritan { cycle, .. } => {
                let places = cycle.tasks.iter_mut().flat_map(|(_, places)| places);
                places.for_each(|place| *place = map(*place));
            }
            Bug::Race { first, second, .. } => {
                first.source = map(first.source);
                second.source = map(second.source);
            }
        }
    }

    /// What the execution does for ever, if that is what is wrong.
    pub fn cycle(&self) -> Option<&Cycle> {
        match self {
            Bug::Livelock { cycle, .. } | Bug::GoodSamaritan { cycle, .. } => Some(cycle),
            Bug::Panic { .. } | Bug::Deadlock { .. } | Bug::Race { .. } => None,
        }
    }

    /// Whether two executions show the same bug: the same panic, a deadlock of the same operations, or a race of
    /// the same places in the source.
    pub fn is_same_as(&self, other: &Bug) -> bool {
        match (self, other) {
            (Bug::Panic { panic: a, .. }, Bug::Panic { panic: b, .. }) => {
                a.source == b.source && a.message == b.message
            }
            (Bug::Deadlock { blocked: a, .. }, Bug::Deadlock { blocked: b, .. }) => {
                let sites = |blocked: &[Blocked]| {
                    let mut sites: Vec<_> = blocked.iter().map(|b| (b.op.kind as u8, b.source)).collect();
                    sites.sort();
                    sites
                };
                sites(a) == sites(b)
            }
            (Bug::Livelock { cycle: a, .. }, Bug::Livelock { cycle: b, .. }) => a.is_same_as(b),
            (Bug::GoodSamaritan { task: t, cycle: a, .. }, Bug::GoodSamaritan { task: u, cycle: b, .. }) => {
                a.places(*t) == b.places(*u)
            }
            (Bug::Race { first: a, second: b, .. }, Bug::Race { first: c, second: d, .. }) => {
                DataAccess::same_places([*a, *b], [*c, *d])
            }
            _ => false,
        }
    }
}

/// Listens to executions and says what is wrong with one when it has ended.
pub trait Checker {
    /// The execution has ended. `waits_for` tells which tasks would have to act before a blocked one can go on.
    fn ended(&mut self, execution: &Execution, waits_for: &dyn Fn(TaskId) -> Vec<TaskId>) -> Option<Bug>;
}

/// Finds panics that nobody handled: those that leave the main closure and those of tasks that are never joined.
#[derive(Debug, Default)]
pub struct PanicChecker {
    /// Also report panics that were caught by a join.
    pub any: bool,
}

impl Checker for PanicChecker {
    fn ended(&mut self, execution: &Execution, waits_for: &dyn Fn(TaskId) -> Vec<TaskId>) -> Option<Bug> {
        let panics = execution.panics();
        match execution.ending() {
            Some(Ending::Complete | Ending::Deadlock | Ending::Panicked) => {}
            Some(Ending::StepLimit) if self.any => {}
            // A join might still have come.
            _ => return None,
        }
        let last = panics.iter().find(|note| self.any || !note.consumed)?;
        // A panic can have been passed on more than once; each task hands on that of a task it has joined.
        let before =
            |note: &PanicNote| note.passed_on.and_then(|task| panics.iter().find(|n| n.task == task));
        let origin = core::iter::successors(before(last), |&note| before(note)).take(panics.len()).last();
        let blocked = if execution.ending() == Some(&Ending::Deadlock) {
            blocked(execution, waits_for)
        } else {
            Vec::new()
        };
        Some(match origin {
            Some(origin) => Bug::Panic { panic: origin.clone(), passed_on: Some(last.clone()), blocked },
            None => Bug::Panic { panic: last.clone(), passed_on: None, blocked },
        })
    }
}

/// Finds executions in which no task can go on.
#[derive(Debug, Default)]
pub struct DeadlockChecker {
    /// Tasks that still wait when the main task has ended are no bug.
    pub allow_detached: bool,
}

impl Checker for DeadlockChecker {
    fn ended(&mut self, execution: &Execution, waits_for: &dyn Fn(TaskId) -> Vec<TaskId>) -> Option<Bug> {
        if execution.ending() != Some(&Ending::Deadlock)
            || (self.allow_detached && execution.has_ended(TaskId::MAIN))
        {
            return None;
        }
        let blocked = blocked(execution, waits_for);
        let cycle = cycle(&blocked);
        Some(Bug::Deadlock { blocked, cycle })
    }
}

/// Finds executions that go round for ever. It looks at traces: of an execution without one it says nothing.
#[derive(Debug, Default)]
pub struct LivenessChecker {
    /// Tasks that go round when the main task has ended are no bug.
    pub allow_detached: bool,
    /// The scheduler is not fair, but what goes round is known to be.
    pub known_fair: bool,
}

impl Checker for LivenessChecker {
    fn ended(&mut self, execution: &Execution, _waits_for: &dyn Fn(TaskId) -> Vec<TaskId>) -> Option<Bug> {
        let detached = self.allow_detached && execution.has_ended(TaskId::MAIN);
        if execution.ending() != Some(&Ending::StepLimit)
            || !(execution.is_fair() || self.known_fair)
            || detached
        {
            return None;
        }
        let recorder = execution.recorder()?;
        let enabled = |steps| recorder.enabled_in(steps);
        let mut bug = crate::liveness::judge(recorder.events(), enabled, execution.is_pumped())?;
        if let Bug::Livelock { after, .. } = &mut bug {
            if execution.has_timers() {
                // Its time may come.
                return None;
            }
            *after = execution.panics().iter().find(|note| !note.consumed).cloned();
        }
        Some(bug)
    }
}

/// Finds executions that a data race has ended.
#[derive(Debug, Default)]
pub struct RaceChecker;

impl Checker for RaceChecker {
    fn ended(&mut self, execution: &Execution, _: &dyn Fn(TaskId) -> Vec<TaskId>) -> Option<Bug> {
        let Race { object, first, second, overlaps } = *execution.race()?;
        Some(Bug::Race { object, first, second, overlaps })
    }
}

fn blocked(execution: &Execution, waits_for: &dyn Fn(TaskId) -> Vec<TaskId>) -> Vec<Blocked> {
    (0..execution.task_count())
        .map(TaskId)
        .filter(|&task| !execution.has_ended(task))
        .filter_map(|task| {
            let (op, source) = execution.pending(task);
            Some(Blocked { task, op, source: source?, waits_for: waits_for(task), clause: None })
        })
        .collect()
}

/// A cycle in the waits-for relation, starting from its lowest task. Tasks are in order.
fn cycle(blocked: &[Blocked]) -> Vec<TaskId> {
    let index = |task: &TaskId| blocked.binary_search_by_key(task, |blocked| blocked.task).ok();
    let waits: Vec<Vec<usize>> =
        blocked.iter().map(|blocked| blocked.waits_for.iter().filter_map(index).collect()).collect();
    let entangled = entangled(&waits);
    for start in (0..waits.len()).filter(|&task| entangled[task]) {
        // Depth first, meeting each task once.
        let mut path = alloc::vec![(start, 0)];
        let mut met = alloc::vec![false; waits.len()];
        while let Some((task, next)) = path.last_mut() {
            let Some(&other) = waits[*task].get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            if other == start {
                return path.iter().map(|&(task, _)| blocked[task].task).collect();
            }
            if entangled[other] && !core::mem::replace(&mut met[other], true) {
                path.push((other, 0));
            }
        }
    }
    Vec::new()
}

/// Which tasks may be part of a cycle: those left when all that wait for none of the others, or for which none waits, have been taken away, again and
/// again. There may be many tasks and few of these.
fn entangled(waits: &[Vec<usize>]) -> Vec<bool> {
    let mut awaited_by: Vec<Vec<usize>> = alloc::vec![Vec::new(); waits.len()];
    for (task, others) in waits.iter().enumerate() {
        others.iter().for_each(|&other| awaited_by[other].push(task));
    }
    let mut counts: Vec<[usize; 2]> =
        waits.iter().zip(&awaited_by).map(|(waits, awaited)| [waits.len(), awaited.len()]).collect();
    let mut left = alloc::vec![true; waits.len()];
    let mut free: Vec<usize> = (0..waits.len()).filter(|&task| counts[task].contains(&0)).collect();
    while let Some(task) = free.pop() {
        if !core::mem::replace(&mut left[task], false) {
            continue;
        }
        for (others, side) in [(&awaited_by[task], 0), (&waits[task], 1)] {
            for &other in others {
                counts[other][side] -= 1;
                if counts[other][side] == 0 {
                    free.push(other);
                }
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(waits: &[Vec<u32>]) -> Vec<Blocked> {
        let source = Source::Rust(core::panic::Location::caller());
        let one = |(task, waits): (usize, &Vec<u32>)| Blocked {
            // Tasks that have ended are not among them.
            task: TaskId(2 * task as u32),
            op: Op::new(crate::OpKind::Lock, crate::ObjectId(0)),
            source,
            waits_for: waits.iter().map(|&task| TaskId(task)).collect(),
            clause: None,
        };
        waits.iter().enumerate().map(one).collect()
    }

    /// Whether a task waits for another one in one step or many.
    fn leads_to(waits: &[Vec<u32>], from: u32, to: u32) -> bool {
        let (mut met, mut left) = (alloc::collections::BTreeSet::new(), alloc::vec![from]);
        while let Some(task) = left.pop() {
            for &other in waits.get(task as usize / 2).filter(|_| task % 2 == 0).into_iter().flatten() {
                if other == to {
                    return true;
                }
                if met.insert(other) {
                    left.push(other);
                }
            }
        }
        false
    }

    #[test]
    fn a_cycle_begins_with_the_lowest_task_on_one() {
        let mut seed = 0x1234_5678_u64;
        let mut below = |limit: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (seed >> 33) % limit
        };
        let (mut with, mut without) = (0, 0);
        for round in 0..2_000 {
            let count = 1 + below(8);
            let waits: Vec<Vec<u32>> =
                (0..count).map(|_| (0..below(3)).map(|_| below(2 * count) as u32).collect()).collect();
            let cycle = cycle(&blocked(&waits));
            let lowest = (0..count as u32).map(|task| 2 * task).find(|&task| leads_to(&waits, task, task));
            assert_eq!(cycle.first().map(|task| task.0), lowest, "round {round}: {waits:?}");
            for (at, task) in cycle.iter().enumerate() {
                let next = cycle[(at + 1) % cycle.len()];
                assert!(waits[task.index() / 2].contains(&next.0), "round {round}: {waits:?}");
            }
            *(if lowest.is_some() { &mut with } else { &mut without }) += 1;
        }
        assert!(with > 300 && without > 300, "{with} with a cycle, {without} without");
    }

    #[test]
    fn many_tasks_are_no_trouble() {
        // A long queue of tasks, each waiting for the next, behind two that wait for each other; and as many that wait for nobody.
        let count = 100_000;
        let mut waits: Vec<Vec<u32>> = (0..count)
            .map(|task| if task % 2 == 0 { alloc::vec![2 * (task + 2)] } else { Vec::new() })
            .collect();
        let last = waits.len() as u32;
        waits.push(alloc::vec![2 * (last + 1)]);
        waits.push(alloc::vec![2 * last]);
        assert_eq!(cycle(&blocked(&waits)), [TaskId(2 * last), TaskId(2 * last + 2)]);
    }
}
