//! Programs: Fig. 2 of the 2012 paper with several typed variables, blocking, locks and interrupt lines.
//!
//! Everything is named by its place in its list. Parameters are the first locals of a procedure.

/// The type of a scalar variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Bool,
    Int,
    /// Inclusive; the first is not greater than the second.
    Range(i32, i32),
}

impl Type {
    pub fn contains(self, value: i32) -> bool {
        match self {
            Type::Bool => value == 0 || value == 1,
            Type::Int => true,
            Type::Range(lo, hi) => lo <= value && value <= hi,
        }
    }

    /// The value of a variable that is not initialised.
    pub fn default(self) -> i32 {
        match self {
            Type::Range(lo, hi) if lo > 0 || hi < 0 => lo,
            _ => 0,
        }
    }
}

/// A scalar, or an array of `len` with the same value everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Global {
    pub ty: Type,
    pub init: i32,
    pub len: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// The buffer whose tasks look at it.
    pub buffer: usize,
    pub handler: usize,
    pub level: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proc {
    /// How many of the locals are parameters.
    pub params: usize,
    /// Those that are not parameters begin with their default values.
    pub locals: Vec<Type>,
    pub result: Option<Type>,
    pub body: Block,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program {
    pub globals: Vec<Global>,
    /// How many locks there are.
    pub locks: usize,
    /// For each level, the lowest first, whether it is serial.
    pub levels: Vec<bool>,
    /// For each buffer its main procedure.
    pub buffers: Vec<usize>,
    pub lines: Vec<Line>,
    pub procs: Vec<Proc>,
    /// Over globals only.
    pub finals: Vec<Expr>,
    pub implicit_yields: bool,
    pub implicit_zields: bool,
    /// Not part of the text: see `first_yields`.
    pub passes_first_yields: bool,
}

pub type Block = Vec<Stmt>;

/// What can be read and written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Global(usize),
    Element(usize, Box<Expr>),
    Local(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    Int(i32),
    Bool(bool),
    Read(Place),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Complement(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Cond(Box<[Expr; 3]>),
    /// `*`: any bool.
    Star,
    /// Any integer from the first to the second, inclusive.
    Choose(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stmt {
    Skip,
    Assign(Place, Expr),
    Havoc(Place),
    Assume(Expr),
    Assert(Expr),
    Await(Expr),
    Lock(usize),
    Unlock(usize),
    If(Expr, Block, Block),
    While(Expr, Block),
    /// The local takes the values from `lo` to `hi`, inclusive. It is used nowhere but in the block, which does not assign to it.
    For {
        local: usize,
        lo: i32,
        hi: i32,
        body: Block,
    },
    Either(Vec<Block>),
    Atomic(Block),
    Call {
        proc: usize,
        args: Vec<Expr>,
        into: Option<Place>,
    },
    Return(Option<Expr>),
    Post {
        proc: usize,
        args: Vec<Expr>,
        /// The poster's own without.
        level: Option<usize>,
    },
    Yield,
    Zield,
    Pause,
    Raise(usize),
}

impl Proc {
    /// The locals that `for` declares.
    pub fn counters(&self) -> Vec<usize> {
        fn find(body: &Block, counters: &mut Vec<usize>) {
            for stmt in body {
                if let Stmt::For { local, .. } = stmt {
                    counters.push(*local);
                }
                for inner in stmt.blocks() {
                    find(inner, counters);
                }
            }
        }
        let mut counters = vec![];
        find(&self.body, &mut counters);
        counters
    }

    /// Whether it begins with declarations of locals.
    pub fn declares(&self) -> bool {
        let counters = self.counters();
        (self.params..self.locals.len()).any(|local| !counters.contains(&local))
    }
}

impl Place {
    pub fn is_global(&self) -> bool {
        match self {
            Place::Global(_) | Place::Element(..) => true,
            Place::Local(_) => false,
        }
    }
}

impl Expr {
    pub fn reads_global(&self) -> bool {
        match self {
            Expr::Int(_) | Expr::Bool(_) | Expr::Star => false,
            Expr::Read(place) => place.is_global(),
            Expr::Not(e) | Expr::Negate(e) | Expr::Complement(e) => e.reads_global(),
            Expr::Binary(_, a, b) | Expr::Choose(a, b) => a.reads_global() || b.reads_global(),
            Expr::Cond(parts) => parts.iter().any(Expr::reads_global),
        }
    }
}

impl Stmt {
    /// Whether the statement by itself, without the blocks inside it, reads or writes a global, a lock or a line; an `await` always
    /// does. This is what implicit yields come before. To store the result of a call is a step of its own.
    pub fn is_access(&self) -> bool {
        match self {
            Stmt::Skip | Stmt::Yield | Stmt::Zield | Stmt::Pause => false,
            Stmt::For { .. } | Stmt::Either(_) | Stmt::Atomic(_) => false,
            Stmt::Await(_) | Stmt::Lock(_) | Stmt::Unlock(_) | Stmt::Raise(_) => true,
            Stmt::Assign(place, e) => place.is_global() || e.reads_global(),
            Stmt::Havoc(place) => place.is_global(),
            Stmt::Assume(e) | Stmt::Assert(e) | Stmt::If(e, ..) | Stmt::While(e, _) => e.reads_global(),
            Stmt::Call { args, .. } | Stmt::Post { args, .. } => args.iter().any(Expr::reads_global),
            Stmt::Return(e) => e.as_ref().is_some_and(Expr::reads_global),
        }
    }

    /// Whether it is a call whose result goes to a global.
    pub fn stores_result(&self) -> bool {
        matches!(self, Stmt::Call { into: Some(place), .. } if place.is_global())
    }

    /// Whether others can notice it: it is an access, or has to do with tasks.
    pub fn is_noticed(&self) -> bool {
        self.is_access() || matches!(self, Stmt::Post { .. } | Stmt::Yield | Stmt::Zield | Stmt::Pause)
    }

    /// The blocks inside it.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If(_, yes, no) => vec![yes, no],
            Stmt::While(_, body) | Stmt::For { body, .. } | Stmt::Atomic(body) => vec![body],
            Stmt::Either(branches) => branches.iter().collect(),
            _ => vec![],
        }
    }
}

impl Program {
    /// Whether something holds for a statement, or for one inside it or inside a procedure that it calls.
    pub fn somewhere(&self, stmt: &Stmt, holds: &dyn Fn(&Stmt) -> bool) -> bool {
        let mut called = vec![];
        let mut open = vec![stmt];
        while let Some(stmt) = open.pop() {
            if holds(stmt) {
                return true;
            }
            open.extend(stmt.blocks().into_iter().flatten());
            if let Stmt::Call { proc, .. } = stmt
                && !called.contains(proc)
            {
                called.push(*proc);
                open.extend(&self.procs[*proc].body);
            }
        }
        false
    }

    /// Whether a task looks at its interrupt lines before a statement (2012 paper, section 3.3), outside or inside `atomic`.
    pub fn is_looked_before(&self, stmt: &Stmt, atomic: bool) -> bool {
        match stmt {
            Stmt::Await(_) | Stmt::Lock(_) => true,
            _ if atomic => false,
            Stmt::Atomic(_) => self.somewhere(stmt, &|stmt| stmt.is_noticed() || stmt.stores_result()),
            _ => stmt.is_noticed(),
        }
    }

    /// Whether implicit yields come before a statement: an access, or an `atomic` with an access in it.
    pub fn is_yielded_before(&self, stmt: &Stmt) -> bool {
        let is_access = |stmt: &Stmt| stmt.is_access() || stmt.stores_result();
        stmt.is_access() || matches!(stmt, Stmt::Atomic(_)) && self.somewhere(stmt, &is_access)
    }
}

/// A bug, or another way in which a program goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Assertion,
    /// A value outside of its variable's range.
    Range,
    /// An index outside of its array.
    Index,
    /// Division by zero.
    Division,
    /// `choose` from nothing.
    NoChoice,
    /// `unlock` of a free lock.
    Unlock,
    /// A procedure ends without its result.
    NoResult,
    Deadlock,
    /// A terminated state that a `final` excludes.
    Final,
}

/// The values of all globals, arrays flattened, then of the locks: 1 for held.
pub type Valuation = Vec<i32>;
