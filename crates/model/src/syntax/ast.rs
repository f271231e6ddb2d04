//! The syntax tree.
//!
//! What the parser could not make sense of is a hole (`Error`, `Bad`): whoever walks the tree says nothing about it, for it has been
//! complained about. Parentheses leave no trace.

use crate::ir::{Binary, Span, Unary};

/// A name where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) span: Span,
}

/// All of a file.
#[derive(Debug, Default)]
pub(crate) struct File<'s> {
    pub(crate) decls: Vec<Decl<'s>>,
    /// There are declarations that could not be parsed: what a name stands for may be unknown for that reason.
    pub(crate) lost: bool,
}

#[derive(Debug)]
pub(crate) enum Decl<'s> {
    Const { name: Name<'s>, value: Expr<'s> },
    Implicit { yields: bool, zields: bool },
    Enum { name: Name<'s>, members: Vec<Name<'s>> },
    Record { name: Name<'s>, fields: Vec<(Name<'s>, Type<'s>)> },
    Levels { levels: Vec<(Name<'s>, bool)>, span: Span },
    Buffer { name: Name<'s>, main: Name<'s> },
    Interrupt { name: Name<'s>, buffer: Name<'s>, handler: Name<'s>, level: Name<'s> },
    Var { var: Var<'s>, plain: bool },
    Final { condition: Expr<'s>, message: Option<String>, span: Span },
    Proc(Proc<'s>),
}

/// A global or a local.
#[derive(Debug)]
pub(crate) struct Var<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: Type<'s>,
    pub(crate) init: Option<Init<'s>>,
}

/// What a variable is set to.
#[derive(Debug)]
pub(crate) enum Init<'s> {
    One(Expr<'s>),
    List(Vec<Init<'s>>, Span),
}

#[derive(Debug)]
pub(crate) struct Type<'s> {
    pub(crate) kind: TypeKind<'s>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum TypeKind<'s> {
    Bool,
    Int,
    Lock,
    Range(Box<(Expr<'s>, Expr<'s>)>),
    Name(&'s str),
    Array(Box<Type<'s>>, Box<Expr<'s>>),
    Error,
}

#[derive(Debug)]
pub(crate) struct Proc<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<(Name<'s>, Type<'s>)>,
    pub(crate) result: Option<Type<'s>>,
    pub(crate) body: Block<'s>,
    /// Its head.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Block<'s> {
    pub(crate) stmts: Vec<Stmt<'s>>,
    /// The closing brace.
    pub(crate) end: Span,
}

/// A statement; its span is the whole of it without the `;`, or the head of one that has blocks.
#[derive(Debug)]
pub(crate) struct Stmt<'s> {
    pub(crate) kind: StmtKind<'s>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum StmtKind<'s> {
    Var(Var<'s>),
    Assign(Expr<'s>, Expr<'s>),
    /// A call; with the place of its result.
    Call {
        target: Option<Expr<'s>>,
        name: Name<'s>,
        args: Vec<Expr<'s>>,
    },
    Havoc(Expr<'s>),
    /// Conditions with the spans of their heads, and what comes last.
    If(Vec<Branch<'s>>, Option<Block<'s>>),
    While(Expr<'s>, Block<'s>),
    For {
        name: Name<'s>,
        lo: Expr<'s>,
        hi: Expr<'s>,
        body: Block<'s>,
    },
    Either(Vec<Block<'s>>),
    Skip,
    Assume(Expr<'s>),
    Assert(Expr<'s>, Option<String>),
    Await(Expr<'s>),
    Lock(Expr<'s>),
    Unlock(Expr<'s>),
    Atomic(Block<'s>),
    Yield,
    Zield,
    Pause,
    Post {
        name: Name<'s>,
        args: Vec<Expr<'s>>,
        level: Option<Name<'s>>,
    },
    Raise(Name<'s>),
    Return(Option<Expr<'s>>),
    Bad,
}

/// `if e { }` or `else if e { }`.
#[derive(Debug)]
pub(crate) struct Branch<'s> {
    pub(crate) condition: Expr<'s>,
    pub(crate) body: Block<'s>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) span: Span,
    /// How deep the tree is; at most [`super::MAX_DEPTH`].
    pub(crate) depth: u32,
}

#[derive(Debug)]
pub(crate) enum ExprKind<'s> {
    Int(i32),
    Bool(bool),
    Name(&'s str),
    /// `*`
    Any,
    /// `choose(lo, hi)`
    Choose(Box<[Expr<'s>; 2]>),
    Unary(Unary, Box<Expr<'s>>),
    /// Operators of equal precedence, from left to right; a chain may be very long.
    Chain(Box<Expr<'s>>, Vec<Link<'s>>),
    If(Box<[Expr<'s>; 3]>),
    Index(Box<Expr<'s>>, Box<Expr<'s>>),
    Field(Box<Expr<'s>>, Name<'s>),
    Error,
}

/// An operator and its right operand.
#[derive(Debug)]
pub(crate) struct Link<'s> {
    pub(crate) op: Binary,
    pub(crate) op_span: Span,
    pub(crate) operand: Expr<'s>,
}

impl<'s> Expr<'s> {
    pub(crate) fn error(span: Span) -> Expr<'s> {
        Expr { kind: ExprKind::Error, span, depth: 1 }
    }
}

/// Longer chains of operators that are associative are made into trees that are not deep.
pub(crate) const LONG_CHAIN: usize = 32;

/// `(a op b) op c` is `a op (b op c)`: also in the order of evaluation and in what is not evaluated.
pub(crate) fn is_associative(op: Binary) -> bool {
    matches!(
        op,
        Binary::Or
            | Binary::And
            | Binary::BitOr
            | Binary::BitXor
            | Binary::BitAnd
            | Binary::Add
            | Binary::Multiply
    )
}

/// The operator in the text.
pub(crate) fn symbol(op: Binary) -> &'static str {
    match op {
        Binary::Or => "||",
        Binary::And => "&&",
        Binary::Equal => "==",
        Binary::Differ => "!=",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::BitAnd => "&",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
    }
}
