//! Checks procedures and their statements.

use super::declare::Result as Gives;
use super::locals::Locals;
use super::typed::{Block, Branch, Facts, Proc, Stmt, StmtKind};
use super::types::Ty;
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{LocalId, ProcId, Scalar, Span};
use crate::syntax::ast::{self, Decl, File};

impl<'s> Checker<'s, '_> {
    /// Checks all procedures.
    pub(super) fn bodies(&mut self, file: &File<'s>) -> Vec<Proc> {
        let mut procs = Vec::new();
        for decl in &file.decls {
            let Decl::Proc(proc) = decl else { continue };
            let checked = self.body(proc, ProcId(procs.len() as u32));
            procs.push(checked);
        }
        procs
    }

    fn body(&mut self, proc: &ast::Proc<'s>, id: ProcId) -> Proc {
        self.mode = Mode::Body;
        let signature = &self.signatures[id.index()];
        let (params, result) = (signature.params.clone(), signature.result);
        self.locals = Locals { result: Some(result), ..Locals::default() };
        for (name, ty) in &params {
            let ty = ty.map_or(Ty::Poison, Ty::Scalar);
            self.add_local(*name, ty, false);
        }
        let body = self.block(&proc.body);
        if matches!(result, Gives::Some(_)) {
            self.check_end(proc);
        }
        let locals = std::mem::take(&mut self.locals);
        Proc {
            name: proc.name.text.to_owned(),
            params: params.len() as u32,
            locals: locals.vars,
            result: match result {
                Gives::Some(ty) => Some(ty),
                _ => None,
            },
            body,
            span: proc.span,
            calls: locals.calls,
            yields: locals.yields,
        }
    }

    fn block(&mut self, block: &ast::Block<'s>) -> Block {
        let open = self.locals.open.len();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            if let Some(kind) = self.stmt(stmt) {
                stmts.push(Stmt { kind, span: stmt.span });
            }
        }
        self.close_to(open);
        stmts
    }

    fn stmt(&mut self, stmt: &ast::Stmt<'s>) -> Option<StmtKind> {
        use ast::StmtKind as Ast;
        Some(match &stmt.kind {
            Ast::Var(var) => self.local(var)?,
            Ast::Assign(target, value) => {
                let place = self.target(target);
                let Some(place) = place else {
                    self.expr(value);
                    return None;
                };
                if place.ty == Scalar::Lock {
                    self.sink.push(
                        Diagnostic::new(target.span, "a lock cannot be assigned")
                            .hint("use `lock m;` and `unlock m;`"),
                    );
                    return None;
                }
                let value = self.assignable(value, place.ty)?;
                StmtKind::Assign(place, value)
            }
            Ast::Call { target, name, args } => self.call(target.as_ref(), *name, args, stmt.span)?,
            Ast::Havoc(target) => self.havoc(target)?,
            Ast::If(branches, last) => {
                let mut checked = Vec::with_capacity(branches.len());
                for branch in branches {
                    let condition = self.bool(&branch.condition);
                    let body = self.block(&branch.body);
                    checked.extend(condition.map(|condition| Branch { condition, body, span: branch.span }));
                }
                StmtKind::If(checked, last.as_ref().map(|block| self.block(block)).unwrap_or_default())
            }
            Ast::While(condition, body) => {
                let condition = self.bool(condition);
                let body = self.block(body);
                StmtKind::While(condition?, body)
            }
            Ast::For { name, lo, hi, body } => {
                let (lo, hi) = (self.int(lo), self.int(hi));
                let open = self.locals.open.len();
                let local = self.add_local(*name, Ty::Scalar(Scalar::Int), true);
                let body = self.block(body);
                self.close_to(open);
                StmtKind::For { local: LocalId(local.first), lo: lo?, hi: hi?, body }
            }
            Ast::Either(blocks) => StmtKind::Either(blocks.iter().map(|block| self.block(block)).collect()),
            Ast::Skip => return None,
            Ast::Assume(condition) => StmtKind::Assume(self.bool(condition)?),
            Ast::Assert(condition, message) => {
                let text = || format!("assertion failed: {}", self.quote(condition.span));
                let message = message.clone().unwrap_or_else(text);
                StmtKind::Assert(self.bool(condition)?, message)
            }
            Ast::Await(condition) => self.await_stmt(condition)?,
            Ast::Lock(place) => StmtKind::Lock(self.lock(place)?),
            Ast::Unlock(place) => StmtKind::Unlock(self.lock(place)?),
            Ast::Atomic(block) => {
                let outer = self.locals.atomic;
                self.locals.atomic = outer.or(Some(stmt.span));
                let block = self.block(block);
                self.locals.atomic = outer;
                StmtKind::Atomic(block)
            }
            Ast::Yield => self.explicit(StmtKind::Yield, "yield", stmt.span),
            Ast::Zield => self.explicit(StmtKind::Zield, "zield", stmt.span),
            Ast::Pause => self.explicit(StmtKind::Pause, "pause", stmt.span),
            Ast::Post { name, args, level } => self.post(*name, args, *level)?,
            Ast::Raise(name) => StmtKind::Raise(self.line(*name)?),
            Ast::Return(value) => self.return_stmt(value.as_ref(), stmt.span)?,
            Ast::Bad => return None,
        })
    }

    fn await_stmt(&mut self, condition: &ast::Expr<'s>) -> Option<StmtKind> {
        let checked = self.bool(condition)?;
        if checked.facts.has(Facts::CHOICE) {
            self.sink
                .push(Diagnostic::new(condition.span, "a choice in `await`").hint(
                    "what is waited for must not change by itself; choose before: `if * { await e; }`",
                ));
            return None;
        }
        Some(StmtKind::Await(checked))
    }

    /// `yield`, `zield` or `pause` as they are written.
    fn explicit(&mut self, kind: StmtKind, word: &'static str, span: Span) -> StmtKind {
        match self.locals.atomic {
            Some(atomic) => self.sink.push(
                Diagnostic::new(span, format!("`{word}` inside `atomic`"))
                    .related(atomic, "nothing else runs while this does")
                    .hint(format!("move the `{word}` out of the block, or split the block in two")),
            ),
            None => {
                self.locals.yields.get_or_insert((span, word));
            }
        }
        kind
    }
}
