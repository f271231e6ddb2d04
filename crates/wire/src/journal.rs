//! The page that both sides share.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// What a program tells while it runs, and what it is told. All zero at first.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Journal {
    /// Executions that have ended, in all jobs.
    pub executions: AtomicU64,
    /// Counts up while tasks come to points: a program that is stuck does not.
    pub beat: AtomicU64,
    /// The host asks the job to end after the present execution.
    pub stop: AtomicU32,
    /// The process that runs the present execution; 0 between executions.
    pub process: AtomicU32,
    /// The present execution has been cut off because its process was stuck: see [`Hang`].
    pub hang: AtomicU32,
    /// The process that runs the present execution has stopped where something went wrong, for a debugger.
    pub stopped: AtomicU32,
}

/// Why a process was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Hang {
    /// It was not.
    No = 0,
    /// It ran on without a scheduling point.
    Runs = 1,
    /// It waited for something that is not under control.
    Waits = 2,
}

impl Hang {
    /// By its number.
    pub fn of(number: u32) -> Hang {
        match number {
            1 => Hang::Runs,
            2 => Hang::Waits,
            _ => Hang::No,
        }
    }
}
