//! SKIP, ASSIGN, ASSUME, IF, LOOP, CALL, RETURN, and what expressions may run into.

use super::super::ast::{Expr, Global, Kind, Op, Place, Proc, Program, Stmt, Type};
use super::super::write::{add, binary, call, eq, g, int, log, lt, ne, proc, program, set, set_local, v};
use super::{Rule, rule};

/// One task with one global that is 0.
fn alone(body: Vec<Stmt>) -> Program {
    program(&[0], vec![proc(body)])
}

fn typed(mut program: Program, ty: Type, len: Option<usize>) -> Program {
    let init = program.globals[0].init;
    program.globals[0] = Global { ty, init, len };
    program
}

fn choose(lo: i32, hi: i32) -> Expr {
    Expr::Choose(Box::new(int(lo)), Box::new(int(hi)))
}

fn returning(params: usize, locals: usize, body: Vec<Stmt>) -> Proc {
    Proc { params, locals: vec![Type::Int; locals], result: Some(Type::Int), body }
}

pub fn all() -> Vec<Rule> {
    let mut all = statements();
    all.extend(calls());
    all.extend(failures());
    all
}

fn statements() -> Vec<Rule> {
    vec![
        rule("skip", alone(vec![Stmt::Skip, set(0, int(1))])).ends(&[1], 0).counts(&[1]),
        rule("assign any of several values", alone(vec![set(0, choose(1, 3))]))
            .ends(&[1], 0)
            .ends(&[2], 0)
            .ends(&[3], 0)
            .counts(&[3]),
        rule(
            "havoc takes every value of the type",
            typed(alone(vec![Stmt::Havoc(Place::Global(0))]), Type::Range(0, 1), None),
        )
        .ends(&[0], 0)
        .ends(&[1], 0)
        .counts(&[2]),
        rule("assume discards", alone(vec![set(0, choose(0, 2)), Stmt::Assume(ne(g(0), int(1)))]))
            .ends(&[0], 0)
            .ends(&[2], 0)
            .discarded(0)
            .counts(&[3]),
        rule("if by a choice", alone(vec![Stmt::If(Expr::Star, vec![log(0, 1)], vec![log(0, 2)])]))
            .ends(&[1], 0)
            .ends(&[2], 0)
            .counts(&[2]),
        rule("if without else", alone(vec![Stmt::If(eq(g(0), int(1)), vec![log(0, 1)], vec![]), log(0, 2)]))
            .ends(&[2], 0)
            .counts(&[1]),
        rule("while", alone(vec![Stmt::While(lt(g(0), int(3)), vec![set(0, add(g(0), int(1)))])]))
            .ends(&[3], 0)
            .counts(&[1]),
        // Where the first operand is false there is no choice.
        rule(
            "and evaluates what it needs",
            alone(vec![Stmt::While(
                binary(Op::And, lt(g(0), int(2)), Expr::Star),
                vec![set(0, add(g(0), int(1)))],
            )]),
        )
        .ends(&[0], 0)
        .ends(&[1], 0)
        .ends(&[2], 0)
        .counts(&[3]),
        rule("for counts up to its end", {
            let count = Stmt::For {
                local: 0,
                lo: 1,
                hi: 3,
                body: vec![set(0, add(binary(Op::Mul, g(0), int(10)), v(0)))],
            };
            program(&[0], vec![Proc { locals: vec![Type::Int], ..proc(vec![count]) }])
        })
        .ends(&[123], 0)
        .counts(&[1]),
        rule("for may have nothing to do", {
            let count = Stmt::For { local: 0, lo: 1, hi: 0, body: vec![log(0, 1)] };
            program(&[0], vec![Proc { locals: vec![Type::Int], ..proc(vec![count]) }])
        })
        .ends(&[0], 0)
        .counts(&[1]),
        rule("either", alone(vec![Stmt::Either(vec![vec![log(0, 1)], vec![log(0, 2)], vec![]]), log(0, 3)]))
            .ends(&[13], 0)
            .ends(&[23], 0)
            .ends(&[3], 0)
            .counts(&[3]),
        rule(
            "final is judged where all has ended",
            alone(vec![set(0, choose(0, 1))]).ends_with(ne(g(0), int(1))),
        )
        .ends(&[0], 0)
        .ends(&[1], 0)
        .bug(Kind::Final, 0)
        .counts(&[2]),
    ]
}

fn calls() -> Vec<Rule> {
    let call_with = |args, into| Stmt::Call { proc: 1, args, into: Some(into) };
    vec![
        rule(
            "call and go on",
            program(&[0], vec![proc(vec![log(0, 1), call(1), log(0, 3)]), proc(vec![log(0, 2)])]),
        )
        .ends(&[123], 0)
        .counts(&[1]),
        rule("arguments are values", {
            let caller = vec![set(0, int(4)), call_with(vec![g(0), int(2)], Place::Global(1))];
            let callee = vec![set(0, int(9)), Stmt::Return(Some(binary(Op::Sub, v(0), v(1))))];
            program(&[0, 0], vec![proc(caller), returning(2, 2, callee)])
        })
        .ends(&[9, 2], 0)
        .counts(&[1]),
        rule("return leaves the loops around it", {
            let body = vec![
                Stmt::While(
                    Expr::Bool(true),
                    vec![
                        set_local(0, add(v(0), int(1))),
                        Stmt::If(eq(v(0), int(3)), vec![Stmt::Return(Some(v(0)))], vec![]),
                    ],
                ),
                Stmt::Return(Some(int(0))),
            ];
            program(&[0], vec![proc(vec![call_with(vec![], Place::Global(0))]), returning(0, 1, body)])
        })
        .ends(&[3], 0)
        .counts(&[1]),
        rule("recursion has its own locals", {
            let again = Stmt::Call {
                proc: 1,
                args: vec![binary(Op::Sub, v(0), int(1))],
                into: Some(Place::Local(1)),
            };
            let body = vec![
                Stmt::If(eq(v(0), int(0)), vec![Stmt::Return(Some(int(0)))], vec![]),
                again,
                Stmt::Return(Some(add(v(0), v(1)))),
            ];
            program(&[0], vec![proc(vec![call_with(vec![int(4)], Place::Global(0))]), returning(1, 2, body)])
        })
        .ends(&[10], 0)
        .counts(&[1]),
        rule("a result that does not come", {
            let body = vec![Stmt::If(eq(g(0), int(1)), vec![Stmt::Return(Some(int(0)))], vec![])];
            program(&[0], vec![proc(vec![call_with(vec![], Place::Global(0))]), returning(0, 0, body)])
        })
        .bug(Kind::NoResult, 0)
        .counts(&[1]),
        rule("a result outside of its range", {
            let body = vec![Stmt::Return(Some(add(g(0), int(2))))];
            let callee = Proc { result: Some(Type::Range(0, 1)), ..proc(body) };
            program(&[0], vec![proc(vec![call_with(vec![], Place::Global(0))]), callee])
        })
        .bug(Kind::Range, 0)
        .counts(&[1]),
    ]
}

fn failures() -> Vec<Rule> {
    let nothing = Expr::Choose(Box::new(int(1)), Box::new(g(0)));
    let element = |index| Place::Element(0, Box::new(index));
    vec![
        rule("assertion", alone(vec![set(0, choose(0, 1)), Stmt::Assert(eq(g(0), int(0)))]))
            .ends(&[0], 0)
            .bug(Kind::Assertion, 0)
            .counts(&[2]),
        rule(
            "a value outside of its range",
            typed(alone(vec![set(0, choose(1, 3))]), Type::Range(0, 2), None),
        )
        .ends(&[1], 0)
        .ends(&[2], 0)
        .bug(Kind::Range, 0)
        .counts(&[3]),
        rule("an argument outside of its range", {
            let callee = Proc { params: 1, locals: vec![Type::Range(0, 1)], ..proc(vec![log(0, 1)]) };
            let post = Stmt::Post { proc: 1, args: vec![add(g(0), int(2))], level: None };
            program(&[0], vec![proc(vec![post]), callee])
        })
        .bug(Kind::Range, 0)
        .counts(&[1]),
        rule(
            "an index outside of its array",
            typed(alone(vec![Stmt::Assign(element(choose(1, 2)), int(7))]), Type::Int, Some(2)),
        )
        .ends(&[0, 7], 0)
        .bug(Kind::Index, 0)
        .counts(&[2]),
        rule("the place is evaluated before the value", {
            let wrong = binary(Op::Div, int(1), Expr::Read(element(int(0))));
            let far = add(Expr::Read(element(int(0))), int(2));
            typed(alone(vec![Stmt::Assign(element(far), wrong)]), Type::Int, Some(2))
        })
        .bug(Kind::Index, 0)
        .counts(&[1]),
        rule("division by zero", alone(vec![set(0, binary(Op::Rem, int(1), g(0)))]))
            .bug(Kind::Division, 0)
            .counts(&[1]),
        rule("a choice from nothing", alone(vec![set(0, nothing)])).bug(Kind::NoChoice, 0).counts(&[1]),
        rule(
            "what is not needed does not fail",
            alone(vec![Stmt::If(
                binary(Op::And, ne(g(0), int(0)), eq(binary(Op::Div, int(1), g(0)), int(1))),
                vec![log(0, 1)],
                vec![log(0, 2)],
            )]),
        )
        .ends(&[2], 0)
        .counts(&[1]),
    ]
}
