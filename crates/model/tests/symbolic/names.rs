//! What a program calls its own is nothing to the translations: with the names that they give to what they add, it is translated to the same.

use caissa_model::ir::{Program, Var};
use caissa_model::sequentialize::{Bounds, Covered, sequentialize};

use crate::small::random::{Shape, program};
use crate::small::{compile, times};
use crate::symbolic::{crafted, waiting};

const BOUNDS: [Bounds; 5] = [
    Bounds::Rounds { buffers: 2, tasks: 2 },
    Bounds::Rounds { buffers: 1, tasks: 3 },
    Bounds::Rounds { buffers: 2, tasks: 1 },
    Bounds::Delays(2),
    Bounds::Threads(2),
];

fn named(program: &mut Program) -> impl Iterator<Item = &mut String> {
    let locals = program.procs.iter_mut().flat_map(|proc| proc.locals.iter_mut());
    program.globals.iter_mut().chain(locals).map(|var: &mut Var| &mut var.name)
}

/// The program, and nothing in it has a name.
fn nameless(mut program: Program) -> Program {
    named(&mut program).for_each(String::clear);
    program.levels.iter_mut().for_each(|level| level.name.clear());
    program.procs.iter_mut().for_each(|proc| proc.name.clear());
    program
}

/// Other names for the globals of a program, and for the locals of each procedure: those that there are in a translation, without what sets them apart.
fn renamed(program: &Program, translated: &Program, from: usize) -> Program {
    let mut names = Vec::new();
    for name in named(&mut translated.clone()) {
        let name = name.trim_end_matches('\'').replace('\'', "_");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut program = program.clone();
    let give = |vars: &mut [Var], skip: usize| {
        let names = names.iter().cycle().skip(from + skip);
        vars.iter_mut().zip(names).for_each(|(var, name)| var.name.clone_from(name));
    };
    give(&mut program.globals, 0);
    for (at, proc) in program.procs.iter_mut().enumerate() {
        give(&mut proc.locals, at * 7);
    }
    program
}

/// Whether the program can be translated so.
fn are_alike(program: &Program, bounds: Bounds, seed: u64) -> bool {
    let covered = Covered { bounds, reorder: true, limits: true, observed: true };
    let Ok(translated) = sequentialize(program, covered) else { return false };
    let expected = nameless(translated.clone());
    let names =
        translated.globals.len() + translated.procs.iter().map(|proc| proc.locals.len()).sum::<usize>();
    for from in 0..names.min(40) {
        let renamed = renamed(program, &translated, from);
        let names: Vec<_> = renamed.globals.iter().map(|var| &var.name).collect();
        let got = nameless(sequentialize(&renamed, covered).expect("names are no matter"));
        assert!(got == expected, "seed {seed}, {bounds:?}, the globals are called {names:?}");
    }
    true
}

#[test]
fn names_are_no_matter() {
    for bounds in BOUNDS {
        let mut compared = 0;
        for seed in 0..12 * times() {
            let threads = Shape { one: true, cyclic: false, asserts: true, waits: seed % 2 == 0, data: 0 };
            for text in [crafted::program(seed), waiting::program(seed), program(seed, threads).to_string()] {
                compared += u32::from(are_alike(compile(&text).program(), bounds, seed));
            }
        }
        assert!(compared >= 5, "{bounds:?} were compared {compared} times");
    }
}
