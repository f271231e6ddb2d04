//! The typed tree: names are numbers, constants are folded, places are variables without structure. Choices, loops and `atomic` are
//! still there.

use std::ops::{BitOr, Range};

use crate::ir::{Binary, GlobalId, LevelId, LineId, LocalId, ProcId, Scalar, Span, Unary, Var, VarRef};

/// What is known about an expression or a statement without looking into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts(u8);

impl Facts {
    pub(super) const NONE: Facts = Facts(0);
    /// It contains a choice.
    pub(super) const CHOICE: Facts = Facts(1);
    /// Its evaluation can be a bug: a division, an index.
    pub(super) const FAILS: Facts = Facts(2);
    /// It accesses a global that is not plain.
    pub(super) const SHARED: Facts = Facts(4);
    /// The lines are looked at before it: it accesses a global, or is a statement that others can notice.
    pub(super) const NOTICES: Facts = Facts(8);

    pub(super) fn has(self, other: Facts) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Facts {
    type Output = Facts;

    fn bitor(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }
}

/// An expression. Its type is `Bool`, `Int` or an enum: ranges are integers here.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) ty: Scalar,
    pub(super) facts: Facts,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Const(i32),
    Read(Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<[Expr; 3]>),
    Bound(Box<Expr>, u32),
    /// Any value from the first to the second.
    Choose(Box<[Expr; 2]>),
}

impl Expr {
    pub(super) fn constant(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }
}

/// A variable, or a scalar in a map.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) var: VarRef,
    pub(super) index: Option<Box<Expr>>,
    /// Its declared type.
    pub(super) ty: Scalar,
    /// Of an access: also what its index is.
    pub(super) facts: Facts,
}

pub(super) type Block = Vec<Stmt>;

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Assign(Place, Expr),
    /// All of them, one after the other, in one step.
    Init(Vec<Init>),
    /// Any value from the first to the second.
    Havoc(Place, i32, i32),
    If(Vec<Branch>, Block),
    While(Expr, Block),
    For {
        local: LocalId,
        lo: Expr,
        hi: Expr,
        body: Block,
    },
    Either(Vec<Block>),
    Assume(Expr),
    Assert(Expr, String),
    Await(Expr),
    Lock(Place),
    Unlock(Place),
    Call {
        proc: u32,
        args: Vec<Expr>,
        target: Option<Place>,
    },
    Return(Option<Expr>),
    Post {
        proc: u32,
        args: Vec<Expr>,
        level: Option<LevelId>,
    },
    Atomic(Block),
    Yield,
    Zield,
    Pause,
    Raise(LineId),
}

/// What a local is set to where it is declared.
#[derive(Clone, Debug)]
pub(super) enum Init {
    One(Place, Expr),
    /// These scalars of a map, to the same value.
    Fill(LocalId, Range<u32>, Expr),
}

#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) condition: Expr,
    pub(super) body: Block,
    pub(super) span: Span,
}

/// A procedure.
#[derive(Debug)]
pub(super) struct Proc {
    pub(super) name: String,
    pub(super) params: u32,
    pub(super) locals: Vec<Var>,
    pub(super) result: Option<Scalar>,
    pub(super) body: Block,
    pub(super) span: Span,
    /// Its calls, in the order of the text.
    pub(super) calls: Vec<Call>,
    /// The first `yield`, `zield` or `pause` of it that is not inside `atomic`, and its keyword.
    pub(super) yields: Option<(Span, &'static str)>,
}

/// A call of a procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) callee: ProcId,
    pub(super) span: Span,
    pub(super) in_atomic: bool,
}

/// A condition of terminated states.
#[derive(Debug)]
pub(super) struct Final {
    pub(super) condition: Expr,
    pub(super) message: String,
    pub(super) span: Span,
}

impl Place {
    pub(super) fn local(id: LocalId, ty: Scalar) -> Place {
        Place { var: VarRef::Local(id), index: None, ty, facts: Facts::NONE }
    }

    pub(super) fn global(id: GlobalId, ty: Scalar, plain: bool) -> Place {
        let facts = if plain { Facts::NOTICES } else { Facts::NOTICES | Facts::SHARED };
        Place { var: VarRef::Global(id), index: None, ty, facts }
    }

    pub(super) fn at(mut self, index: Option<Expr>) -> Place {
        if let Some(index) = index {
            self.facts = self.facts | index.facts;
            self.index = Some(Box::new(index));
        }
        self
    }
}
