//! The symbolic engine against exploration by rounds, on small random programs: it finds a bug within the same rounds, and what it finds
//! is an execution of the program. `CAISSA_AGREE=20` for twenty times as many programs.

mod cases;
mod crafted;
mod engines;
mod mixed;
mod names;
mod rich;
mod sequential;
mod subtle;
mod tiny;
mod waiting;

use crate::small;
use crate::small::random::{Shape, program};
use crate::small::{compile, times};
use caissa_model::explicit::Rounds;
use engines::agreed;

const ROUNDS: [(u32, u32); 6] = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 2)];

/// How often they agree, by what they say.
#[derive(Debug, Default)]
struct Tally {
    wrong: u32,
    right: u32,
    unknown: u32,
}

impl Tally {
    fn agree(&mut self, seed: u64, text: &str, (buffers, tasks): (u32, u32)) {
        let rounds = Rounds { buffers, tasks, reorder: !seed.is_multiple_of(5) };
        match agreed(&compile(text), rounds, &format!("seed {seed}:\n{text}")) {
            Err(_) => self.unknown += 1,
            Ok(Some(_)) => self.wrong += 1,
            Ok(None) => self.right += 1,
        }
    }
}

#[test]
fn assertions_fail_within_the_same_rounds() {
    let mut tally = Tally::default();
    for seed in 0..300 * times() {
        let shape = Shape { one: seed % 4 == 0, cyclic: false, asserts: true, waits: seed % 3 == 0, data: 0 };
        let text = program(seed, shape).to_string();
        for rounds in ROUNDS {
            tally.agree(seed, &text, rounds);
        }
    }
    println!("{tally:?}");
    assert!(tally.wrong > 50 && tally.right > 500);
}

#[test]
fn programs_end_in_the_same_states() {
    let mut tally = Tally::default();
    for seed in 0..60 * times() {
        let shape =
            Shape { one: seed % 4 == 0, cyclic: false, asserts: false, waits: seed % 3 == 0, data: 0 };
        let program = program(seed, shape);
        let text = program.to_string();
        for value in 0..small::VALUES.pow(program.globals as u32) {
            let term = |g: u32| format!("g{g} == {}", value / small::VALUES.pow(g) % small::VALUES);
            let terms: Vec<String> = (0..program.globals as u32).map(term).collect();
            let text = format!("final !({});\n{text}", terms.join(" && "));
            for rounds in ROUNDS {
                tally.agree(seed, &text, rounds);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.wrong > 50 && tally.right > 500);
}
