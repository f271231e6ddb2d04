//! The fair scheduler (Musuvathi, Qadeer, PLDI 2008, section 3) on random programs: the theorems, with their premises decided
//! by searches that store states; the algorithm as it is printed, step by step; and what executions make of it.

mod bounds;
mod front_end;
mod graph;
mod paths;
mod printed;
mod program;
mod reduced;
mod replays;
mod space;
mod stateless;
mod theorems;
mod walks;

use program::Program;

/// Runs a check on the programs of so many seeds, and says which seed it was if it fails.
fn on_programs(seeds: u64, mut check: impl FnMut(u64, &Program)) {
    for seed in 0..seeds {
        let program = Program::random(seed);
        let _shown = Shown(seed, &program);
        check(seed, &program);
    }
}

/// Prints the program if it is dropped while a check panics.
struct Shown<'a>(u64, &'a Program);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}: {:?}", self.0, self.1);
        }
    }
}
