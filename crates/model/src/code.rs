//! Programs as flat code: what the interpreter runs.
//!
//! Statements become instructions with jumps, variables become slots: globals in one list, with a slot for each interrupt line behind
//! them, locals in one list for each frame. A task is a program counter and its frames.

mod compile;
pub(crate) mod expr;
mod live;

use crate::ir::{LevelId, LineId, ProcId, Program, Span};
pub(crate) use expr::{Ex, Memory};

/// What a task does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// An assertion does not hold; its number among the messages of the code.
    Assertion(u32),
    /// The final condition with this number does not hold in a terminated state.
    Final(u32),
    /// Division by zero.
    Division,
    /// An index outside of its map.
    Index {
        /// The index.
        index: i32,
        /// The length of the map.
        len: u32,
    },
    /// A value outside of the type that it is assigned to.
    Range {
        /// The value.
        value: i32,
        /// The smallest value of the type.
        lo: i32,
        /// The largest.
        hi: i32,
    },
    /// A choice among no values.
    EmptyChoice {
        /// From here.
        lo: i32,
        /// To there, which is less.
        hi: i32,
    },
    /// A lock is freed that nobody holds.
    UnlockFree,
    /// A procedure with a result ends without one.
    NoResult,
    /// The calls of a task are nested too deeply.
    Recursion,
}

impl Fault {
    /// One word for the kind of fault.
    pub fn kind(self) -> &'static str {
        match self {
            Fault::Assertion(_) => "assertion",
            Fault::Final(_) => "final",
            Fault::Division => "division",
            Fault::Index { .. } => "index",
            Fault::Range { .. } => "range",
            Fault::EmptyChoice { .. } => "choice",
            Fault::UnlockFree => "unlock",
            Fault::NoResult => "result",
            Fault::Recursion => "recursion",
        }
    }
}

/// How deeply calls of a task may be nested.
pub const MAX_FRAMES: usize = 1_000;

/// Where a value goes: a slot, or one of those from a slot on, and what it may be.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) slot: u32,
    pub(crate) is_global: bool,
    pub(crate) index: Option<Ex>,
    pub(crate) lo: i32,
    pub(crate) hi: i32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instr {
    Set(Target, Ex),
    Choose(Target, Ex, Ex),
    Assume(Ex),
    Assert(Ex, u32),
    Await(Ex),
    Lock(Target),
    Unlock(Target),
    Jump(u32),
    JumpIfNot(Ex, u32),
    Call { proc: ProcId, args: Box<[Ex]>, result: Option<Target> },
    Return(Option<Ex>),
    NoResult,
    Post { proc: ProcId, args: Box<[Ex]>, level: Option<LevelId> },
    Yield,
    Zield,
    Pause,
    Raise(LineId),
    Poll,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(crate) struct ProcCode {
    pub(crate) entry: u32,
    /// Ranges of the parameters.
    pub(crate) ranges: Vec<(i32, i32)>,
    /// The locals of a frame that begins, parameters included.
    pub(crate) frame: Vec<i32>,
    /// The local of each slot, and the place in it.
    pub(crate) locals: Vec<(u32, u32)>,
    /// The range of the result.
    pub(crate) result: (i32, i32),
}

/// A task is about to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// For this.
    pub(crate) pc: u32,
    /// It looks at the lines of its buffer before.
    pub(crate) looks: bool,
}

/// A program, ready to run.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) program: Program,
    pub(crate) instrs: Vec<Instr>,
    /// Where each instruction stands, and in which procedure.
    pub(crate) spans: Vec<Span>,
    pub(crate) proc_of: Vec<ProcId>,
    pub(crate) procs: Vec<ProcCode>,
    /// First slots of the globals.
    pub(crate) globals: Vec<u32>,
    /// Initial values of all global slots, lines included.
    pub(crate) init: Vec<i32>,
    /// The smallest and largest value of each.
    pub(crate) ranges: Vec<(i32, i32)>,
    /// The global of each slot; none for lines.
    pub(crate) global_of: Vec<Option<u32>>,
    /// Which are data.
    pub(crate) plain: Vec<bool>,
    /// Slots of the lines.
    pub(crate) first_line: u32,
    /// Lines of each buffer.
    pub(crate) lines_of: Vec<Vec<LineId>>,
    /// Levels at which tasks do not make way for each other.
    pub(crate) serial: Vec<bool>,
    pub(crate) finals: Vec<Ex>,
    pub(crate) messages: Vec<String>,
    /// Which instructions touch nothing but locals.
    pub(crate) is_own: Vec<bool>,
    /// Procedures that may come to a yield before they do anything that others can see.
    pub(crate) comes_to_yield: Vec<bool>,
    /// For each instruction where control is then: behind all jumps.
    pub(crate) resolved: Vec<u32>,
    /// For each instruction the `await` or `lock` that is the next thing a task there does, if it is.
    pub(crate) waits: Vec<Option<Wait>>,
    /// For each instruction the locals of its frame that may still be read from there on.
    pub(crate) live: Vec<std::sync::Arc<[u32]>>,
}

impl Code {
    /// Compiles a program.
    pub fn new(program: Program) -> Code {
        compile::compile(program)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The name of a global slot, with its index.
    pub(crate) fn slot_name(&self, slot: u32) -> String {
        match self.global_of[slot as usize] {
            Some(global) => {
                let var = &self.program.globals[global as usize];
                match var.len {
                    Some(_) => format!("{}[{}]", var.name, slot - self.globals[global as usize]),
                    None => var.name.clone(),
                }
            }
            None => self.program.lines[(slot - self.first_line) as usize].name.clone(),
        }
    }

    /// A value of a global slot in the words of the source.
    pub(crate) fn slot_value(&self, slot: u32, value: i32) -> String {
        match self.global_of[slot as usize] {
            Some(global) => self.program.globals[global as usize].ty.show(value, &self.program.enums),
            None => if value != 0 { "raised" } else { "low" }.to_owned(),
        }
    }

    /// A local of the frame that is at an instruction, and a value of it, in the words of the source.
    pub(crate) fn local_value(&self, pc: u32, slot: u32, value: i32) -> String {
        let proc = self.proc_of[pc as usize].index();
        let (local, index) = self.procs[proc].locals[slot as usize];
        let var = &self.program.procs[proc].locals[local as usize];
        let value = var.ty.show(value, &self.program.enums);
        match var.len {
            Some(_) => format!("{}[{index}] = {value}", var.name),
            None => format!("{} = {value}", var.name),
        }
    }

    /// Whether an instruction is shown: it does more than to pass control on.
    pub(crate) fn is_statement(&self, pc: u32) -> bool {
        !matches!(
            self.instrs[pc as usize],
            Instr::Jump(_)
                | Instr::Yield
                | Instr::Zield
                | Instr::Pause
                | Instr::Poll
                | Instr::Return(None)
                | Instr::Choose(..)
        )
    }

    /// The first instruction from one on that does more than to pass control on, as far as that can be told.
    pub(crate) fn next_statement(&self, mut pc: u32) -> u32 {
        for _ in 0..16 {
            pc = match self.instrs[pc as usize] {
                Instr::Jump(to) => to,
                Instr::Yield | Instr::Zield | Instr::Pause | Instr::Poll => pc + 1,
                _ => break,
            };
        }
        pc
    }

    /// Whether some global is data.
    pub(crate) fn has_data(&self) -> bool {
        self.plain.contains(&true)
    }

    /// A fault in the words of reports.
    pub fn describe(&self, fault: Fault) -> String {
        match fault {
            Fault::Assertion(number) => self.messages[number as usize].clone(),
            Fault::Final(number) => self.program.finals[number as usize].message.clone(),
            Fault::Division => "division by zero".to_owned(),
            Fault::Index { index, len } => format!("index {index} is outside of 0..{}", len as i64 - 1),
            Fault::Range { value, lo, hi } => format!("value {value} is outside of {lo}..{hi}"),
            Fault::EmptyChoice { lo, hi } => format!("choose({lo}, {hi}) has no value to choose"),
            Fault::UnlockFree => "unlock of a lock that is free".to_owned(),
            Fault::NoResult => "the procedure ends without a result".to_owned(),
            Fault::Recursion => format!("calls are nested more than {MAX_FRAMES} deep"),
        }
    }
}
