//! The frontier: what is left to do, by cost.

use std::collections::{BTreeMap, VecDeque};

use caissa_core::{Choice, Cost, Cut, Record};

/// A piece of work: a prefix with cuts to take.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) prefix: Vec<Choice>,
    pub(crate) cuts: Vec<Cut>,
}

#[derive(Debug)]
enum Entry {
    /// What a job left undone.
    Rest(Work),
    /// An execution of cost `base` with options that it could not afford.
    Deferred { record: Record, base: u32 },
}

/// Work by cost. A record stands in one queue at a time: that of the next cost at which it has an option.
#[derive(Debug)]
pub(crate) struct Frontier {
    cost: Cost,
    queues: BTreeMap<u32, VecDeque<Entry>>,
    records: usize,
    bytes: usize,
}

impl Frontier {
    pub(crate) fn new(cost: Cost) -> Frontier {
        Frontier { cost, queues: BTreeMap::new(), records: 0, bytes: 0 }
    }

    /// What a job of this cost left undone; it comes before what waits.
    pub(crate) fn push_rest(&mut self, cost: u32, work: Work) {
        self.queues.entry(cost).or_default().push_front(Entry::Rest(work));
    }

    /// An execution of cost `base`; every deferred option costs at least 1 more.
    pub(crate) fn push_record(&mut self, base: u32, record: Record) {
        self.records += 1;
        self.bytes += record.size();
        self.queues.entry(base + 1).or_default().push_back(Entry::Deferred { record, base });
    }

    /// The next piece of work of exactly this cost.
    pub(crate) fn pop(&mut self, cost: u32) -> Option<Work> {
        loop {
            match self.queues.get_mut(&cost)?.pop_front()? {
                Entry::Rest(work) => return Some(work),
                Entry::Deferred { record, base } => {
                    let (prefix, cuts) = record.unpack();
                    let (now, later) = split(self.cost, &cuts, cost - base);
                    self.records -= 1;
                    self.bytes -= record.size();
                    if later {
                        self.records += 1;
                        self.bytes += record.size();
                        self.queues.entry(cost + 1).or_default().push_back(Entry::Deferred { record, base });
                    }
                    if !now.is_empty() {
                        return Some(Work { prefix, cuts: now });
                    }
                }
            }
        }
    }

    /// Whether anything costs more than this.
    pub(crate) fn has_beyond(&self, cost: u32) -> bool {
        self.queues.range(cost + 1..).any(|(_, queue)| !queue.is_empty())
    }

    /// Whether anything of exactly this cost is left.
    pub(crate) fn has_at(&self, cost: u32) -> bool {
        self.queues.get(&cost).is_some_and(|queue| !queue.is_empty())
    }

    /// Forgets the emptied queue of a cost.
    pub(crate) fn close(&mut self, cost: u32) {
        self.queues.remove(&cost);
    }

    /// Records and their bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.records, self.bytes)
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
            Some(work.cuts)
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
