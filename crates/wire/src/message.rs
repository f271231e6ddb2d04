//! Messages.

use alloc::string::String;
use alloc::vec::Vec;

use caissa_core::{
    Bug, Ending, Failure, Identity, Job, ObjectId, ObjectKind, Op, Outcome, Source, TaskId, Trace,
};
use serde::{Deserialize, Serialize};

/// How executions are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Each in a copy of the process, tasks as coroutines: the reference.
    Fork,
    /// All in one process, whose memory is put back before each.
    InProcess,
    /// Each in a process of its own, tasks as threads of the system.
    Os,
}

/// Code of a file. Addresses are those in the file: where it lies in memory may be another place in every process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRange {
    /// The path of the file.
    pub path: String,
    /// The first address.
    pub from: u64,
    /// The address after the last.
    pub to: u64,
}

/// Calls in a file, by the addresses in the file that they return to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The path of the file.
    pub path: String,
    /// The addresses, ascending.
    pub returns: Vec<u64>,
}

/// Where tasks are not preempted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seals {
    /// In this code.
    pub inside: Vec<CodeRange>,
    /// Outside of this code, even if there is none of it.
    pub outside: Option<Vec<CodeRange>>,
}

/// What a program has to know before its first job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// How executions are run.
    pub mode: Mode,
    /// What goes into schedules.
    pub identity: Identity,
    /// Whether classes are counted.
    pub classes: bool,
    /// Whether data races are looked for.
    pub races: bool,
    /// Code whose accesses of data are points.
    pub promoted: Vec<CodeRange>,
    /// So many tasks beside the main one can be there in an execution.
    pub tasks: u32,
    /// Whether an exit with another code than 0 is a bug.
    pub exit_fails: bool,
    /// Bytes of memory that the program may allocate in an execution.
    pub memory: u64,
    /// Accesses of data that a task may do between two points.
    pub patience: u64,
    /// Where tasks are not preempted, if that was asked for.
    pub seals: Option<Seals>,
    /// Code in which threads yield a few times before they wait: that says nothing of their progress.
    pub spins: Vec<CodeRange>,
    /// Code by which they do so, if it is come to through that.
    pub relaxes: Vec<CodeRange>,
    /// Atomic accesses that are nobody's business but the language's own library: they are no points.
    pub private: Vec<Calls>,
    /// Functions of Rust's library that access no data but its own.
    pub own_functions: Vec<CodeRange>,
    /// Functions that run the bodies of threads written in Rust: panics that leave them end their threads.
    pub bodies: Vec<CodeRange>,
    /// Instructions by which threads say that they wait in a loop.
    pub pauses: Vec<CodeRange>,
    /// Files in which they were looked for.
    pub looked_at: Vec<String>,
    /// Whether executions begin with the first thread that the program starts, whose starter runs only when nothing else can.
    pub harness: bool,
    /// Whether a process stops where something went wrong, for a debugger.
    pub stops: bool,
    /// The processor that it runs on, if it is bound to one.
    pub processor: Option<u32>,
}

impl Setup {
    /// How many tasks an execution begins with: a harness, if there is one, and the task that does what is explored, which comes last.
    pub fn tasks_at_first(&self) -> u32 {
        1 + self.harness as u32
    }
}

/// What the host asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Comes first.
    Setup(Setup),
    /// To run a job.
    Run(Job),
    /// To run a job of one execution and tell everything about it. `notes`: also what operations observed.
    Replay(Job, bool),
}

/// What a program says.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// First of all.
    Hello(Hello),
    /// It cannot be run under control: why.
    Refused(String),
    /// What came of a job.
    Ran(alloc::boxed::Box<Ran>),
    /// What came of a single execution.
    Replayed(alloc::boxed::Box<Replayed>),
}

/// What a program is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::VERSION`] of the runtime that it was linked with.
    pub version: u32,
    /// The executable and its libraries, where they lie in memory.
    pub modules: Vec<Module>,
}

/// A file that was mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// What has to be added to addresses in the file.
    pub base: u64,
    /// Where it begins in memory.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
}

/// Why a process cannot go on with executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Halt {
    /// It needs room for so many tasks.
    Tasks(u32),
    /// It has loaded files that the host has not looked at.
    Files(Vec<Module>),
    /// Memory alone does not bring it back to its beginning: executions have to be run in processes of their own. Why.
    Leave(String),
    /// The program does what cannot be controlled.
    Misused(Misuse),
}

/// What a program does that cannot be controlled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misuse {
    /// What the task does, without its name.
    pub what: String,
    /// Which one.
    pub task: TaskId,
    /// The return addresses on its stack, the innermost first.
    pub stack: Vec<u64>,
}

/// What came of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    /// What the search learns.
    pub outcome: Outcome,
    /// An execution that was cut off at the limit of steps and is not known to be endless.
    pub cut_off: Option<Failure>,
    /// It ended because of this.
    pub halt: Option<Halt>,
    /// Some schedule was left out by a seal.
    pub sealed: bool,
}

/// A task, as far as it has a name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TaskInfo {
    /// The function that it runs.
    pub entry: u64,
    /// The name that the program gave it.
    pub name: Option<String>,
}

/// Where an object lies.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its number.
    pub object: ObjectId,
    /// Its address, or the number of a file.
    pub address: u64,
    /// The allocated block that it lies in: where that begins, and where it was allocated.
    pub block: Option<(u64, Source)>,
    /// The task on whose stack it lies.
    pub stack_of: Option<TaskId>,
}

/// An access that others are to be told apart from: who freed a block, who destroyed a lock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Access {
    /// Who.
    pub task: TaskId,
    /// Where.
    pub source: Source,
}

/// One execution with everything about it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Replayed {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub ending: Ending,
    /// What is wrong with it, if anything.
    pub bug: Option<Bug>,
    /// Where that is, if it is the failure of a task.
    pub place: Option<Source>,
    /// What else belongs to it: where a block was freed that is used, say.
    pub related: Vec<(String, Access)>,
    /// What it spent of the job's cost.
    pub spent: u32,
    /// The execution in the form in which a search learns of it.
    pub failure: Failure,
    /// What tasks are called, by number.
    pub tasks: Vec<TaskInfo>,
    /// Where objects lie.
    pub objects: Vec<ObjectInfo>,
    /// What each task that had not ended was about to do.
    pub pending: Vec<(TaskId, Op, Source)>,
    /// Stacks, by number from 1: return addresses, the innermost first.
    pub stacks: Vec<Vec<u64>>,
    /// Stands for everything that the program did.
    pub digest: u64,
    /// The files that were mapped in the end: a program can load more of them while it runs.
    pub modules: Vec<Module>,
    /// Why the process cannot go on, if it cannot.
    pub halt: Option<Halt>,
}
