//! `caissa verify --emit`.

use std::io::Write as _;
use std::process::ExitCode;

use caissa_model::Model;
use caissa_model::sequentialize::{Bounds, sequentialize};
use caissa_model::symbolic::ask::question;
use caissa_model::symbolic::decide::Limits;
use caissa_model::symbolic::unroll::Unwinding;

use super::{STACK, bounds};
use crate::Mistake;
use crate::args::{Format, Verify};

/// Prints what a model is translated into.
pub fn emit(args: &Verify, model: &Model, format: Format, largest: Bounds) -> Result<ExitCode, Mistake> {
    // Formulas are unrolled; whatever else reads the program unrolls it by itself.
    let covered = bounds::covered(args, largest, format == Format::Smt2);
    let sequential = sequentialize(model.code.program(), covered).expect("that was looked at");
    let text = match format {
        Format::Cai => caissa_model::emit::cai(&sequential),
        Format::C => caissa_model::emit::c(&sequential),
        Format::Bpl => {
            let limits = caissa_model::emit::Bounds { loops: args.loops, frames: args.recursion };
            caissa_model::emit::boogie(&sequential, limits)
        }
        Format::Smt2 => {
            let limits = Limits { memory: Some(args.memory.saturating_mul(1 << 20)), ..Limits::default() };
            let unwinding = Unwinding { loops: args.loops, recursion: args.recursion };
            let formula = std::thread::scope(|scope| {
                let work = || question(&sequential, unwinding, &limits);
                let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                let formula = worker.expect("there is room for a stack").join();
                formula.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            formula.map_err(|trouble| Mistake(format!("error: {trouble}\n")))?
        }
    };
    // Nobody may be there any more to read it, which is no reason to fail.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::SUCCESS)
}
