//! Happens-before by memory orderings: what operations hand on and acquire, for finding data races (`race.rs`).
//!
//! Everything here is off unless [`Execution::set_clocks`] has said otherwise, and then costs a branch. Front ends that say nothing
//! more than [`Execution::touch`] get edges from every write of an object to what touches it later, and from reads to writes. Where
//! a type promises less they say [`Execution::touch_class`], and what it does promise by the functions here.
//!
//! Most executions synchronise far more often than they touch data. So what the common operations order is only noted until
//! somebody asks for the clocks ([`Execution::catch_up`]), which may be never; from then on they are kept up to date.

use super::{Execution, Source};
use crate::class::Access;
use crate::finding::Ending;
use crate::op::{MemoryOrder, ObjectId};
use crate::race::{DataAccess, Handed, Promoted, Race, Tag, Tags};
use crate::task::TaskId;

/// What an operation of a task orders.
#[derive(Clone, Copy, Debug)]
enum Edge {
    /// As a lock that is taken and given back.
    Touch(Access),
    Acquire(Access),
    Release(Access),
    Load(MemoryOrder),
    Store(MemoryOrder),
    Update(MemoryOrder),
    Fence(MemoryOrder),
    /// The next task is created.
    Spawn,
    /// The task whose number stands in the place of an object has ended.
    Join,
}

/// An operation whose edges are not in the clocks yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Later {
    edge: Edge,
    task: TaskId,
    object: u32,
}

impl Execution {
    /// Whether executions from the next one on are looked at for data races.
    pub fn set_clocks(&mut self, on: bool) {
        self.clocks_on = on;
    }

    /// Whether the execution is looked at for data races.
    #[inline(always)]
    pub fn has_clocks(&self) -> bool {
        self.clocks_on
    }

    /// Where accesses of data are scheduling points: everywhere, or at places with these numbers. Races of two such places are not
    /// reported.
    pub fn set_data_points(&mut self, everywhere: bool, places: &[u32]) {
        self.data_points = everywhere || !places.is_empty();
        self.clocks.promoted = Promoted::new(everywhere, places);
    }

    /// Whether an access of data there is a scheduling point.
    #[inline]
    pub fn has_data_point(&mut self, source: Source) -> bool {
        self.data_points && self.clocks.promoted.has_point(source)
    }

    /// A new object has nothing to hand on.
    #[inline(never)]
    pub(super) fn forget_handed(&mut self, object: usize) {
        match self.handed.get_mut(object) {
            Some(handed) => *handed = Handed::default(),
            None => self.handed.resize(object + 1, Handed::default()),
        }
    }

    /// The edges of a type that promises as much as a lock.
    #[inline]
    pub(super) fn touch_clock(&mut self, task: TaskId, object: usize, access: Access) {
        self.note_later(Edge::Touch(access), task, object);
    }

    /// A task has been created by another one.
    #[inline]
    pub(super) fn spawn_clock(&mut self, parent: TaskId) {
        self.note_later(Edge::Spawn, parent, 0);
    }

    /// Out of the way of executions without clocks.
    #[inline(never)]
    fn note_later(&mut self, edge: Edge, task: TaskId, object: usize) {
        self.note_atomic(edge, task, object);
    }

    /// As `note_later`; atomics have little else to do.
    #[inline]
    fn note_atomic(&mut self, edge: Edge, task: TaskId, object: usize) {
        if self.keeps_up {
            self.order(edge, task, object);
        } else {
            self.later.push(Later { edge, task, object: object as u32 });
        }
    }

    /// Brings the clocks up to date, where they stay.
    #[inline]
    fn catch_up(&mut self) {
        if !self.keeps_up {
            self.catch_up_now();
        }
    }

    #[cold]
    fn catch_up_now(&mut self) {
        self.keeps_up = true;
        for index in 0..self.later.len() {
            let Later { edge, task, object } = self.later[index];
            self.order(edge, task, object as usize);
        }
        self.later.clear();
    }

    #[inline(never)]
    fn order(&mut self, edge: Edge, task: TaskId, object: usize) {
        match edge {
            Edge::Touch(access) => self.touch_now(task, object, access),
            Edge::Acquire(access) => self.acquire_now(task, object, access),
            Edge::Release(access) => self.release_now(task, object, access),
            Edge::Load(order) => self.clocks.load(task, &self.handed[object], order),
            Edge::Store(order) => self.clocks.store(task, &mut self.handed[object], order),
            Edge::Update(order) => self.clocks.update(task, &mut self.handed[object], order),
            Edge::Fence(order) => self.clocks.fence(task, order),
            Edge::Spawn => self.clocks.add_task(Some(task)),
            Edge::Join => self.clocks.acquire_task(task, TaskId(object as u32)),
        }
    }

    fn touch_now(&mut self, task: TaskId, object: usize, access: Access) {
        let Handed { write, reads } = self.handed[object];
        self.clocks.acquire_all(task, write);
        if access == Access::Write {
            self.clocks.acquire_all(task, reads);
        }
        let tag = self.clocks.release(task);
        self.handed[object] = match access {
            Access::Write => Handed { write: self.clocks.only(tag), reads: Tags::NONE },
            Access::Read => Handed { write, reads: self.clocks.with(reads, tag) },
        };
    }

    /// The running task comes after what was released to the object; and after what was released to writers, if it is one.
    #[inline]
    pub fn acquire(&mut self, object: usize, access: Access) {
        if self.clocks_on {
            self.note_later(Edge::Acquire(access), self.current, object);
        }
    }

    fn acquire_now(&mut self, task: TaskId, object: usize, access: Access) {
        let Handed { write, reads } = self.handed[object];
        self.clocks.acquire_all(task, write);
        if access == Access::Write {
            self.clocks.acquire_all(task, reads);
        }
    }

    /// Who acquires the object from now on comes after the running task; only writers, if it is a reader.
    #[inline]
    pub fn release(&mut self, object: usize, access: Access) {
        if self.clocks_on {
            self.note_later(Edge::Release(access), self.current, object);
        }
    }

    fn release_now(&mut self, task: TaskId, object: usize, access: Access) {
        let tag = self.clocks.release(task);
        let handed = &mut self.handed[object];
        match access {
            Access::Write => *handed = Handed { write: self.clocks.only(tag), reads: Tags::NONE },
            Access::Read => handed.reads = self.clocks.with(handed.reads, tag),
        }
    }

    /// What the running task has done so far, for [`Execution::acquire_tag`] later.
    #[inline]
    pub fn release_tag(&mut self) -> Tag {
        if !self.clocks_on {
            return Tag::default();
        }
        self.catch_up();
        self.clocks.release(self.current)
    }

    /// The running task comes after what the tag stands for.
    #[inline]
    pub fn acquire_tag(&mut self, tag: Tag) {
        if self.clocks_on {
            self.catch_up();
            self.clocks.acquire(self.current, tag);
        }
    }

    /// The running task comes after everything that another one has done so far: it has seen its end.
    #[inline]
    pub fn acquire_task(&mut self, task: TaskId) {
        if self.clocks_on {
            self.note_later(Edge::Join, self.current, task.index());
        }
    }

    /// The running task reads an atomic.
    #[inline]
    pub fn order_load(&mut self, object: usize, order: MemoryOrder) {
        if self.clocks_on {
            self.note_atomic(Edge::Load(order), self.current, object);
        }
    }

    /// The running task writes an atomic.
    #[inline]
    pub fn order_store(&mut self, object: usize, order: MemoryOrder) {
        if self.clocks_on {
            self.note_atomic(Edge::Store(order), self.current, object);
        }
    }

    /// The running task reads and writes an atomic in one step.
    #[inline]
    pub fn order_update(&mut self, object: usize, order: MemoryOrder) {
        if self.clocks_on {
            self.note_atomic(Edge::Update(order), self.current, object);
        }
    }

    /// The running task executes a fence.
    #[inline]
    pub fn order_fence(&mut self, order: MemoryOrder) {
        if self.clocks_on {
            self.note_later(Edge::Fence(order), self.current, 0);
        }
    }

    /// The running task makes the token of another one available.
    #[inline]
    pub fn give_token(&mut self, owner: TaskId) {
        if self.clocks_on {
            self.catch_up();
            let tag = self.clocks.release(self.current);
            self.clocks.give_token(owner, tag);
        }
    }

    /// The running task takes its token.
    #[inline]
    pub fn take_token(&mut self) {
        if self.clocks_on {
            self.catch_up();
            self.clocks.take_token(self.current);
        }
    }

    /// What came up to this tag has woken a task.
    #[inline]
    pub fn give_wake(&mut self, woken: TaskId, tag: Tag) {
        if self.clocks_on {
            self.catch_up();
            self.clocks.give_wake(woken, tag);
        }
    }

    /// The running task goes on because it was woken.
    #[inline]
    pub fn take_wakes(&mut self) {
        if self.clocks_on {
            self.catch_up();
            self.clocks.take_wakes(self.current);
        }
    }

    /// The running task reads or writes a data cell. A race is for the front end to judge: either it is one, and
    /// [`Execution::end_by_race`] comes next, or something that is not seen here orders the two, and [`Execution::excuse_race`].
    #[inline]
    pub fn access(&mut self, object: usize, writes: bool, source: Source) -> Result<(), Race> {
        if !self.clocks_on {
            return Ok(());
        }
        self.catch_up();
        let second = DataAccess { task: self.current, writes, source, step: self.steps() };
        let object_id = ObjectId(object as u32);
        let race = |first| Race { object: object_id, first, second, overlaps: false };
        self.clocks.access(object, second).map_err(race)
    }

    /// The running task reads or writes atomically what may also be accessed otherwise. As [`Execution::access`].
    pub fn atomic_access(&mut self, object: usize, writes: bool, source: Source) -> Result<(), Race> {
        if !self.clocks_on {
            return Ok(());
        }
        self.catch_up();
        let second = DataAccess { task: self.current, writes, source, step: self.steps() };
        let object_id = ObjectId(object as u32);
        let race = |first| Race { object: object_id, first, second, overlaps: false };
        self.clocks.atomic_access(object, second).map_err(race)
    }

    /// A data cell has become two: what is remembered of `from` is remembered of `to` as well.
    pub fn copy_data(&mut self, from: usize, to: usize) {
        self.clocks.copy_shadow(from, to);
    }

    /// An access of a task that began before is over.
    #[inline]
    pub fn end_access(&mut self, object: usize, task: TaskId, writes: bool) {
        if self.clocks_on && self.ending.is_none() {
            self.catch_up();
            self.clocks.end_access(object, task, writes);
        }
    }

    /// The race of an access by the running task with one that is still going on, unless it is known.
    pub fn overlap(
        &mut self,
        object: usize,
        first: DataAccess,
        writes: bool,
        source: Source,
    ) -> Option<Race> {
        let second = DataAccess { task: self.current, writes, source, step: self.steps() };
        let race = Race { object: ObjectId(object as u32), first, second, overlaps: true };
        (!self.clocks.is_known(&first, &second)).then_some(race)
    }

    /// Something that is not seen here orders the two accesses.
    pub fn excuse_race(&mut self, race: &Race) {
        self.clocks.excuse(race.object.0 as usize, race.first.task);
    }

    /// The execution is over by this race.
    pub fn end_by_race(&mut self, race: Race) {
        if self.ending.is_none() {
            self.race = Some(race);
        }
        self.end(Ending::Raced);
    }

    /// An execution that has come to its end had this race, as it turns out.
    pub fn race_at_end(&mut self, race: Race) {
        if self.ending == Some(Ending::Complete) {
            self.race = Some(race);
            self.ending = Some(Ending::Raced);
        }
    }

    /// The race that ended the execution.
    pub fn race(&self) -> Option<&Race> {
        self.race.as_ref()
    }
}
