//! Data cells: what is remembered of each, which accesses race, and which are scheduling points.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{Clocks, DataAccess, TaskClock, Version, source_number};
use crate::source::Source;
use crate::task::TaskId;

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
        !places.is_empty()
            && *self.known.entry(source.address()).or_insert_with(|| places.contains(&source_number(source)))
    }
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
    #[inline]
    fn new(access: &DataAccess, epoch: u32) -> Mark {
        Mark { task: access.task, epoch, source: access.source, step: access.step }
    }

    fn access(&self, writes: bool) -> DataAccess {
        DataAccess { task: self.task, writes, source: self.source, step: self.step }
    }
}

/// What is remembered of a data cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    /// The execution that it belongs to.
    execution: u64,
    write: Option<Mark>,
    /// The last read of each task since, unless another one comes after it.
    reads: Vec<Mark>,
    /// The last atomic read of each task, and the last atomic write: they race with what is not atomic, never with each other.
    atomic_reads: Vec<Mark>,
    atomic_writes: Vec<Mark>,
}

impl Clocks {
    #[inline]
    fn shadow(&mut self, object: usize) -> &mut Shadow {
        if self.shadows.get(object).is_none_or(|shadow| shadow.execution != self.execution) {
            self.clear_shadow(object);
        }
        &mut self.shadows[object]
    }

    fn clear_shadow(&mut self, object: usize) {
        if object >= self.shadows.len() {
            self.shadows.resize_with(object + 1, Shadow::default);
        }
        let shadow = &mut self.shadows[object];
        shadow.execution = self.execution;
        shadow.write = None;
        shadow.reads.clear();
        shadow.atomic_reads.clear();
        shadow.atomic_writes.clear();
    }

    /// Another cell remembers what this one does.
    pub(crate) fn copy_shadow(&mut self, from: usize, to: usize) {
        self.shadow(to);
        let Shadow { write, reads, atomic_reads, atomic_writes, .. } = self.shadow(from).clone();
        let shadow = &mut self.shadows[to];
        shadow.write = write;
        shadow.reads = reads;
        shadow.atomic_reads = atomic_reads;
        shadow.atomic_writes = atomic_writes;
    }

    /// An atomic access of what may also be accessed otherwise. As [`Clocks::access`].
    pub(crate) fn atomic_access(&mut self, object: usize, access: DataAccess) -> Result<(), DataAccess> {
        let DataAccess { task, writes, .. } = access;
        let TaskClock { epoch, version, .. } = self.tasks[task.index()];
        self.shadow(object);
        let shadow = &self.shadows[object];
        let reads = if writes { &shadow.reads[..] } else { &[] };
        let before =
            shadow.write.iter().map(|write| (write, true)).chain(reads.iter().map(|read| (read, false)));
        let unordered = before.filter(|(mark, _)| !self.is_before(mark, task, version));
        let unordered: Vec<DataAccess> = unordered.map(|(mark, writes)| mark.access(writes)).collect();
        if let Some(race) = unordered.into_iter().find(|first| !self.is_known(first, &access)) {
            return Err(race);
        }
        let shadow = &mut self.shadows[object];
        let marks = if writes { &mut shadow.atomic_writes } else { &mut shadow.atomic_reads };
        let mark = Mark::new(&access, epoch);
        match marks.iter_mut().find(|mark| mark.task == task) {
            Some(old) => *old = mark,
            None => marks.push(mark),
        }
        Ok(())
    }

    /// An access of a data cell. If another one is not ordered before it, that is returned, and nothing remembered. Two that are
    /// both at promoted places are known to race already.
    #[inline]
    pub(crate) fn access(&mut self, object: usize, access: DataAccess) -> Result<(), DataAccess> {
        let task = access.task;
        let TaskClock { epoch, version, .. } = self.tasks[task.index()];
        self.shadow(object);
        let shadow = &self.shadows[object];
        let is_last = shadow.write.as_ref().is_none_or(|write| self.is_before(write, task, version))
            && shadow.reads.is_empty()
            && shadow.atomic_reads.is_empty()
            && shadow.atomic_writes.is_empty();
        if !is_last {
            return self.access_among(object, access, epoch, version);
        }
        let shadow = &mut self.shadows[object];
        if access.writes {
            shadow.write = Some(Mark::new(&access, epoch));
        } else {
            shadow.reads.push(Mark::new(&access, epoch));
        }
        Ok(())
    }

    /// Whether what a mark stands for comes before what a task does that knows this.
    #[inline]
    fn is_before(&self, mark: &Mark, task: TaskId, version: Version) -> bool {
        mark.task == task || self.known(version, mark.task.0) >= mark.epoch
    }

    /// As `access`, where there is more than a write that comes before.
    #[inline(never)]
    fn access_among(
        &mut self,
        object: usize,
        access: DataAccess,
        epoch: u32,
        version: Version,
    ) -> Result<(), DataAccess> {
        let DataAccess { task, writes, .. } = access;
        let shadow = &self.shadows[object];
        let (reads, atomic_reads) =
            if writes { (&shadow.reads[..], &shadow.atomic_reads[..]) } else { (&[][..], &[][..]) };
        let writes_before = shadow.write.iter().chain(&shadow.atomic_writes).map(|write| (write, true));
        let before = writes_before.chain(reads.iter().chain(atomic_reads).map(|read| (read, false)));
        let unordered = before.filter(|(mark, _)| !self.is_before(mark, task, version));
        let unordered: Vec<DataAccess> = unordered.map(|(mark, writes)| mark.access(writes)).collect();
        if let Some(race) = unordered.into_iter().find(|first| !self.is_known(first, &access)) {
            return Err(race);
        }
        let mark = Mark::new(&access, epoch);
        let mut reads = core::mem::take(&mut self.shadows[object].reads);
        if writes {
            reads.clear();
            let shadow = &mut self.shadows[object];
            shadow.write = Some(mark);
            // Whoever comes after this write comes after those, save where their race is known: then it is reported no more.
            shadow.atomic_reads.clear();
            shadow.atomic_writes.clear();
        } else {
            // Who comes after this one comes after those.
            reads.retain(|read| !self.is_before(read, task, version));
            reads.push(mark);
        }
        self.shadows[object].reads = reads;
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

    /// Something that is not seen orders whatever another task has done to a cell before all that is done from now on.
    pub(crate) fn excuse(&mut self, object: usize, other: TaskId) {
        let shadow = self.shadow(object);
        shadow.write = shadow.write.take().filter(|mark| mark.task != other);
        for marks in [&mut shadow.reads, &mut shadow.atomic_reads, &mut shadow.atomic_writes] {
            marks.retain(|mark| mark.task != other);
        }
    }
}
