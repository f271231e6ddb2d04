//! SURW: selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025, sections 3 and 4).
//!
//! Of all operations only a few are *interesting*, those on one object, chosen anew for each execution. A profile says how
//! many of them each task does. Whose interesting operation comes next is drawn in advance, in proportion to how many
//! each task has left; the others' are held back meanwhile, and everything else runs as a random walk. If the profile is
//! right every interleaving of the interesting operations is as likely as any other.
//!
//! A task that has not been created is counted with its parent; when it is created it takes its share along.
//!
//! Deviations: objects are numbered in the order of first use, which depends on the schedule. So an object is known by the
//! places in the source that touch it, and what else is touched from there is interesting too. Tasks are known by their
//! place among their parent's children. A profile is an estimate: a task that has more interesting operations than it
//! counted is drawn as if it had one left; and whoever was drawn is drawn again when a task yields, when every enabled
//! task is held back, and after many points without an interesting operation.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Point, Random};
use crate::class::mix2;
use crate::op::{ObjectId, ObjectKind, Pending};
use crate::source::Source;
use crate::task::TaskId;
use crate::trace::{Event, Note};

/// After so many points without an interesting operation, whose is to come next is drawn again.
const PATIENCE: u32 = 1_000;

/// What one execution did to the objects that tasks share, in a form that does not depend on the schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Profile {
    /// The objects that at least two tasks touched.
    pub targets: Vec<Target>,
}

/// One object of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    /// The places that touched it, ascending.
    pub sites: Vec<u64>,
    /// How many operations at these places each task did, those of its descendants included, by ascending key of the task.
    pub counts: Vec<(u64, u32)>,
}

const MAIN_KEY: u64 = 0x6d61_696e;

fn child_key(parent: u64, nth: u32) -> u64 {
    mix2(parent, nth as u64)
}

/// A place in the source as a number. Places that share it by accident are taken for one.
fn site(source: Source) -> u64 {
    mix2((source.line() as u64) << 32 | source.column() as u64, source.file().len() as u64)
}

impl Profile {
    /// The profile of an execution.
    pub(crate) fn of(events: &[Event]) -> Profile {
        // By task: its key, its children so far, its parent. Tasks of which no spawn is noted have no key that a later
        // execution would know.
        let count = events.iter().map(|event| event.task.index() + 1).max().unwrap_or(1);
        let mut tasks: Vec<(u64, u32, Option<TaskId>)> =
            (0..count as u64).map(|nth| (nth, 0, None)).collect();
        tasks[0].0 = MAIN_KEY;
        for event in events {
            if let Note::Spawned(child) = event.note
                && child.index() < count
            {
                let parent = &mut tasks[event.task.index()];
                parent.1 += 1;
                tasks[child.index()] = (child_key(parent.0, parent.1), 0, Some(event.task));
            }
        }
        let mut touches: Vec<(ObjectId, TaskId, u64)> = events
            .iter()
            .filter(|event| !event.aside && event.op.kind.object_kind() != ObjectKind::Task)
            .map(|event| (event.op.object, event.task, site(event.source)))
            .collect();
        let by_site: Vec<(u64, TaskId)> = touches.iter().map(|&(_, task, site)| (site, task)).collect();
        touches.sort_unstable();
        touches.dedup();
        let mut targets = Vec::new();
        for touches in touches.chunk_by(|a, b| a.0 == b.0) {
            if touches.iter().all(|touch| touch.1 == touches[0].1) {
                continue;
            }
            let mut sites: Vec<u64> = touches.iter().map(|&(_, _, site)| site).collect();
            sites.sort_unstable();
            sites.dedup();
            let mut counts: Vec<(u64, u32)> = tasks.iter().map(|&(key, ..)| (key, 0)).collect();
            for &(site, task) in &by_site {
                if sites.binary_search(&site).is_ok() {
                    let line = core::iter::successors(Some(task), |task| tasks[task.index()].2);
                    line.for_each(|task| counts[task.index()].1 += 1);
                }
            }
            counts.sort_unstable();
            let target = Target { sites, counts };
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        Profile { targets }
    }
}

#[derive(Clone, Copy, Debug)]
struct Share {
    key: u64,
    children: u32,
    /// Interesting operations that are still to come, of this task and of those that it will create.
    left: u32,
}

/// SURW with its state.
#[derive(Clone, Debug)]
pub struct Surw {
    pub(super) random: Random,
    profile: Arc<Profile>,
    /// The chosen object, by its place in the profile.
    target: usize,
    /// By task.
    shares: Vec<Share>,
    /// Whose interesting operation comes next; if nobody's is due, none is held back.
    due: Option<TaskId>,
    /// Points since the last interesting operation.
    idle: u32,
}

impl Surw {
    /// SURW with this seed and profile.
    pub fn new(seed: u64, profile: Arc<Profile>) -> Surw {
        let random = Random::new(seed);
        let mut surw = Surw { random, profile, target: 0, shares: Vec::new(), due: None, idle: 0 };
        surw.reset(seed);
        surw
    }

    pub(super) fn reset(&mut self, seed: u64) {
        self.random = Random::new(seed);
        self.shares.clear();
        self.idle = 0;
        let count = self.profile.targets.len() as u32;
        self.target = if count > 1 { self.random.below(count) as usize } else { 0 };
        let left = self.counted(MAIN_KEY);
        self.shares.push(Share { key: MAIN_KEY, children: 0, left });
        self.due = (left > 0).then_some(TaskId::MAIN);
    }

    fn counted(&self, key: u64) -> u32 {
        let Some(target) = self.profile.targets.get(self.target) else { return 0 };
        target.counts.binary_search_by_key(&key, |count| count.0).map_or(0, |index| target.counts[index].1)
    }

    fn is_interesting(&self, pending: &Pending) -> bool {
        let (Some(target), Some(source)) = (self.profile.targets.get(self.target), pending.source) else {
            return false;
        };
        pending.op.kind.object_kind() != ObjectKind::Task && target.sites.binary_search(&site(source)).is_ok()
    }

    pub(super) fn spawned(&mut self, task: TaskId, parent: TaskId) {
        debug_assert_eq!(task.index(), self.shares.len());
        let share = &mut self.shares[parent.index()];
        share.children += 1;
        let key = child_key(share.key, share.children);
        let taken = self.counted(key);
        let left = &mut self.shares[parent.index()].left;
        *left = left.saturating_sub(taken);
        let both = *left as u64 + taken as u64;
        self.shares.push(Share { key, children: 0, left: taken });
        // What was drawn for the parent may have been the child's.
        if self.due == Some(parent) && both > 0 && self.random.below(both as u32) < taken {
            self.due = Some(task);
        }
    }

    pub(super) fn at(&mut self, point: &Point<'_>) -> TaskId {
        if point.last_ended {
            self.shares[point.last.index()].left = 0;
            if self.due == Some(point.last) {
                self.draw(point);
            }
        }
        self.idle += 1;
        if self.idle > PATIENCE {
            self.draw(point);
        }
        let mut free = self.free(point);
        if free == 0 {
            self.draw_enabled(point);
            free = self.free(point);
        }
        let nth = if free > 1 { self.random.below(free) } else { 0 };
        let mut tasks = point.enabled.iter().filter(|&task| self.is_free(point, task));
        let task = tasks.nth(nth as usize).expect("below the number of free tasks");
        if self.is_interesting(&point.pending[task.index()]) {
            let left = &mut self.shares[task.index()].left;
            *left = left.saturating_sub(1);
            self.draw_after(point, task);
        } else if point.pending[task.index()].op.kind.is_yield() {
            self.draw(point);
        }
        task
    }

    fn is_free(&self, point: &Point<'_>, task: TaskId) -> bool {
        self.due.is_none_or(|due| due == task) || !self.is_interesting(&point.pending[task.index()])
    }

    fn free(&self, point: &Point<'_>) -> u32 {
        point.enabled.iter().filter(|&task| self.is_free(point, task)).count() as u32
    }

    fn draw(&mut self, point: &Point<'_>) {
        self.draw_but(point, None);
    }

    /// The operation that `runs` has pending is about to take effect and does not count any more.
    fn draw_after(&mut self, point: &Point<'_>, runs: TaskId) {
        self.draw_but(point, Some(runs));
    }

    fn draw_but(&mut self, point: &Point<'_>, runs: Option<TaskId>) {
        self.idle = 0;
        let weight = |surw: &Surw, index: usize| {
            let (share, task) = (surw.shares[index], TaskId(index as u32));
            let waits = runs != Some(task) && point.enabled.contains(task);
            if share.left == 0 && waits && surw.is_interesting(&point.pending[index]) {
                1
            } else {
                share.left
            }
        };
        let total: u32 = (0..self.shares.len()).map(|index| weight(self, index)).sum();
        self.due = None;
        if total > 0 {
            let mut nth = self.random.below(total);
            for index in 0..self.shares.len() {
                let weight = weight(self, index);
                if nth < weight {
                    self.due = Some(TaskId(index as u32));
                    return;
                }
                nth -= weight;
            }
        }
    }

    /// Every enabled task is held back for one that is not enabled: one of them goes on, in proportion to what it has left.
    fn draw_enabled(&mut self, point: &Point<'_>) {
        let weight = |surw: &Surw, task: TaskId| surw.shares[task.index()].left.max(1);
        let total: u32 = point.enabled.iter().map(|task| weight(self, task)).sum();
        let mut nth = self.random.below(total);
        for task in point.enabled {
            let weight = weight(self, task);
            if nth < weight {
                self.due = Some(task);
                return;
            }
            nth -= weight;
        }
    }
}
