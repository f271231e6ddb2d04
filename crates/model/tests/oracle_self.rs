//! The judge of the model engines, judged: its parts agree with each other on random programs.

use crate::oracle;
use std::collections::BTreeMap;

use crate::oracle::ast::{Expr, Kind, Op, Place, Program, Stmt, Type};
use crate::oracle::explore::{Executions, Limit, Reach, executions, reach};
use crate::oracle::implicit::written_out;
use crate::oracle::popl11::{bag, depth_first, is_simple, round_robin};
use crate::oracle::random::{Rng, SHAPES, Shape, any, program, sized};
use crate::oracle::write::{add, binary, eq, g, int, log, post, proc, set};

/// Seeds of the programs of one comparison.
const SEEDS: std::ops::Range<u64> = 0..200;

#[test]
fn graph_and_tree_agree() {
    for shape in SHAPES {
        for seed in SEEDS {
            let (program, executions) = sized(shape, seed);
            let found = reach(&program, Limit::NONE).expect("there is no limit");
            assert_eq!(found, executions.reach, "{shape:?}, seed {seed}:\n{program}");
        }
    }
}

#[test]
fn one_buffer_and_level_is_the_semantics_of_2011() {
    for shape in [Shape::Simple, Shape::Threads] {
        for seed in SEEDS {
            let (program, executions) = sized(shape, seed);
            assert!(is_simple(&program), "{shape:?}, seed {seed}:\n{program}");
            let found = bag(&program, Limit::NONE).expect("there is no limit");
            assert_eq!(found, executions, "{shape:?}, seed {seed}:\n{program}");
        }
    }
}

#[test]
fn implicit_yields_are_yields() {
    for seed in SEEDS {
        let (program, found) = sized(Shape::Implicit, seed);
        let Some(written) = written_out(&program) else { continue };
        let expected = executions(&written, Limit::NONE).expect("there is no limit");
        assert_eq!(found, expected, "seed {seed}:\n{program}\nwritten out:\n{written}");
    }
}

#[test]
fn first_yields_lose_nothing() {
    for shape in SHAPES {
        for seed in SEEDS {
            let (program, executions) = sized(shape, seed);
            let fewer = Program { passes_first_yields: true, ..program };
            let found = reach(&fewer, Limit::NONE).expect("there is no limit");
            assert_eq!(found, executions.reach, "{shape:?}, seed {seed}:\n{fewer}");
        }
    }
}

/// The ends of all executions, whatever they cost.
fn ends(executions: &Executions) -> (BTreeMap<Vec<i32>, u32>, BTreeMap<Kind, u64>, u64) {
    let mut bugs = BTreeMap::new();
    for tally in executions.by_cost.values() {
        for (&kind, count) in &tally.bugs {
            *bugs.entry(kind).or_default() += count;
        }
    }
    let finals = executions.reach.finals.keys().map(|values| (values.clone(), 0)).collect();
    (finals, bugs, executions.all())
}

#[test]
fn delays_reach_every_execution() {
    for shape in [Shape::Simple, Shape::Threads] {
        for seed in SEEDS {
            let (program, executions) = sized(shape, seed);
            for (scheduler, found) in [
                ("rr", round_robin(&program, Limit::NONE)),
                ("depth-first", depth_first(&program, Limit::NONE)),
            ] {
                let found = found.expect("there is no limit");
                assert_eq!(
                    ends(&found),
                    ends(&executions),
                    "{scheduler}, {shape:?}, seed {seed}:\n{program}"
                );
            }
        }
    }
}

fn finals_of(executions: Option<Executions>) -> Vec<(i32, u32)> {
    let reach: Reach = executions.expect("there is no limit").reach;
    assert!(reach.bugs.is_empty() && reach.discarded.is_none());
    reach.finals.into_iter().map(|(values, delays)| (values[0], delays)).collect()
}

fn simple(procs: Vec<Vec<Stmt>>) -> Program {
    oracle::write::program(&[0, 0], procs.into_iter().map(proc).collect())
}

#[test]
fn round_robin_goes_on_with_the_task_that_yields() {
    let yielding = simple(vec![vec![post(1), Stmt::Yield, log(0, 1)], vec![log(0, 2)]]);
    assert_eq!(finals_of(round_robin(&yielding, Limit::NONE)), [(12, 0), (21, 1)]);
    let three =
        simple(vec![vec![post(1), post(2), post(3)], vec![log(0, 1)], vec![log(0, 2)], vec![log(0, 3)]]);
    // The third first: two delays; then the round goes on with the first.
    let expected = [(123, 0), (132, 1), (213, 2), (231, 1), (312, 2), (321, 3)];
    assert_eq!(finals_of(round_robin(&three, Limit::NONE)), expected);
}

#[test]
fn depth_first_goes_on_with_what_was_posted() {
    let yielding = simple(vec![vec![post(1), Stmt::Yield, log(0, 1)], vec![log(0, 2)]]);
    assert_eq!(finals_of(depth_first(&yielding, Limit::NONE)), [(12, 1), (21, 0)]);
    let three =
        simple(vec![vec![post(1), post(2), post(3)], vec![log(0, 1)], vec![log(0, 2)], vec![log(0, 3)]]);
    // What is delayed waits for the next round, where what was delayed first comes first.
    let expected = [(123, 0), (132, 1), (213, 2), (231, 1), (312, 2), (321, 3)];
    assert_eq!(finals_of(depth_first(&three, Limit::NONE)), expected);
    let deep =
        simple(vec![vec![post(1), post(2)], vec![post(3), log(0, 1)], vec![log(0, 2)], vec![log(0, 3)]]);
    // What the first one posts comes before the second one.
    assert_eq!(finals_of(depth_first(&deep, Limit::NONE))[..2], [(123, 1), (132, 0)]);
}

#[test]
fn delaying_schedulers_pass_over_blocked_tasks() {
    // Global 1 frees the first task.
    let waiting = vec![Stmt::Await(eq(g(1), int(1))), log(0, 1)];
    let program = simple(vec![
        vec![post(1), post(2)],
        waiting,
        vec![log(0, 2), set(1, int(1)), Stmt::Yield, log(0, 3)],
    ]);
    // The first is passed over free of charge. When the second yields both are enabled.
    assert_eq!(finals_of(round_robin(&program, Limit::NONE)), [(213, 1), (231, 0)]);
    assert_eq!(finals_of(depth_first(&program, Limit::NONE)), [(213, 1), (231, 0)]);
}

#[test]
fn programs_differ_as_they_should() {
    let mut bugs: BTreeMap<Kind, [u32; 3]> = BTreeMap::new();
    let (mut clean, mut discarded, mut finals, mut costs, mut many, mut all) = (0, 0, 0, 0, 0, 0);
    const COUNT: u64 = 1_000;
    for seed in 0..COUNT {
        let (_, executions) = any(seed);
        for (&kind, &preemptions) in &executions.reach.bugs {
            bugs.entry(kind).or_default()[preemptions.min(2) as usize] += 1;
        }
        clean += u32::from(executions.reach.bugs.is_empty());
        discarded += u32::from(executions.reach.discarded.is_some());
        finals += u32::from(executions.reach.finals.len() > 1);
        costs += u32::from(executions.by_cost.len() > 2);
        many += u32::from(executions.all() > 100);
        all += executions.all();
    }
    println!(
        "clean {clean}, discarded {discarded}, finals {finals}, costs {costs}, many {many}, all {all}, {bugs:?}"
    );
    for kind in
        [Kind::Assertion, Kind::Range, Kind::Index, Kind::Division, Kind::Unlock, Kind::Deadlock, Kind::Final]
    {
        assert!(bugs.get(&kind).is_some_and(|counts| counts[0] >= 8), "{kind:?}: {bugs:?}");
    }
    for kind in [Kind::Assertion, Kind::Deadlock] {
        assert!(bugs[&kind][1] >= 5 && bugs[&kind][2] >= 1, "with preemptions, {kind:?}: {bugs:?}");
    }
    for (what, count) in [("clean", clean), ("finals", finals), ("costs", costs), ("many", many)] {
        assert!(count >= 200, "{what}: {count}");
    }
    assert!(discarded >= 20, "discarded: {discarded}");
    let average = all / COUNT;
    assert!((100..1_000).contains(&average), "executions: {average}");
}

#[test]
fn a_seed_fixes_its_program() {
    for shape in SHAPES {
        assert_eq!(program(shape, 7).to_string(), program(shape, 7).to_string());
        assert_ne!(program(shape, 7), program(shape, 8));
    }
    assert_eq!(Rng::new(0).next(), 0xe220_a839_7b1d_cdaf, "the first value of splitmix64");
}

#[test]
fn text_has_the_parentheses_that_it_needs() {
    let show = |e: Expr| e.to_string();
    let sum = || add(g(0), g(1));
    assert_eq!(show(binary(Op::Mul, sum(), sum())), "(g0 + g1) * (g0 + g1)");
    assert_eq!(show(binary(Op::Sub, sum(), sum())), "g0 + g1 - (g0 + g1)");
    assert_eq!(show(binary(Op::BitAnd, sum(), binary(Op::BitOr, g(0), g(1)))), "g0 + g1 & (g0 | g1)");
    assert_eq!(show(binary(Op::Lt, binary(Op::BitAnd, g(0), g(1)), int(-1))), "g0 & g1 < -1");
    assert_eq!(show(eq(eq(g(0), g(1)), Expr::Star)), "(g0 == g1) == *");
    assert_eq!(show(Expr::Negate(Box::new(int(-1)))), "-(-1)");
    assert_eq!(show(Expr::Not(Box::new(eq(g(0), g(1))))), "!(g0 == g1)");
    let cond = || Expr::Cond(Box::new([Expr::Star, g(0), g(1)]));
    assert_eq!(show(add(cond(), int(1))), "(* ? g0 : g1) + 1");
    assert_eq!(
        show(Expr::Cond(Box::new([cond(), cond(), cond()]))),
        "(* ? g0 : g1) ? (* ? g0 : g1) : * ? g0 : g1"
    );
}

#[test]
fn text_is_the_language_of_models() {
    let mut program = simple(vec![
        vec![
            Stmt::For { local: 0, lo: 0, hi: 1, body: vec![Stmt::Raise(0)] },
            Stmt::If(Expr::Star, vec![Stmt::Lock(0)], vec![Stmt::Skip]),
            Stmt::Either(vec![vec![Stmt::Unlock(0)], vec![]]),
            Stmt::Call { proc: 1, args: vec![int(1)], into: Some(Place::Local(1)) },
        ],
        vec![Stmt::Return(Some(Expr::Choose(Box::new(int(0)), Box::new(int(1)))))],
    ])
    .levels(&[false, true])
    .locks(1)
    .line(0, 0, 1)
    .ends_with(eq(g(0), int(0)));
    program.implicit_yields = true;
    program.globals[1] = oracle::ast::Global { ty: Type::Bool, init: 1, len: Some(2) };
    program.procs[0].locals = vec![Type::Int, Type::Range(0, 3)];
    (program.procs[1].params, program.procs[1].locals) = (1, vec![Type::Int]);
    program.procs[1].result = Some(Type::Int);
    let expected = "\
implicit yields;
levels l0 < serial l1;
buffer b0 runs p0;
interrupt i0 in b0 runs p0 at l1;
var g0: int = 0;
var g1: [bool; 2] = true;
var m0: lock;
final g0 == 0;
proc p0() {
    var v1: 0..3;
    for v0 in 0..1 {
        raise i0;
    }
    if * {
        lock m0;
    } else {
        skip;
    }
    either {
        unlock m0;
    } or {
    }
    v1 := p1(1);
}
proc p1(v0: int): int {
    return choose(0, 1);
}
";
    assert_eq!(program.to_string(), expected);
}
