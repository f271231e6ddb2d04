//! Data cells: what is remembered of each, which accesses race, and which are scheduling points.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Clocks, DataAccess, TaskClock, place_number};
use crate::execution::Source;
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
        let address = core::ptr::from_ref(source) as usize;
        !places.is_empty()
            && *self
                .known
                .entry(address)
                .or_insert_with(|| places.contains(&place_number(&source.to_string())))
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
}

impl Clocks {
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

    /// Something that is not seen orders whatever another task has done to a cell before all that is done from now on.
    pub(crate) fn excuse(&mut self, object: usize, other: TaskId) {
        let shadow = self.shadow(object);
        shadow.write = shadow.write.take().filter(|mark| mark.task != other);
        shadow.reads.retain(|mark| mark.task != other);
    }
}
