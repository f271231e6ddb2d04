//! The frontier: what is left to do, by cost.

use std::collections::{BTreeMap, VecDeque};

use caissa_core::{Cost, Cut, Record, Scope};

use crate::checkpoint::{Reader, Writer};
use crate::window::Work;

/// An execution of cost `base` with options that it could not afford.
#[derive(Debug)]
struct Deferred {
    record: Record,
    base: u32,
}

/// What is to be done at one cost. The two come from work that is done at different times: kept apart, each has an order that
/// does not depend on how far workers were ahead.
#[derive(Debug, Default)]
struct Queue {
    /// Records that had options at a smaller cost too; they come first.
    again: VecDeque<Deferred>,
    fresh: VecDeque<Deferred>,
}

impl Queue {
    fn len(&self) -> usize {
        self.again.len() + self.fresh.len()
    }
}

/// Work by cost. A record stands in one queue at a time: that of the next cost at which it has an option.
#[derive(Debug)]
pub(crate) struct Frontier {
    cost: Cost,
    queues: BTreeMap<u32, Queue>,
    records: usize,
    bytes: usize,
}

impl Frontier {
    pub(crate) fn new(cost: Cost) -> Frontier {
        Frontier { cost, queues: BTreeMap::new(), records: 0, bytes: 0 }
    }

    /// An execution of cost `base`; every deferred option costs at least 1 more.
    pub(crate) fn push_record(&mut self, base: u32, record: Record) {
        let deferred = Deferred { record, base };
        self.add(base + 1, |queue| &mut queue.fresh, deferred);
    }

    fn add(&mut self, cost: u32, to: fn(&mut Queue) -> &mut VecDeque<Deferred>, deferred: Deferred) {
        self.records += 1;
        self.bytes += deferred.record.size();
        to(self.queues.entry(cost).or_default()).push_back(deferred);
    }

    /// The next piece of work of exactly this cost.
    pub(crate) fn pop(&mut self, cost: u32) -> Option<Work> {
        loop {
            let queue = self.queues.get_mut(&cost)?;
            let Deferred { record, base } = queue.again.pop_front().or_else(|| queue.fresh.pop_front())?;
            let (prefix, cuts) = record.unpack();
            let (now, later) = split(self.cost, &cuts, cost - base);
            self.records -= 1;
            self.bytes -= record.size();
            if later {
                self.add(cost + 1, |queue| &mut queue.again, Deferred { record, base });
            }
            if !now.is_empty() {
                return Some(Work { prefix, scope: Scope::Cuts(now) });
            }
        }
    }

    /// Whether anything costs more than this.
    pub(crate) fn has_beyond(&self, cost: u32) -> bool {
        self.queues.range(cost + 1..).any(|(_, queue)| queue.len() > 0)
    }

    /// How many records have options of exactly this cost.
    pub(crate) fn len_at(&self, cost: u32) -> usize {
        self.queues.get(&cost).map_or(0, Queue::len)
    }

    /// Forgets the emptied queue of a cost.
    pub(crate) fn close(&mut self, cost: u32) {
        self.queues.remove(&cost);
    }

    /// Records and their bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.records, self.bytes)
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.count(self.queues.len());
        for (&cost, queue) in &self.queues {
            to.number(cost as u64);
            for queue in [&queue.again, &queue.fresh] {
                to.count(queue.len());
                for deferred in queue {
                    to.number(deferred.base as u64);
                    to.record(&deferred.record);
                }
            }
        }
    }

    pub(crate) fn load(cost: Cost, from: &mut Reader<'_>) -> Option<Frontier> {
        let mut frontier = Frontier::new(cost);
        for _ in 0..from.count()? {
            let cost = from.small()?;
            let queues: [fn(&mut Queue) -> &mut VecDeque<Deferred>; 2] =
                [|queue| &mut queue.again, |queue| &mut queue.fresh];
            for queue in queues {
                for _ in 0..from.count()? {
                    let base = from.small()?;
                    frontier.add(cost, queue, Deferred { base, record: from.record()? });
                }
            }
        }
        Some(frontier)
    }
}

/// The cuts whose options cost exactly `extra`, and whether any costs more.
fn split(cost: Cost, cuts: &[Cut], extra: u32) -> (Vec<Cut>, bool) {
    if cost != Cost::Delays {
        return (cuts.to_vec(), false);
    }
    let now = cuts.iter().filter(|cut| cut.from <= extra && extra < cut.to);
    let now = now.map(|cut| Cut { step: cut.step, from: extra, to: extra + 1 }).collect();
    (now, cuts.iter().any(|cut| cut.to > extra + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_taken_at_their_own_cost_and_others_at_once() {
        let cuts = [Cut { step: 1, from: 1, to: 4 }, Cut { step: 2, from: 1, to: 2 }];
        let mut frontier = Frontier::new(Cost::Delays);
        frontier.push_record(5, Record::new(&[], &cuts));
        let at = |frontier: &mut Frontier, cost| {
            let work = frontier.pop(cost)?;
            assert_eq!(frontier.pop(cost), None);
            let Scope::Cuts(cuts) = work.scope else { panic!("not cuts") };
            Some(cuts)
        };
        assert_eq!(at(&mut frontier, 5), None);
        let expected = [Cut { step: 1, from: 1, to: 2 }, Cut { step: 2, from: 1, to: 2 }];
        assert_eq!(at(&mut frontier, 6).as_deref(), Some(&expected[..]));
        assert_eq!(at(&mut frontier, 7).as_deref(), Some(&[Cut { step: 1, from: 2, to: 3 }][..]));
        assert!(frontier.has_beyond(7));
        assert_eq!(at(&mut frontier, 8).as_deref(), Some(&[Cut { step: 1, from: 3, to: 4 }][..]));
        assert!(!frontier.has_beyond(8));
        assert_eq!(frontier.size(), (0, 0));

        let mut frontier = Frontier::new(Cost::Preemptions);
        frontier.push_record(0, Record::new(&[], &cuts));
        assert_eq!(at(&mut frontier, 1).as_deref(), Some(&cuts[..]));
        assert!(!frontier.has_beyond(1));
    }
}
