//! Who calls whom: what is done in a procedure and in all that it calls.

use super::Checker;
use super::typed::{Block, Facts, Proc, StmtKind};
use crate::diagnostic::Diagnostic;

/// What procedures do, including those that they call.
pub(super) struct Calls {
    /// What all of their statements do.
    facts: Vec<Facts>,
    /// Why they yield: by themselves, or by the call of the given number in [`Proc::calls`].
    yields: Vec<Option<Reason>>,
}

#[derive(Clone, Copy, Debug)]
enum Reason {
    Itself,
    Call(usize),
}

impl Calls {
    pub(super) fn of(procs: &[Proc]) -> Calls {
        let callers = callers(procs);
        let own: Vec<Facts> = procs.iter().map(|proc| block_facts(&proc.body, |_| Facts::NONE)).collect();
        let mut facts = own.clone();
        for fact in [Facts::SHARED, Facts::NOTICES] {
            let mut open: Vec<u32> = (0..procs.len() as u32).filter(|&p| own[p as usize].has(fact)).collect();
            while let Some(proc) = open.pop() {
                for &(caller, _) in &callers[proc as usize] {
                    if !facts[caller as usize].has(fact) {
                        facts[caller as usize] = facts[caller as usize] | fact;
                        open.push(caller);
                    }
                }
            }
        }
        Calls { facts, yields: yields(procs, &callers) }
    }

    /// What a block does, with all that it calls.
    pub(super) fn facts_of(&self, block: &Block) -> Facts {
        block_facts(block, |proc| self.facts[proc as usize])
    }

    /// What a procedure does, with all that it calls.
    pub(super) fn facts(&self, proc: u32) -> Facts {
        self.facts[proc as usize]
    }

    /// Complains about calls inside `atomic` of procedures that yield.
    pub(super) fn check_atomic(&self, checker: &mut Checker<'_, '_>, procs: &[Proc]) {
        for proc in procs {
            for call in proc.calls.iter().filter(|call| call.in_atomic) {
                let Some(_) = self.yields[call.callee.index()] else { continue };
                let mut path = vec![format!("`{}`", procs[call.callee.index()].name)];
                let mut at = call.callee;
                while let Some(Reason::Call(number)) = self.yields[at.index()] {
                    at = procs[at.index()].calls[number].callee;
                    path.push(format!("`{}`", procs[at.index()].name));
                }
                let (span, word) = procs[at.index()].yields.expect("the path ends where it yields");
                if path.len() > 10 {
                    let last = path.pop().expect("it is long");
                    path.truncate(8);
                    path.extend(["...".to_owned(), last]);
                }
                checker.sink.push(
                    Diagnostic::new(call.span, format!("this reaches a `{word}` inside `atomic`"))
                        .label(format!("by way of {}", path.join(", ")))
                        .related(span, format!("the `{word}`"))
                        .hint("call it outside of `atomic`, or call a procedure that does not yield"),
                );
            }
        }
    }
}

/// For each procedure, who calls it, by which of its calls.
fn callers(procs: &[Proc]) -> Vec<Vec<(u32, usize)>> {
    let mut callers = vec![Vec::new(); procs.len()];
    for (caller, proc) in procs.iter().enumerate() {
        for (number, call) in proc.calls.iter().enumerate() {
            callers[call.callee.index()].push((caller as u32, number));
        }
    }
    callers
}

/// The shortest way to a `yield`, from each procedure. Inside `atomic` there is none: that is complained about there.
fn yields(procs: &[Proc], callers: &[Vec<(u32, usize)>]) -> Vec<Option<Reason>> {
    let mut reasons: Vec<Option<Reason>> =
        procs.iter().map(|proc| proc.yields.map(|_| Reason::Itself)).collect();
    let mut row: Vec<u32> = (0..procs.len() as u32).filter(|&p| reasons[p as usize].is_some()).collect();
    while !row.is_empty() {
        let mut next = Vec::new();
        for proc in row {
            for &(caller, number) in &callers[proc as usize] {
                let in_atomic = procs[caller as usize].calls[number].in_atomic;
                if reasons[caller as usize].is_none() && !in_atomic {
                    reasons[caller as usize] = Some(Reason::Call(number));
                    next.push(caller);
                }
            }
        }
        row = next;
    }
    reasons
}

/// What the statements of a block do; `callee` says it of those that they call.
fn block_facts(block: &Block, callee: impl Fn(u32) -> Facts + Copy) -> Facts {
    block.iter().fold(Facts::NONE, |facts, stmt| facts | stmt_facts(&stmt.kind, callee))
}

fn stmt_facts(kind: &StmtKind, callee: impl Fn(u32) -> Facts + Copy) -> Facts {
    let inner = |block: &Block| block_facts(block, callee);
    match kind {
        StmtKind::If(branches, last) => branches
            .iter()
            .fold(inner(last), |facts, branch| facts | branch.condition.facts | inner(&branch.body)),
        StmtKind::While(condition, body) => condition.facts | inner(body),
        StmtKind::For { lo, hi, body, .. } => lo.facts | hi.facts | inner(body),
        StmtKind::Either(blocks) => blocks.iter().fold(Facts::NONE, |facts, block| facts | inner(block)),
        StmtKind::Atomic(body) => inner(body),
        StmtKind::Call { proc, target, .. } => {
            kind.facts() | callee(*proc) | target.as_ref().map_or(Facts::NONE, |place| place.facts)
        }
        simple => simple.facts(),
    }
}
