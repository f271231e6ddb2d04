//! The typed intermediate representation: the one shape that every engine and every translation uses.
//!
//! It is the language of Fig. 2 of the 2012 paper, with what is needed to say it in practice. What is sugar in the source is gone: names
//! are numbers, constants are folded, implicit yields are written out, choices stand in statements of their own, procedures that are called
//! inside `atomic` have a variant without implicit yields. All values are 32-bit integers; a `bool` is 0 or 1, a member of an enum its
//! position.
//!
//! A variable is a scalar or a map from `0..len` to scalars. Records have become one variable for each field, and nested arrays one
//! map, whose index is computed; [`Expr::Bound`] checks each part of it. So structures, pointers and allocation of a C front end find
//! their place: a field is a map, a pointer an index into it.
//!
//! The order of evaluation is that of the text, from left to right; `&&`, `||` and [`Expr::If`] evaluate only what they need.

mod print;

use std::fmt;

/// A part of the source text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The first byte behind it.
    pub end: u32,
}

/// The text that a program was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Its file name, as the user gave it.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl SourceText {
    /// Line and column of a byte, both from 1; columns count characters.
    pub fn line_and_column(&self, at: u32) -> (u32, u32) {
        let before = &self.text[..self.text.floor_char_boundary(at as usize)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        (line as u32, before[start..].chars().count() as u32 + 1)
    }

    /// The text of a part, in one line.
    pub fn excerpt(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub u32);

            impl $name {
                /// Its place in the program's list.
                #[inline]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A buffer, by its place in [`Program::buffers`].
    BufferId,
    /// A level, by its place in [`Program::levels`]: a higher one has a larger number.
    LevelId,
    /// An interrupt line, by its place in [`Program::lines`].
    LineId,
    /// An enum, by its place in [`Program::enums`].
    EnumId,
    /// A global, by its place in [`Program::globals`].
    GlobalId,
    /// A local of a procedure, by its place in [`Proc::locals`].
    LocalId,
    /// A procedure, by its place in [`Program::procs`].
    ProcId,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Where it comes from.
    pub source: SourceText,
    /// The levels, the lowest first; at least one.
    pub levels: Vec<Level>,
    /// The buffers; at least one. The first one runs first.
    pub buffers: Vec<Buffer>,
    /// The interrupt lines.
    pub lines: Vec<Line>,
    /// The enums: only their names of values are of interest here.
    pub enums: Vec<Enum>,
    /// The global variables.
    pub globals: Vec<Var>,
    /// The procedures.
    pub procs: Vec<Proc>,
    /// What must hold in every terminated state; over globals only.
    pub finals: Vec<Final>,
}

/// A priority level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Its tasks do not make way for each other: `yield` does nothing.
    pub serial: bool,
}

/// A task-buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// The procedure of its first task, which has no parameters.
    pub main: ProcId,
}

/// An interrupt line (2012 paper, section 3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// The buffer whose tasks notice it.
    pub buffer: BufferId,
    /// What is posted then; it has no parameters.
    pub handler: ProcId,
    /// At which level.
    pub level: LevelId,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Its members, by value.
    pub members: Vec<String>,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 0 or 1.
    Bool,
    /// Any 32-bit integer.
    Int,
    /// An integer between the two, inclusive; `lo <= hi`.
    Range(i32, i32),
    /// A member of an enum.
    Enum(EnumId),
    /// A lock: 0 if it is free, 1 if it is held.
    Lock,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name; that of a field of a record is `record.field`.
    pub name: String,
    /// The type of the scalar, or of each in the map.
    pub ty: Scalar,
    /// It is a map from `0..len`.
    pub len: Option<u32>,
    /// Initial values: one, or `len`. Locals take them whenever a frame begins.
    pub init: Vec<i32>,
    /// A global that is data: race-checked, and no reason for an implicit yield.
    pub plain: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Var {
    /// How many scalars it holds.
    pub fn size(&self) -> u32 {
        self.len.unwrap_or(1)
    }
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// How many of the locals are parameters; they come first and are scalars.
    pub params: u32,
    /// Parameters, declared locals, and those that hold intermediate values.
    pub locals: Vec<Var>,
    /// The type of its result.
    pub result: Option<Scalar>,
    /// What it does.
    pub body: Block,
    /// Where it is declared: its head.
    pub span: Span,
}

/// What must hold in every terminated state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Final {
    /// The condition.
    pub condition: Expr,
    /// What to say if it does not hold.
    pub message: String,
    /// Where it stands.
    pub span: Span,
}

/// Statements, one after the other.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the source.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Assigns. A value outside of the type of the place is a bug.
    Assign(Place, Expr),
    /// Assigns any value from the first to the second, inclusive; if there is none, that is a bug.
    Choose(Place, Expr, Expr),
    /// If it does not hold the execution is discarded.
    Assume(Expr),
    /// If it does not hold that is a bug, with this message.
    Assert(Expr, String),
    /// Blocks the task while it does not hold.
    Await(Expr),
    /// Blocks the task while the lock is held, then takes it.
    Lock(Place),
    /// Frees a lock; if it is free that is a bug.
    Unlock(Place),
    /// Either block.
    If(Expr, Block, Block),
    /// The block, as long as the condition holds.
    While(Expr, Block),
    /// Calls a procedure.
    Call {
        /// Which.
        proc: ProcId,
        /// With which arguments.
        args: Vec<Expr>,
        /// Where its result goes.
        result: Option<Place>,
    },
    /// Ends the procedure.
    Return(Option<Expr>),
    /// Makes a task of the same buffer.
    Post {
        /// What it runs.
        proc: ProcId,
        /// With which arguments.
        args: Vec<Expr>,
        /// At which level; else at that of the task that posts.
        level: Option<LevelId>,
    },
    /// Another task of the buffer and level may go on.
    Yield,
    /// Another buffer may go on.
    Zield,
    /// The task makes no progress by itself; then as `Yield` and `Zield`.
    Pause,
    /// Raises an interrupt line.
    Raise(LineId),
    /// Looks at the lines of its buffer. Written out before all that accesses globals, if the program has lines.
    Poll,
    /// Does nothing. Translations leave it where an execution of the program they come from can be recognised.
    Mark(Mark, Vec<Expr>),
}

/// What of the program before translation happens at a [`StmtKind::Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A task of this buffer and level begins. The values say when: rounds, the outermost first.
    Begin(BufferId, LevelId),
    /// A task is about to be posted.
    Post,
    /// A task that was interrupted by one that it has posted goes on.
    Resume,
    /// A task goes on after a yield, a zield, a pause or a wait. The values as for `Begin`.
    GoesOn,
    /// A value has been chosen: how far it is from the smallest one that could be.
    Chosen,
    /// A task is about to make way at a yield. Only within translations, as the next two.
    MakesWay,
    /// A task comes up: after a yield, or to begin if the second value is true. The first is the number of the condition for which it may have to wait.
    ComesUp,
    /// A task finds that it has to wait. It has come up if it was put off: to begin, if the value is true, and it does not interrupt its poster; else
    /// at the yield before.
    IdleIfPutOff,
    /// The choice that comes next is true if a loop has gone round often enough, or a procedure has called itself deeply enough, that it is
    /// not followed any further.
    Limit,
    /// The value is true if the execution met such a limit.
    Limited,
}

/// A variable that is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which.
    pub var: VarRef,
    /// Where in the map; within `0..len` by [`Expr::Bound`].
    pub index: Option<Box<Expr>>,
}

/// Names a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VarRef {
    /// A global.
    Global(GlobalId),
    /// A local of the procedure.
    Local(LocalId),
}

/// An expression; it has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a variable.
    Read(Place),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// The second if the first holds, else the third.
    If(Box<[Expr; 3]>),
    /// The value, which must be in `0..len`: else that is a bug.
    Bound(Box<Expr>, u32),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Of a bool.
    Not,
    /// Wraps around.
    Negate,
    /// All bits.
    Complement,
}

/// Operators with two operands. Arithmetic wraps around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// The second is evaluated only if the first does not hold.
    Or,
    /// The second is evaluated only if the first holds.
    And,
    /// Of any type.
    Equal,
    /// Of any type.
    Differ,
    /// Of integers.
    Less,
    /// Of integers.
    LessOrEqual,
    /// Of integers.
    Greater,
    /// Of integers.
    GreaterOrEqual,
    /// Bit by bit.
    BitOr,
    /// Bit by bit.
    BitXor,
    /// Bit by bit.
    BitAnd,
    /// By the low five bits of the second.
    ShiftLeft,
    /// By the low five bits of the second; the sign stays.
    ShiftRight,
    /// Addition.
    Add,
    /// Subtraction.
    Subtract,
    /// Multiplication.
    Multiply,
    /// Truncates; by zero is a bug.
    Divide,
    /// Has the sign of the first; by zero is a bug.
    Remainder,
}

impl Scalar {
    /// The smallest and the largest value.
    pub fn range(self, enums: &[Enum]) -> (i32, i32) {
        match self {
            Scalar::Bool | Scalar::Lock => (0, 1),
            Scalar::Int => (i32::MIN, i32::MAX),
            Scalar::Range(lo, hi) => (lo, hi),
            Scalar::Enum(id) => (0, enums[id.index()].members.len() as i32 - 1),
        }
    }

    /// A value in the words of the source.
    pub fn show(self, value: i32, enums: &[Enum]) -> String {
        match self {
            Scalar::Bool => (value != 0).to_string(),
            Scalar::Lock => if value != 0 { "held" } else { "free" }.to_owned(),
            Scalar::Int | Scalar::Range(..) => value.to_string(),
            Scalar::Enum(id) => match enums[id.index()].members.get(value as usize) {
                Some(member) => member.clone(),
                None => value.to_string(),
            },
        }
    }
}

impl Program {
    /// The variable that a name in `proc` stands for.
    pub fn var(&self, proc: ProcId, var: VarRef) -> &Var {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.procs[proc.index()].locals[id.index()],
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::program(self, f)
    }
}
