//! From the syntax tree to the typed intermediate representation.
//!
//! First all names are declared, then constants are computed, types laid out, and every expression and statement is checked; that makes
//! a typed tree (`typed`), in which names are numbers and constants are folded. All mistakes are reported there, each once: what
//! depends on a mistake has no value and no complaint. Only a tree without mistakes is emitted (`emit`): choices get statements of their
//! own, loops and branches become simple ones, implicit yields are written out.

mod calls;
mod choices;
mod constants;
mod declare;
mod emit;
mod expr;
mod flow;
mod fold;
mod globals;
mod invoke;
mod locals;
mod names;
mod place;
mod points;
mod stmt;
mod typed;
mod types;

use crate::diagnostic::Sink;
use crate::ir::{self, SourceText};
use crate::syntax::ast::File;
use locals::Locals;
use names::Names;
use types::Types;

/// What may stand in the expression that is being checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Constants only; overflow is a mistake.
    Constant,
    /// Globals.
    Final,
    /// Everything.
    Body,
}

/// Checks a file.
struct Checker<'s, 'd> {
    source: &'s SourceText,
    sink: &'d mut Sink,
    /// [`File::lost`].
    lost: bool,
    names: Names<'s>,
    types: Types,
    constants: Vec<constants::Constant>,
    enums: Vec<ir::Enum>,
    levels: Vec<ir::Level>,
    buffers: Vec<ir::Buffer>,
    lines: Vec<ir::Line>,
    globals: Vec<place::Variable>,
    vars: Vec<ir::Var>,
    signatures: Vec<declare::Signature<'s>>,
    implicit: points::Implicit,
    mode: Mode,
    /// The value of the expression is not needed: it need not have one.
    unneeded: bool,
    locals: Locals<'s>,
}

/// Checks a file and makes a program of it; `None` if anything is wrong.
pub(crate) fn lower<'s>(
    file: &File<'s>,
    source: &'s SourceText,
    sets: &[(String, String)],
    sink: &mut Sink,
) -> Option<ir::Program> {
    let mut checker = Checker {
        source,
        lost: file.lost,
        sink,
        names: Names::default(),
        types: Types::default(),
        constants: Vec::new(),
        enums: Vec::new(),
        levels: Vec::new(),
        buffers: Vec::new(),
        lines: Vec::new(),
        globals: Vec::new(),
        vars: Vec::new(),
        signatures: Vec::new(),
        implicit: points::Implicit::default(),
        mode: Mode::Constant,
        unneeded: false,
        locals: Locals::default(),
    };
    checker.declare(file);
    checker.constants(file, sets);
    checker.records(file);
    checker.globals(file);
    checker.signatures(file);
    checker.surroundings(file);
    let procs = checker.bodies(file);
    let finals = checker.finals(file);
    let calls = calls::Calls::of(&procs);
    calls.check_atomic(&mut checker, &procs);
    if !checker.sink.is_empty() {
        return None;
    }
    let program = ir::Program {
        source: source.clone(),
        levels: checker.levels,
        buffers: checker.buffers,
        lines: checker.lines,
        enums: checker.enums,
        globals: checker.vars,
        procs: Vec::new(),
        finals: Vec::new(),
    };
    Some(emit::emit(program, &procs, finals, &calls, checker.implicit))
}
