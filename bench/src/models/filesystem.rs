//! models/filesystem.cai as a model of stateright's: the same steps, the same states.

use stateright::{Model, Property};

/// `T` threads, `I` inodes, `B` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct State<const T: usize, const I: usize, const B: usize> {
    threads: [Thread; T],
    inode: [u8; I],
    busy: [bool; B],
    locki: [bool; I],
    lockb: [bool; B],
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
struct Thread {
    next: Step,
    /// The block that it looks at; 0 where it looks at none.
    b: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
#[repr(u8)]
enum Step {
    LockInode,
    ReadInode,
    LockBlock,
    ReadBusy,
    UnlockBusy,
    SetBusy,
    SetInode,
    UnlockBlock,
    UnlockInode,
    Ended,
}

pub struct FileSystem<const T: usize, const I: usize, const B: usize>;

impl<const T: usize, const I: usize, const B: usize> Model for FileSystem<T, I, B> {
    type State = State<T, I, B>;
    type Action = u8;

    fn init_states(&self) -> Vec<State<T, I, B>> {
        let threads = [Thread { next: Step::LockInode, b: 0 }; T];
        vec![State { threads, inode: [0; I], busy: [false; B], locki: [false; I], lockb: [false; B] }]
    }

    fn actions(&self, state: &State<T, I, B>, actions: &mut Vec<u8>) {
        for (t, thread) in state.threads.iter().enumerate() {
            let enabled = match thread.next {
                Step::LockInode => !state.locki[t % I],
                Step::LockBlock => !state.lockb[usize::from(thread.b)],
                Step::Ended => false,
                _ => true,
            };
            if enabled {
                actions.push(t as u8);
            }
        }
    }

    fn next_state(&self, state: &State<T, I, B>, t: u8) -> Option<State<T, I, B>> {
        let mut after = *state;
        let i = usize::from(t) % I;
        let Thread { next, b } = &mut after.threads[usize::from(t)];
        let block = usize::from(*b);
        *next = match *next {
            Step::LockInode => {
                after.locki[i] = true;
                Step::ReadInode
            }
            Step::ReadInode if state.inode[i] != 0 => Step::UnlockInode,
            Step::ReadInode => {
                *b = (i * 2 % B) as u8;
                Step::LockBlock
            }
            Step::LockBlock => {
                after.lockb[block] = true;
                Step::ReadBusy
            }
            Step::ReadBusy if state.busy[block] => Step::UnlockBusy,
            Step::ReadBusy => Step::SetBusy,
            Step::UnlockBusy => {
                after.lockb[block] = false;
                *b = ((block + 1) % B) as u8;
                Step::LockBlock
            }
            Step::SetBusy => {
                after.busy[block] = true;
                Step::SetInode
            }
            Step::SetInode => {
                after.inode[i] = *b + 1;
                Step::UnlockBlock
            }
            Step::UnlockBlock => {
                after.lockb[block] = false;
                *b = 0;
                Step::UnlockInode
            }
            Step::UnlockInode => {
                after.locki[i] = false;
                Step::Ended
            }
            Step::Ended => return None,
        };
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        super::stateright::everything()
    }
}
