//! The schedule of a trace as segments: runs of steps by one task.
//!
//! A sampled execution changes tasks everywhere, and most of that does not matter. Dropping one change alone puts what comes
//! after it out of step; moving a whole segment next to another one of the same task leaves the rest in its order and
//! takes two changes away.

use caissa_core::{Choice, Note, TaskId, Trace};

#[derive(Debug)]
pub(crate) struct Segments {
    /// Whose each segment is, and for each step the value if it is a data choice or the question of a fault.
    runs: Vec<(TaskId, Vec<Option<u32>>)>,
}

impl Segments {
    pub(crate) fn of(trace: &Trace) -> Segments {
        let mut runs: Vec<(TaskId, Vec<Option<u32>>)> = Vec::new();
        for event in trace.events.iter().filter(|event| !event.aside) {
            let value = match event.note {
                Note::Chose { value, .. } => Some(value),
                _ => event.op.kind.is_fault().then(|| event.is_fault() as u32),
            };
            match runs.last_mut() {
                Some((task, steps)) if *task == event.task => steps.push(value),
                _ => runs.push((event.task, vec![value])),
            }
        }
        Segments { runs }
    }

    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The schedule with a segment and the one before it of the same task together: where the earlier one is, or where the
    /// later one is. `None` if it is the first of its task.
    pub(crate) fn merged(&self, at: usize, early: bool) -> Option<Vec<Choice>> {
        let before = self.runs[..at].iter().rposition(|run| run.0 == self.runs[at].0)?;
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        if early {
            order[before + 1..=at].rotate_right(1);
        } else {
            order[before..at].rotate_left(1);
        }
        Some(self.choices(&order))
    }

    fn choices(&self, order: &[usize]) -> Vec<Choice> {
        let mut choices = Vec::new();
        let (mut step, mut last) = (0, None);
        for &index in order {
            let (task, steps) = &self.runs[index];
            for &value in steps {
                match value {
                    Some(0) => {}
                    Some(value) => choices.push(Choice { step, pick: value, check: 0 }),
                    None if last != Some(*task) => choices.push(Choice { step, pick: task.0, check: 0 }),
                    None => {}
                }
                last = Some(*task);
                step += 1;
            }
        }
        choices
    }
}
