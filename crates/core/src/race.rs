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

mod atomics;
mod data;

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::class::mix2;
use crate::op::ObjectId;
use crate::source::Source;
use crate::task::TaskId;

pub(crate) use data::Promoted;
use data::Shadow;

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// The number of a place: of one that has a name that of its name, of code its own.
pub(crate) fn source_number(source: Source) -> u32 {
    match source {
        Source::Code(code) => code_number(code.address),
        Source::Rust(_) | Source::File(_) => place_number(&source.to_string()),
    }
}

/// The number of an instruction, within a process.
pub fn code_number(address: u64) -> u32 {
    (mix2(0x636f_6465, address) >> 16) as u32
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
            for index in 0..other {
                let news = self.versions[theirs + 1 + index];
                let known = &mut self.versions[mine + 1 + index];
                *known = (*known).max(news);
            }
            mine
        } else {
            let start = self.versions.len();
            self.versions.reserve(1 + length);
            self.versions.push(length as u32);
            // Too few numbers for anything but one after the other to pay.
            for index in 0..length {
                let known = if index < own { self.versions[mine + 1 + index] } else { 0 };
                let news = if index < other { self.versions[theirs + 1 + index] } else { 0 };
                self.versions.push(known.max(news));
            }
            start
        };
        let known = &mut self.versions[start + 1 + tag.task as usize];
        *known = (*known).max(tag.epoch);
        let clock = &mut self.tasks[task.index()];
        clock.version =
            Version::try_from(start).expect("the clocks of an execution lie within four billion numbers");
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
        let index = self.links.len();
        // Field by field, which processors can forward to who reads it soon.
        self.links.push(Link::default());
        let link = &mut self.links[index];
        link.tag.task = tag.task;
        link.tag.epoch = tag.epoch;
        link.tag.version = tag.version;
        link.rest = rest;
        Tags(index as u32)
    }

    /// The list with this tag added, and without what it says already: what its task has released before, and what that knew.
    pub(crate) fn with(&mut self, tags: Tags, tag: Tag) -> Tags {
        let rest = self.kept(tags, |clocks, other| {
            other.task != tag.task && clocks.known(tag.version, other.task) < other.epoch
        });
        self.link(tag, rest)
    }

    /// Those tags of a list that are wanted. What lies behind the last one that is not stays as it is.
    fn kept(&mut self, tags: Tags, is_wanted: impl Fn(&Clocks, Tag) -> bool) -> Tags {
        let (mut at, mut rest) = (tags, tags);
        while at != Tags::NONE {
            let link = self.links[at.0 as usize];
            at = link.rest;
            if !is_wanted(self, link.tag) {
                rest = at;
            }
        }
        // What lies before is linked anew.
        let (mut before, end) = (tags, rest);
        while before != end {
            let link = self.links[before.0 as usize];
            before = link.rest;
            if is_wanted(self, link.tag) {
                rest = self.link(link.tag, rest);
            }
        }
        rest
    }

    /// All tags of both lists; of two of one task the later.
    fn merged(&mut self, tags: Tags, more: Tags) -> Tags {
        if more == Tags::NONE {
            return tags;
        }
        if tags == Tags::NONE || tags == more {
            return more;
        }
        // Lists grow at their heads: often one is the end of the other.
        let mut at = more;
        while at != Tags::NONE {
            at = self.links[at.0 as usize].rest;
            if at == tags {
                return more;
            }
        }
        let mut merged = self.kept(tags, |clocks, tag| clocks.epoch_in(more, tag.task) < tag.epoch);
        let mut at = more;
        while at != Tags::NONE {
            let Link { tag, rest } = self.links[at.0 as usize];
            if self.epoch_in(tags, tag.task) <= tag.epoch {
                merged = self.link(tag, merged);
            }
            at = rest;
        }
        merged
    }

    /// The epoch of a task's tag in a list; 0 if it has none.
    fn epoch_in(&self, tags: Tags, task: u32) -> u32 {
        let mut at = tags;
        while at != Tags::NONE {
            let Link { tag, rest } = self.links[at.0 as usize];
            if tag.task == task {
                return tag.epoch;
            }
            at = rest;
        }
        0
    }
}
