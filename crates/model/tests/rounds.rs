//! Rounds (`--rounds K1 --yields K2`) on small random programs: what is found within rounds is an execution; more rounds find no less; with many
//! rounds everything is found. `CAISSA_AGREE=20` for twenty times as many programs.

use crate::small;
use std::sync::Arc;

use crate::small::graph::least;
use crate::small::random::{Shape, program};
use crate::small::{Stmt, compile, times};
use caissa_core::{GuideSpec, Job};
use caissa_model::explicit::{self, Rounds, Watched, Wrong, explore_rounds};
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::Subject;

/// The kind of bug found within rounds; it is replayed.
fn within(code: &Arc<Code>, buffers: u32, tasks: u32, text: &str) -> Option<&'static str> {
    let rounds = Rounds { buffers, tasks, reorder: true };
    let explored = explore_rounds(code, rounds, &explicit::Settings::default(), &Watched::default());
    assert!(explored.ended.is_none() && !explored.long, "{text}");
    let found = explored.found?;
    let kind = match found.wrong {
        Wrong::Fault(fault) => fault.kind(),
        other => panic!("{other:?} within rounds:\n{text}"),
    };
    let job = Job::single(found.choices, GuideSpec::NonPreemptive, 10_000);
    let settings = ExecSettings { fair_k: 0, ..ExecSettings::default() };
    let replay = Exec::new(Arc::clone(code), settings).replay(&job);
    let replayed = replay.bug.map_or("nothing", |bug| bug.kind());
    assert_eq!(replayed, kind, "{rounds:?}: a finding does not replay\n{text}");
    Some(kind)
}

#[test]
fn rounds_find_what_is_there_and_in_the_end_all_of_it() {
    let (mut finals, mut by_more) = (0, 0);
    for seed in 0..200 * times() {
        let shape = Shape { one: seed % 4 == 0, cyclic: false, asserts: false, waits: false, data: 0 };
        let mut program = program(seed, shape);
        // A buffer begins in the first round; so that it may do so by nothing, it zields first.
        program.procs[..program.buffers].iter_mut().for_each(|body| body.insert(0, Stmt::Zield));
        let Some(judge) = least(&program) else { continue };
        let text = program.to_string();
        // Every value of the variables at the end is found, and no other.
        let values = small::VALUES.pow(program.globals as u32);
        for value in 0..values {
            let values: Vec<u8> =
                (0..program.globals as u32).map(|g| value / small::VALUES.pow(g) % small::VALUES).collect();
            let terms: Vec<String> =
                values.iter().enumerate().map(|(g, value)| format!("g{g} == {value}")).collect();
            let text = format!("final !({});\n{text}", terms.join(" && "));
            let code = compile(&text);
            let is_there = judge.finals.contains_key(&values);
            let mut before = [[false; 4]; 4];
            for (k1, k2) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3), (3, 3)] {
                let found = within(&code, k1, k2, &text).is_some();
                assert!(is_there || !found, "seed {seed}: {k1} and {k2} rounds find too much\n{text}");
                let (k1, k2) = (k1 as usize, k2 as usize);
                let less = (1..=k1).any(|i| (1..=k2).any(|j| before[i][j]));
                assert!(found || !less, "seed {seed}: {k1} and {k2} rounds find less than fewer\n{text}");
                before[k1][k2] = found;
            }
            finals += is_there as u32;
            by_more += (is_there && !before[1][1]) as u32;
            if is_there && !before[3][3] {
                assert!(
                    within(&code, 12, 12, &text).is_some(),
                    "seed {seed}: many rounds miss an end\n{text}"
                );
            }
        }
    }
    println!("{finals} ends, {by_more} by more than one round");
    assert!(finals >= 200 && by_more >= 20);
}

#[test]
fn with_waits_what_is_found_is_an_execution() {
    for seed in 0..300 * times() {
        let shape = Shape { one: false, cyclic: seed % 2 == 0, asserts: true, waits: true, data: 0 };
        let program = program(seed, shape);
        let Some(judge) = least(&program) else { continue };
        if judge.bugs.contains_key("spins") {
            continue;
        }
        let text = program.to_string();
        let code = compile(&text);
        let mut before = false;
        for rounds in 1..4 {
            let found = within(&code, rounds, rounds, &text);
            assert!(found.is_none_or(|kind| judge.bugs.contains_key(kind)), "seed {seed}: {found:?}\n{text}");
            assert!(found.is_some() || !before, "seed {seed}: {rounds} rounds find less than fewer\n{text}");
            before = found.is_some();
        }
    }
}
