//! From the typed tree to the program: statements become simple ones, and procedures that are called inside `atomic` get a variant.

use super::calls::Calls;
use super::choices::variable;
use super::points::Implicit;
use super::typed::{self, Block, Branch, Expr, ExprKind, Facts, Final, Init, Place, StmtKind as Typed};
use crate::ir::{
    self, Binary, Expr as Ir, LocalId, ProcId, Program, Scalar, Span, Stmt, StmtKind, Var, VarRef,
};

/// Longer maps are set in a loop, not element by element.
const LONG_MAP: u32 = 16;

/// Makes one procedure after the other.
pub(super) struct Emitter<'t> {
    procs: &'t [typed::Proc],
    calls: &'t Calls,
    pub(super) implicit: Implicit,
    pub(super) has_lines: bool,
    /// The variant for `atomic` of each procedure, once it is needed; and all of them in the order of need.
    variants: Vec<Option<ProcId>>,
    needed: Vec<u32>,
    /// The procedure being made: inside `atomic`, or the variant for it.
    pub(super) atomic: bool,
    locals: Vec<Var>,
    /// How many locals the source declares; those behind them hold choices and intermediate values.
    pub(super) declared: usize,
}

/// Completes a program with its procedures and final conditions.
pub(super) fn emit(
    mut program: Program,
    procs: &[typed::Proc],
    finals: Vec<Final>,
    calls: &Calls,
    implicit: Implicit,
) -> Program {
    let mut emitter = Emitter {
        procs,
        calls,
        implicit,
        has_lines: !program.lines.is_empty(),
        variants: vec![None; procs.len()],
        needed: Vec::new(),
        atomic: false,
        locals: Vec::new(),
        declared: 0,
    };
    for proc in procs {
        let made = emitter.proc(proc, false);
        program.procs.push(made);
    }
    let mut made = 0;
    while let Some(&number) = emitter.needed.get(made) {
        let variant = emitter.proc(&procs[number as usize], true);
        program.procs.push(variant);
        made += 1;
    }
    for last in finals {
        let mut none = Vec::new();
        let condition = emitter.expr(&last.condition, last.span, &mut none);
        assert!(none.is_empty(), "final conditions have no choices");
        program.finals.push(ir::Final { condition, message: last.message, span: last.span });
    }
    program
}

impl Emitter<'_> {
    fn proc(&mut self, proc: &typed::Proc, atomic: bool) -> ir::Proc {
        self.atomic = atomic;
        self.locals = proc.locals.clone();
        self.declared = self.locals.len();
        let body = self.block(&proc.body);
        ir::Proc {
            name: if atomic { format!("{}@atomic", proc.name) } else { proc.name.clone() },
            params: proc.params,
            locals: std::mem::take(&mut self.locals),
            result: proc.result,
            body,
            span: proc.span,
        }
    }

    /// A local that the source does not have.
    pub(super) fn fresh(&mut self, ty: Scalar, span: Span) -> LocalId {
        let number = self.locals.len() - self.declared + 1;
        let id = LocalId(self.locals.len() as u32);
        let name = format!("#{number}");
        self.locals.push(Var { name, ty, len: None, init: vec![0], plain: false, span });
        id
    }

    fn block(&mut self, block: &Block) -> ir::Block {
        let mut out = Vec::with_capacity(block.len());
        for stmt in block {
            self.stmt(&stmt.kind, stmt.span, &mut out);
        }
        out
    }

    fn stmt(&mut self, kind: &Typed, span: Span, out: &mut ir::Block) {
        match kind {
            Typed::If(branches, last) => return self.branches(branches, last, out),
            Typed::While(condition, body) => return self.repeat(condition, body, span, out),
            Typed::For { local, lo, hi, body } => return self.count(*local, lo, hi, body, span, out),
            Typed::Either(blocks) => {
                let local = self.fresh(Scalar::Int, span);
                let (lo, hi) = (Ir::Const(0), Ir::Const(blocks.len() as i32 - 1));
                match blocks.len() {
                    1 => _ = self.locals.pop(),
                    _ => out.push(Stmt { kind: StmtKind::Choose(variable(local), lo, hi), span }),
                }
                let made = self.pick(local, blocks, 0, span);
                return out.extend(made);
            }
            Typed::Atomic(body) => {
                if !self.atomic {
                    self.points(self.calls.facts_of(body), span, out);
                }
                let outer = std::mem::replace(&mut self.atomic, true);
                let made = self.block(body);
                self.atomic = outer;
                return out.extend(made);
            }
            Typed::Await(_) | Typed::Lock(_) => self.points_before_blocking(kind.facts(), span, out),
            simple => self.points(simple.facts(), span, out),
        }
        self.simple(kind, span, out);
    }

    fn simple(&mut self, kind: &Typed, span: Span, out: &mut ir::Block) {
        let kind = match kind {
            Typed::Assign(place, value) => return self.assign(place, value, span, out),
            Typed::Init(inits) => {
                for init in inits {
                    match init {
                        Init::One(place, value) => self.assign(place, value, span, out),
                        Init::Fill(local, range, value) => self.fill(*local, range.clone(), value, span, out),
                    }
                }
                return;
            }
            Typed::Havoc(place, lo, hi) => {
                StmtKind::Choose(self.place(place, span, out), Ir::Const(*lo), Ir::Const(*hi))
            }
            Typed::Assume(value) => StmtKind::Assume(self.expr(value, span, out)),
            Typed::Assert(value, message) => StmtKind::Assert(self.expr(value, span, out), message.clone()),
            Typed::Await(value) => StmtKind::Await(self.expr(value, span, out)),
            Typed::Lock(place) => {
                let before = out.len();
                let place = self.place(place, span, out);
                // A task that is blocked looks at the lines that come directly before.
                if out.len() > before {
                    self.look(span, out);
                }
                StmtKind::Lock(place)
            }
            Typed::Unlock(place) => StmtKind::Unlock(self.place(place, span, out)),
            Typed::Call { proc, args, target } => return self.call(*proc, args, target.as_ref(), span, out),
            Typed::Return(None) => StmtKind::Return(None),
            Typed::Return(Some(value)) => StmtKind::Return(Some(self.expr(value, span, out))),
            Typed::Post { proc, args, level } => {
                let args = self.exprs(args, span, out);
                StmtKind::Post { proc: ProcId(*proc), args, level: *level }
            }
            Typed::Yield => StmtKind::Yield,
            Typed::Zield => StmtKind::Zield,
            Typed::Pause => StmtKind::Pause,
            Typed::Raise(line) => StmtKind::Raise(*line),
            Typed::If(..) | Typed::While(..) | Typed::For { .. } | Typed::Either(_) | Typed::Atomic(_) => {
                unreachable!("not a simple statement")
            }
        };
        out.push(Stmt { kind, span });
    }

    fn assign(&mut self, place: &Place, value: &Expr, span: Span, out: &mut ir::Block) {
        // A choice of values that all belong to the type needs no local of its own.
        if let ExprKind::Choose(bounds) = &value.kind
            && fits(place.ty, value.ty, bounds)
        {
            // An index that is wrong comes before a choice that there is not.
            let is_safe =
                matches!((bounds[0].constant(), bounds[1].constant()), (Some(lo), Some(hi)) if lo <= hi);
            let later = if is_safe { Facts::NONE } else { Facts::CHOICE };
            let target = self.place_before(place, later, span, out);
            let bounds = self.exprs(&bounds[..], span, out);
            let [lo, hi] = <[Ir; 2]>::try_from(bounds).expect("there are two");
            return out.push(Stmt { kind: StmtKind::Choose(target, lo, hi), span });
        }
        let target = self.place_before(place, value.facts, span, out);
        let value = self.expr(value, span, out);
        out.push(Stmt { kind: StmtKind::Assign(target, value), span });
    }

    fn fill(
        &mut self,
        map: LocalId,
        range: std::ops::Range<u32>,
        value: &Expr,
        span: Span,
        out: &mut ir::Block,
    ) {
        let mut made = self.expr(value, span, out);
        if !matches!(made, Ir::Const(_)) {
            made = Ir::Read(variable(self.held(made, value.ty, span, out)));
        }
        let element = |index: Ir| ir::Place { var: VarRef::Local(map), index: Some(Box::new(index)) };
        if range.len() as u32 <= LONG_MAP {
            for at in range {
                let kind = StmtKind::Assign(element(Ir::Const(at as i32)), made.clone());
                out.push(Stmt { kind, span });
            }
            return;
        }
        let at = self.fresh(Scalar::Int, span);
        let one = StmtKind::Assign(element(Ir::Read(variable(at))), made);
        self.upwards(
            at,
            Ir::Const(range.start as i32),
            range.end as i32 - 1,
            vec![Stmt { kind: one, span }],
            span,
            out,
        );
    }

    /// `local` from `lo` to `hi`, which is not the largest integer.
    fn upwards(
        &mut self,
        local: LocalId,
        lo: Ir,
        hi: i32,
        mut body: ir::Block,
        span: Span,
        out: &mut ir::Block,
    ) {
        out.push(Stmt { kind: StmtKind::Assign(variable(local), lo), span });
        body.push(Stmt { kind: StmtKind::Assign(variable(local), next(local)), span });
        let condition = binary(Binary::LessOrEqual, Ir::Read(variable(local)), Ir::Const(hi));
        out.push(Stmt { kind: StmtKind::While(condition, body), span });
    }

    fn call(&mut self, proc: u32, args: &[Expr], target: Option<&Place>, span: Span, out: &mut ir::Block) {
        let args = self.exprs(args, span, out);
        let callee = self.variant(proc);
        let Some(place) = target else {
            return out.push(Stmt { kind: StmtKind::Call { proc: callee, args, result: None }, span });
        };
        if let Place { var: VarRef::Local(local), index: None, .. } = *place {
            let result = Some(variable(local));
            return out.push(Stmt { kind: StmtKind::Call { proc: callee, args, result }, span });
        }
        // The result is stored in a step of its own, for the call may have many.
        let ty = self.procs[proc as usize].result.expect("it has been checked");
        let result = self.fresh(ty, span);
        let kind = StmtKind::Call { proc: callee, args, result: Some(variable(result)) };
        out.push(Stmt { kind, span });
        self.points(place.facts, span, out);
        let target = self.place(place, span, out);
        out.push(Stmt { kind: StmtKind::Assign(target, Ir::Read(variable(result))), span });
    }

    /// The procedure to call: inside `atomic` the variant without implicit yields, if that is another one.
    fn variant(&mut self, proc: u32) -> ProcId {
        let facts = self.calls.facts(proc);
        let differs = facts.has(Facts::SHARED) && (self.implicit.yields || self.implicit.zields)
            || facts.has(Facts::NOTICES) && self.has_lines;
        if !self.atomic || !differs {
            return ProcId(proc);
        }
        if let Some(variant) = self.variants[proc as usize] {
            return variant;
        }
        let id = ProcId((self.procs.len() + self.needed.len()) as u32);
        self.variants[proc as usize] = Some(id);
        self.needed.push(proc);
        id
    }

    fn branches(&mut self, branches: &[Branch], last: &Block, out: &mut ir::Block) {
        let Some((branch, rest)) = branches.split_first() else {
            let made = self.block(last);
            return out.extend(made);
        };
        match branch.condition.constant() {
            Some(0) => self.branches(rest, last, out),
            Some(_) => {
                let made = self.block(&branch.body);
                out.extend(made);
            }
            None => {
                self.points(branch.condition.facts, branch.span, out);
                let condition = self.expr(&branch.condition, branch.span, out);
                let yes = self.block(&branch.body);
                let mut no = Vec::new();
                self.branches(rest, last, &mut no);
                out.push(Stmt { kind: StmtKind::If(condition, yes, no), span: branch.span });
            }
        }
    }

    fn repeat(&mut self, condition: &Expr, body: &Block, span: Span, out: &mut ir::Block) {
        if condition.constant() == Some(0) {
            return;
        }
        let mut before = Vec::new();
        self.points(condition.facts, span, &mut before);
        let condition = self.expr(condition, span, &mut before);
        let mut body = self.block(body);
        body.extend(before.iter().cloned());
        out.extend(before);
        out.push(Stmt { kind: StmtKind::While(condition, body), span });
    }

    fn count(&mut self, local: LocalId, lo: &Expr, hi: &Expr, body: &Block, span: Span, out: &mut ir::Block) {
        self.points(lo.facts | hi.facts, span, out);
        if let Some(hi) = hi.constant()
            && hi < i32::MAX
        {
            let lo = self.expr(lo, span, out);
            let body = self.block(body);
            return self.upwards(local, lo, hi, body, span, out);
        }
        // The counter must not go past the last value, which may be the largest integer.
        let bounds = self.exprs(&[lo.clone(), hi.clone()], span, out);
        let [lo, hi] = <[Ir; 2]>::try_from(bounds).expect("there are two");
        let (last, more) = (self.fresh(Scalar::Int, span), self.fresh(Scalar::Bool, span));
        let read = |local| Ir::Read(variable(local));
        let assign = |local, value| Stmt { kind: StmtKind::Assign(variable(local), value), span };
        out.push(assign(local, lo));
        out.push(assign(last, hi));
        out.push(assign(more, binary(Binary::LessOrEqual, read(local), read(last))));
        let mut body = self.block(body);
        body.push(assign(more, binary(Binary::Less, read(local), read(last))));
        let step = vec![assign(local, next(local))];
        body.push(Stmt { kind: StmtKind::If(read(more), step, Vec::new()), span });
        out.push(Stmt { kind: StmtKind::While(read(more), body), span });
    }

    /// The block whose number, counted from `first`, is in `local`: found by halving.
    fn pick(&mut self, local: LocalId, blocks: &[Block], first: i32, span: Span) -> ir::Block {
        if let [block] = blocks {
            return self.block(block);
        }
        let (low, high) = blocks.split_at(blocks.len() / 2);
        let middle = first + low.len() as i32;
        let read = Ir::Read(variable(local));
        let condition = match low.len() {
            1 => binary(Binary::Equal, read, Ir::Const(first)),
            _ => binary(Binary::Less, read, Ir::Const(middle)),
        };
        let yes = self.pick(local, low, first, span);
        let no = self.pick(local, high, middle, span);
        vec![Stmt { kind: StmtKind::If(condition, yes, no), span }]
    }
}

/// All values of a choice belong to the type of the place.
fn fits(place: Scalar, value: Scalar, bounds: &[Expr; 2]) -> bool {
    match (place, bounds[0].constant(), bounds[1].constant()) {
        (Scalar::Range(least, most), Some(lo), Some(hi)) => least <= lo && hi <= most,
        (Scalar::Range(..), ..) => false,
        _ => place == value,
    }
}

fn binary(op: Binary, left: Ir, right: Ir) -> Ir {
    Ir::Binary(op, Box::new(left), Box::new(right))
}

fn next(local: LocalId) -> Ir {
    binary(Binary::Add, Ir::Read(variable(local)), Ir::Const(1))
}
