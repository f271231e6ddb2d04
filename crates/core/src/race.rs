//! Data races: two accesses of a data cell by different tasks, one of them a write, that nothing orders.
//!
//! What orders is happens-before by memory orderings, kept in vector clocks after FastTrack (Flanagan and Freund, PLDI 2009): each
//! task counts epochs, and knows for every other task up to which epoch it comes after it. A data cell keeps who wrote it last, in
//! which epoch, and who has read it since; an access is ordered after another if its task knows the other's epoch.
//!
//! Deviations: a release copies nothing. It leaves a [`Tag`]: the task, its epoch, and the *version* of what it knew then. Versions are
//! immutable and lie one after the other in memory that is given up with the execution; only an acquire that brings news makes one.
//! What an object hands on is a list of tags, since an atomic can carry those of several tasks (release sequences), and a lock
//! those of all who read.
//!
//! Not seen: that a cell is made; orders that come about outside our types, except those by the last owner of an `Arc`, which
//! the front end sees.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::class::mix2;
use crate::execution::Source;
use crate::op::{MemoryOrder, ObjectId};
use crate::task::TaskId;

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataAccess {
    /// Who.
    pub task: TaskId,
    /// Whether it writes.
    pub writes: bool,
    /// Where.
    pub source: Source,
    /// Steps taken before it.
    pub step: u32,
}

/// Two accesses of one data cell that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The cell.
    pub object: ObjectId,
    /// The access that came first in this execution.
    pub first: DataAccess,
    /// The one that came then.
    pub second: DataAccess,
    /// The first was still going on.
    pub overlaps: bool,
}

impl DataAccess {
    /// Whether two pairs of accesses stand at the same places in the source.
    pub fn same_places(pair: [DataAccess; 2], other: [DataAccess; 2]) -> bool {
        let places = |pair: [DataAccess; 2]| {
            let mut places = pair.map(|access| (access.source, access.writes));
            places.sort();
            places
        };
        places(pair) == places(other)
    }
}

/// The number of a place in the source, `file:line:column`, the same in every process.
pub fn place_number(place: &str) -> u32 {
    (place.bytes().fold(0x0070_6c61_6365, |hash, byte| mix2(hash, byte as u64)) >> 16) as u32
}

/// Where accesses of data are scheduling points: nowhere, at promoted places, or everywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promoted {
    everywhere: bool,
    /// Numbers of places.
    places: Vec<u32>,
    /// What is known of locations, by their address: numbers take a while to compute.
    known: BTreeMap<usize, bool>,
}

impl Promoted {
    pub(crate) fn new(everywhere: bool, places: &[u32]) -> Promoted {
        Promoted { everywhere, places: places.to_vec(), known: BTreeMap::new() }
    }

    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Whether an access there is a point.
    #[inline]
    pub(crate) fn has_point(&mut self, source: Source) -> bool {
        self.everywhere || self.is_promoted(source)
    }

    #[inline]
    fn is_promoted(&mut self, source: Source) -> bool {
        let places = &self.places;
        let address = core::ptr::from_ref(source) as usize;
        !places.is_empty()
            && *self
                .known
                .entry(address)
                .or_insert_with(|| places.contains(&place_number(&source.to_string())))
    }
}

/// What a release leaves for others to acquire: everything up to this epoch of the task, and what the task knew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    task: u32,
    /// 0 for a tag that says nothing.
    epoch: u32,
    version: Version,
}

/// Where a clock lies: its length, and then an epoch for each task.
type Version = u32;

/// The clock that knows nothing.
const NOTHING: Version = 0;

/// A list of tags, each of another task; lists share their tails and never change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tags(u32);

impl Tags {
    pub(crate) const NONE: Tags = Tags(0);
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    tag: Tag,
    rest: Tags,
}

/// What an object hands on to those who acquire it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handed {
    /// What a read comes after, and a write too.
    pub(crate) write: Tags,
    /// What only a write comes after.
    pub(crate) reads: Tags,
}

#[derive(Clone, Copy, Debug)]
struct TaskClock {
    /// Its present epoch, from 1.
    epoch: u32,
    /// What it knows of others.
    version: Version,
    /// A tag refers to the version, which must stay as it is.
    tagged: bool,
    /// What its last release fence left.
    fenced: Tags,
    /// What its relaxed loads have found, for an acquire fence.
    found: Tags,
    /// What the last of them found.
    found_last: Tags,
    /// What its token of park and unpark hands on.
    token: Tags,
    /// What those who have woken it hand on.
    wakes: Tags,
}

/// Something that was done in an epoch.
#[derive(Clone, Copy, Debug)]
struct Mark {
    task: TaskId,
    epoch: u32,
    source: Source,
    step: u32,
}

impl Mark {
    fn access(&self, writes: bool) -> DataAccess {
        DataAccess { task: self.task, writes, source: self.source, step: self.step }
    }
}

/// What is remembered of a data cell.
#[derive(Clone, Debug, Default)]
struct Shadow {
    /// The execution that it belongs to.
    execution: u64,
    write: Option<Mark>,
    /// The last read of each task since, unless another one comes after it.
    reads: Vec<Mark>,
}

/// The clocks of an execution, and what its data cells remember.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    execution: u64,
    versions: Vec<u32>,
    links: Vec<Link>,
    tasks: Vec<TaskClock>,
    /// By object.
    shadows: Vec<Shadow>,
    pub(crate) promoted: Promoted,
}

fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

impl Clocks {
    /// A new execution begins.
    pub(crate) fn reset(&mut self) {
        self.execution += 1;
        self.versions.clear();
        // The clock that knows nothing, and the end of every list.
        self.versions.push(0);
        self.links.clear();
        self.links.push(Link::default());
        self.tasks.clear();
    }

    /// A new task, the child of another one but for the main task.
    pub(crate) fn add_task(&mut self, parent: Option<TaskId>) {
        let task = TaskId(self.tasks.len() as u32);
        self.tasks.push(TaskClock {
            epoch: 1,
            version: NOTHING,
            tagged: true,
            fenced: Tags::NONE,
            found: Tags::NONE,
            found_last: Tags::NONE,
            token: Tags::NONE,
            wakes: Tags::NONE,
        });
        if let Some(parent) = parent {
            let tag = self.release(parent);
            self.acquire(task, tag);
        }
    }

    /// Up to which epoch of `other` a task comes after it.
    #[inline]
    fn known(&self, version: Version, other: u32) -> u32 {
        let length = self.versions[version as usize];
        if other < length { self.versions[(version + 1 + other) as usize] } else { 0 }
    }

    #[inline]
    fn knows(&self, task: TaskId, other: u32, epoch: u32) -> bool {
        other == task.0 || self.known(self.tasks[task.index()].version, other) >= epoch
    }

    /// What the task has done so far can be acquired by this; a new epoch begins.
    #[inline]
    pub(crate) fn release(&mut self, task: TaskId) -> Tag {
        let clock = &mut self.tasks[task.index()];
        let tag = Tag { task: task.0, epoch: clock.epoch, version: clock.version };
        clock.epoch += 1;
        clock.tagged = true;
        tag
    }

    /// The task comes after what the tag stands for.
    #[inline]
    pub(crate) fn acquire(&mut self, task: TaskId, tag: Tag) {
        if !self.knows(task, tag.task, tag.epoch) {
            self.join(task, tag);
        }
    }

    fn join(&mut self, task: TaskId, tag: Tag) {
        let length_of = |version: Version| self.versions[version as usize] as usize;
        let clock = self.tasks[task.index()];
        let (mine, theirs) = (clock.version as usize, tag.version as usize);
        let (own, other) = (length_of(clock.version), length_of(tag.version));
        let length = own.max(other).max(tag.task as usize + 1);
        let start = if !clock.tagged && own == length {
            // Nobody else refers to it.
            mine
        } else {
            let start = self.versions.len();
            self.versions.push(length as u32);
            self.versions.extend_from_within(mine + 1..mine + 1 + own);
            self.versions.resize(start + 1 + length, 0);
            start
        };
        for index in 0..other {
            let news = self.versions[theirs + 1 + index];
            let known = &mut self.versions[start + 1 + index];
            *known = (*known).max(news);
        }
        let known = &mut self.versions[start + 1 + tag.task as usize];
        *known = (*known).max(tag.epoch);
        let clock = &mut self.tasks[task.index()];
        clock.version = start as Version;
        clock.tagged = false;
    }

    /// The task comes after everything that another one has done so far.
    pub(crate) fn acquire_task(&mut self, task: TaskId, other: TaskId) {
        let tag = self.release(other);
        self.acquire(task, tag);
    }

    /// The task comes after what these stand for.
    #[inline]
    pub(crate) fn acquire_all(&mut self, task: TaskId, mut tags: Tags) {
        while tags != Tags::NONE {
            let Link { tag, rest } = self.links[tags.0 as usize];
            self.acquire(task, tag);
            tags = rest;
        }
    }

    /// The list of this tag alone.
    #[inline]
    pub(crate) fn only(&mut self, tag: Tag) -> Tags {
        self.link(tag, Tags::NONE)
    }

    #[inline]
    fn link(&mut self, tag: Tag, rest: Tags) -> Tags {
        self.links.push(Link { tag, rest });
        Tags(self.links.len() as u32 - 1)
    }

    /// The list with this tag in place of the same task's.
    pub(crate) fn with(&mut self, tags: Tags, tag: Tag) -> Tags {
        let rest = self.without(tags, tag.task);
        self.link(tag, rest)
    }

    fn without(&mut self, tags: Tags, task: u32) -> Tags {
        let mut at = tags;
        while at != Tags::NONE && self.links[at.0 as usize].tag.task != task {
            at = self.links[at.0 as usize].rest;
        }
        if at == Tags::NONE {
            return tags;
        }
        // What lies before it is linked anew.
        let mut rest = self.links[at.0 as usize].rest;
        let mut before = tags;
        while before != at {
            let link = self.links[before.0 as usize];
            rest = self.link(link.tag, rest);
            before = link.rest;
        }
        rest
    }

    /// All tags of both lists; of two of one task the later.
    fn merged(&mut self, mut tags: Tags, mut more: Tags) -> Tags {
        while more != Tags::NONE {
            let Link { tag, rest } = self.links[more.0 as usize];
            let mut at = tags;
            while at != Tags::NONE && self.links[at.0 as usize].tag.task != tag.task {
                at = self.links[at.0 as usize].rest;
            }
            if at == Tags::NONE || self.links[at.0 as usize].tag.epoch < tag.epoch {
                tags = self.with(tags, tag);
            }
            more = rest;
        }
        tags
    }

    // ---- atomics, by their orderings ----

    /// Reads an atomic.
    pub(crate) fn load(&mut self, task: TaskId, object: &Handed, order: MemoryOrder) {
        if acquires(order) {
            self.acquire_all(task, object.write);
            return;
        }
        let clock = self.tasks[task.index()];
        if clock.found_last != object.write {
            self.tasks[task.index()].found_last = object.write;
            let found = self.merged(clock.found, object.write);
            self.tasks[task.index()].found = found;
        }
    }

    /// Writes an atomic.
    pub(crate) fn store(&mut self, task: TaskId, object: &mut Handed, order: MemoryOrder) {
        object.write = if releases(order) {
            let tag = self.release(task);
            self.only(tag)
        } else {
            // A relaxed store hands on what the fence before it left.
            self.tasks[task.index()].fenced
        };
    }

    /// Reads and writes an atomic: whatever it handed on before, it hands on after (a release sequence).
    pub(crate) fn update(&mut self, task: TaskId, object: &mut Handed, order: MemoryOrder) {
        self.load(task, object, order);
        if releases(order) {
            let tag = self.release(task);
            // Having acquired all of it, this tag says everything.
            object.write = if acquires(order) { self.only(tag) } else { self.with(object.write, tag) };
        } else {
            let fenced = self.tasks[task.index()].fenced;
            object.write = self.merged(object.write, fenced);
        }
    }

    /// A fence.
    pub(crate) fn fence(&mut self, task: TaskId, order: MemoryOrder) {
        if acquires(order) {
            let found = self.tasks[task.index()].found;
            self.acquire_all(task, found);
            self.tasks[task.index()].found = Tags::NONE;
        }
        if releases(order) {
            let tag = self.release(task);
            let fenced = self.only(tag);
            self.tasks[task.index()].fenced = fenced;
        }
    }

    // ---- what belongs to a task ----

    /// A task's token hands this on.
    pub(crate) fn give_token(&mut self, owner: TaskId, tag: Tag) {
        let tags = self.with(self.tasks[owner.index()].token, tag);
        self.tasks[owner.index()].token = tags;
    }

    /// The task takes its token.
    pub(crate) fn take_token(&mut self, task: TaskId) {
        let token = core::mem::take(&mut self.tasks[task.index()].token);
        self.acquire_all(task, token);
    }

    /// Waking a task hands this on.
    pub(crate) fn give_wake(&mut self, woken: TaskId, tag: Tag) {
        let tags = self.with(self.tasks[woken.index()].wakes, tag);
        self.tasks[woken.index()].wakes = tags;
    }

    /// The task goes on because it was woken.
    pub(crate) fn take_wakes(&mut self, task: TaskId) {
        // They stay: one of several futures of the task may have been meant.
        let wakes = self.tasks[task.index()].wakes;
        self.acquire_all(task, wakes);
    }

    // ---- data ----

    fn shadow(&mut self, object: usize) -> &mut Shadow {
        if object >= self.shadows.len() {
            self.shadows.resize_with(object + 1, Shadow::default);
        }
        let shadow = &mut self.shadows[object];
        if shadow.execution != self.execution {
            shadow.execution = self.execution;
            shadow.write = None;
            shadow.reads.clear();
        }
        shadow
    }

    /// An access of a data cell. If another one is not ordered before it, that is returned, and nothing remembered. Two that are
    /// both at promoted places are known to race already.
    #[inline]
    pub(crate) fn access(&mut self, object: usize, access: DataAccess) -> Result<(), DataAccess> {
        let task = access.task;
        let TaskClock { epoch, version, .. } = self.tasks[task.index()];
        let shadow = self.shadow(object);
        match &shadow.write {
            // The last one was its own, and nobody has been there since.
            Some(last) if last.task == task && shadow.reads.is_empty() && access.writes => {
                shadow.write = Some(Mark { task, epoch, source: access.source, step: access.step });
                return Ok(());
            }
            _ => {}
        }
        let shadow = &self.shadows[object];
        let is_before = |mark: &Mark| mark.task == task || self.known(version, mark.task.0) >= mark.epoch;
        let reads = if access.writes { &shadow.reads[..] } else { &[] };
        let before =
            shadow.write.iter().map(|write| (write, true)).chain(reads.iter().map(|read| (read, false)));
        let mut unordered =
            before.filter(|(mark, _)| !is_before(mark)).map(|(mark, writes)| mark.access(writes));
        if let Some(first) = unordered.next() {
            let known: Vec<DataAccess> = core::iter::once(first).chain(unordered).collect();
            if let Some(race) = known.into_iter().find(|first| !self.is_known(first, &access)) {
                return Err(race);
            }
        }
        let shadow = &self.shadows[object];
        let is_before = |mark: &Mark| mark.task == task || self.known(version, mark.task.0) >= mark.epoch;
        let mark = Mark { task, epoch, source: access.source, step: access.step };
        if access.writes {
            let shadow = &mut self.shadows[object];
            shadow.reads.clear();
            shadow.write = Some(mark);
        } else if shadow.reads.iter().any(is_before) {
            let mut reads = core::mem::take(&mut self.shadows[object].reads);
            // Who comes after this one comes after those.
            reads.retain(|read| read.task != task && self.known(version, read.task.0) < read.epoch);
            reads.push(mark);
            self.shadows[object].reads = reads;
        } else {
            self.shadows[object].reads.push(mark);
        }
        Ok(())
    }

    /// Whether the race of two accesses has been found before.
    pub(crate) fn is_known(&mut self, first: &DataAccess, second: &DataAccess) -> bool {
        self.promoted.is_promoted(first.source) && self.promoted.is_promoted(second.source)
    }

    /// What a task began to do with a cell has lasted until now, whatever it has released in between.
    pub(crate) fn end_access(&mut self, object: usize, task: TaskId, writes: bool) {
        let epoch = self.tasks[task.index()].epoch;
        let shadow = self.shadow(object);
        let marks = if writes { shadow.write.as_mut_slice() } else { &mut shadow.reads[..] };
        for mark in marks.iter_mut().filter(|mark| mark.task == task) {
            mark.epoch = epoch;
        }
    }

    /// The access that a task has begun on a cell.
    pub(crate) fn last_access(&mut self, object: usize, task: TaskId, writes: bool) -> Option<DataAccess> {
        let shadow = self.shadow(object);
        let mark =
            if writes { shadow.write } else { shadow.reads.iter().copied().find(|mark| mark.task == task) };
        mark.filter(|mark| mark.task == task).map(|mark| mark.access(writes))
    }

    /// Something that is not seen has ordered the task after all that another one has done to a cell.
    pub(crate) fn excuse(&mut self, object: usize, task: TaskId, other: TaskId) {
        let shadow = self.shadow(object);
        let marks = shadow.write.iter().chain(&shadow.reads).filter(|mark| mark.task == other);
        let epoch = marks.map(|mark| mark.epoch).max().unwrap_or(0);
        self.acquire(task, Tag { task: other.0, epoch, version: NOTHING });
    }
}
