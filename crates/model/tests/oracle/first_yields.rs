//! Fewer points: a new task runs to its first yield at once, and over it, if all that it does before is its own.
//!
//! The reference is Fig. 4 without this; `Program::passes_first_yields` switches it on. What is passed is what the engines pass: up to
//! the first statement, in the order of the text, that does more than to read and write locals, if that is a yield and if the task comes
//! there without a fault. Nothing is passed in programs with interrupt lines, where a look comes before each yield; nor, in programs with
//! several buffers, a yield in front of a wait: who yields and then waits makes way for other buffers, who has not begun does not.

use super::ast::{Block, Expr, Place, Program, Stmt};
use super::config::{Frame, Item, next_statement};
use super::eval::{Env, Picker};

/// Longer ways to the first yield are not followed.
const SHORT: u32 = 64;

/// A task that begins.
pub fn begin<'p>(program: &'p Program, proc: usize, args: &[i32], level: usize) -> Frame<'p> {
    let frame = Frame::new(program, proc, args, level, false);
    let passes = program.passes_first_yields
        && program.lines.is_empty()
        && first_of_more(program, &program.procs[proc].body) == Some(true);
    if !passes {
        return frame;
    }
    let mut passed = frame.clone();
    let waits = |frame: &Frame<'p>| {
        matches!(next_statement(program, &frame.todo), Some(Stmt::Await(_) | Stmt::Lock(_)))
    };
    if pass(program, &mut passed) && (program.buffers.len() == 1 || !waits(&passed)) { passed } else { frame }
}

/// Whether the first statement that is not the task's own is a yield; none if there is no such statement.
fn first_of_more(program: &Program, block: &Block) -> Option<bool> {
    block.iter().find_map(|stmt| match stmt {
        _ if program.implicit_yields && program.is_yielded_before(stmt) => Some(true),
        Stmt::Yield => Some(true),
        Stmt::Skip => None,
        Stmt::Assign(Place::Local(_), e) if is_own(e) => None,
        Stmt::If(e, ..) | Stmt::While(e, _) if !is_own(e) => Some(false),
        Stmt::If(..) | Stmt::While(..) | Stmt::For { .. } | Stmt::Atomic(_) => {
            stmt.blocks().into_iter().find_map(|block| first_of_more(program, block))
        }
        _ => Some(false),
    })
}

fn is_own(e: &Expr) -> bool {
    !e.reads_global() && !chooses(e)
}

fn chooses(e: &Expr) -> bool {
    match e {
        Expr::Star | Expr::Choose(..) => true,
        Expr::Int(_) | Expr::Bool(_) => false,
        Expr::Read(Place::Element(_, index)) => chooses(index),
        Expr::Read(_) => false,
        Expr::Not(e) | Expr::Negate(e) | Expr::Complement(e) => chooses(e),
        Expr::Binary(_, a, b) => chooses(a) || chooses(b),
        Expr::Cond(parts) => parts.iter().any(chooses),
    }
}

/// Runs a frame over its first yield. False if it does not come there.
fn pass<'p>(program: &'p Program, frame: &mut Frame<'p>) -> bool {
    for _ in 0..SHORT {
        let Some(item) = frame.todo.pop() else { return false };
        match item {
            Item::Declare => {}
            Item::Count(stmt, next, atomic) => count(frame, stmt, next, atomic),
            Item::Do(Stmt::Yield, false) => return true,
            Item::Do(stmt, false) if program.implicit_yields && program.is_yielded_before(stmt) => {
                // The yield is behind it, a zield is not.
                if program.implicit_zields {
                    frame.todo.extend([Item::Bare(stmt, false), Item::Bare(&super::fig4::ZIELD, false)]);
                } else {
                    frame.todo.push(Item::Bare(stmt, false));
                }
                return true;
            }
            Item::Do(stmt, atomic) => {
                if own(program, frame, stmt, atomic).is_none() {
                    return false;
                }
            }
            Item::Bare(..) | Item::Look | Item::Receive(..) | Item::Result(..) | Item::Store(..) => {
                return false;
            }
        }
    }
    false
}

/// Does a statement that is the task's own. None if it is not, or fails.
fn own<'p>(program: &'p Program, frame: &mut Frame<'p>, stmt: &'p Stmt, atomic: bool) -> Option<()> {
    let value = |frame: &Frame<'p>, e: &Expr| {
        let env = Env { globals: &[], locals: &frame.locals };
        is_own(e).then(|| env.eval(e, &mut Picker::default()).ok()).flatten()
    };
    match stmt {
        Stmt::Skip => {}
        Stmt::Assign(Place::Local(local), e) => {
            let value = value(frame, e)?;
            if !program.procs[frame.proc].locals[*local].contains(value) {
                return None;
            }
            frame.locals[*local] = value;
        }
        Stmt::If(e, yes, no) => {
            let taken = if value(frame, e)? != 0 { yes } else { no };
            frame.push_block(taken, atomic);
        }
        Stmt::While(e, body) => {
            if value(frame, e)? != 0 {
                frame.todo.push(Item::Do(stmt, atomic));
                frame.push_block(body, atomic);
            }
        }
        Stmt::For { lo, .. } => count(frame, stmt, *lo, atomic),
        Stmt::Atomic(body) => frame.push_block(body, true),
        _ => return None,
    }
    Some(())
}

fn count<'p>(frame: &mut Frame<'p>, stmt: &'p Stmt, next: i32, atomic: bool) {
    let Stmt::For { local, hi, body, .. } = stmt else { unreachable!("only `for` counts") };
    if next <= *hi {
        frame.locals[*local] = next;
        frame.todo.push(Item::Count(stmt, next + 1, atomic));
        frame.push_block(body, atomic);
    }
}
