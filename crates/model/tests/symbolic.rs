//! The symbolic engine against exploration by rounds, on small random programs: it finds a bug within the same rounds, and what it finds
//! is an execution of the program. `CAISSA_AGREE=20` for twenty times as many programs.

mod small;

use std::sync::Arc;

use caissa_core::{AtCut, Cost, GuideSpec, Job, Limit, Scope};
use caissa_model::explicit::{self, Rounds, Watched, Wrong, explore_rounds};
use caissa_model::sequentialize::{Bounds, Covered, sequentialize};
use caissa_model::symbolic::ask::{Told, ask};
use caissa_model::symbolic::decide::{Limits, batsat};
use caissa_model::symbolic::play::play;
use caissa_model::symbolic::timeline::{Within, timeline};
use caissa_model::symbolic::unroll::Unwinding;
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::Subject;
use small::random::{Shape, program};
use small::{compile, times};

/// Whether something goes wrong within rounds; none if loops or recursion go on for too long. What is found is replayed.
fn by_sat(code: &Arc<Code>, buffers: u32, tasks: u32, reorder: bool, text: &str) -> Option<bool> {
    let bounds = Bounds::Rounds { buffers, tasks };
    let covered = Covered { bounds, reorder, overflow: false, limits: true, observed: false };
    let sequential = sequentialize(code.program(), covered).expect("any program has rounds");
    let mut solver = batsat(Limits::default());
    let most = Unwinding { loops: 4, recursion: 2 };
    match ask(&sequential, &mut solver, most, &Limits::default()).expect("nobody stops it").told {
        Told::Wrong(events) => {
            let order = timeline(&events, Within::Tasks);
            println!("rounds {buffers}, {tasks}:\n{text}\n{order:?}\n{events:?}");
            let found = play(code, &order);
            let found = found.unwrap_or_else(|why| {
                panic!("rounds {buffers}, {tasks}: {why}\n{order:?}\n{events:?}\n{text}")
            });
            let Wrong::Fault(fault) = found.wrong else { panic!("{:?}", found.wrong) };
            let job = Job {
                prefix: found.choices,
                scope: Scope::One,
                guide: GuideSpec::NonPreemptive,
                cost: Cost::Preemptions,
                limit: Limit { executions: 1, steps: 10_000 },
                faults: 0,
                at_cut: AtCut::Stop,
                keep_deferred: false,
                reduce: false,
                repeat: None,
                trace: true,
            };
            let settings = ExecSettings { fair_k: 0, ..ExecSettings::default() };
            let replay = Exec::new(Arc::clone(code), settings).replay(&job);
            let replayed = replay.bug.map_or("nothing", |bug| bug.kind());
            assert_eq!(replayed, fault.kind(), "a finding does not replay\n{text}");
            Some(true)
        }
        Told::Right => Some(false),
        Told::RightSoFar(_) => None,
    }
}

fn by_states(code: &Arc<Code>, buffers: u32, tasks: u32, reorder: bool) -> bool {
    let rounds = Rounds { buffers, tasks, reorder };
    let explored = explore_rounds(code, rounds, &explicit::Settings::default(), &Watched::default());
    explored.found.is_some()
}

const ROUNDS: [(u32, u32); 6] = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 2)];

/// How often they agree, by what they say.
#[derive(Debug, Default)]
struct Tally {
    wrong: u32,
    right: u32,
    unknown: u32,
}

impl Tally {
    fn agree(&mut self, seed: u64, text: &str, (k1, k2): (u32, u32), reorder: bool) {
        let code = compile(text);
        let states = by_states(&code, k1, k2, reorder);
        match by_sat(&code, k1, k2, reorder, text) {
            None => self.unknown += 1,
            Some(sat) => {
                assert_eq!(sat, states, "seed {seed}, rounds {k1}, {k2} (SAT, states):\n{text}");
                *(if sat { &mut self.wrong } else { &mut self.right }) += 1;
            }
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
            tally.agree(seed, &text, rounds, true);
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
                tally.agree(seed, &text, rounds, true);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.wrong > 50 && tally.right > 500);
}
