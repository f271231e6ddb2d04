//! POST, DISPATCH, RESUME, YIELD, ZIELD, and how control is passed on.

use super::super::ast::{Stmt, Type};
use super::super::write::{g, int, log, post, post_at, proc, program, set, v};
use super::{Rule, rule};

pub fn all() -> Vec<Rule> {
    let mut all = posts();
    all.extend(levels());
    all.extend(yields());
    all.extend(buffers());
    all
}

fn posts() -> Vec<Rule> {
    vec![
        rule(
            "a post of the same level waits",
            program(&[0], vec![proc(vec![log(0, 1), post(1), log(0, 2)]), proc(vec![log(0, 3)])]),
        )
        .ends(&[123], 0)
        .counts(&[1]),
        rule("a post evaluates its argument at once", {
            let mut posted = proc(vec![set(1, v(0))]);
            (posted.params, posted.locals) = (1, vec![Type::Int]);
            let post = Stmt::Post { proc: 1, args: vec![g(0)], level: None };
            program(&[0, 0], vec![proc(vec![set(0, int(1)), post, set(0, int(2))]), posted])
        })
        .ends(&[2, 1], 0)
        .counts(&[1]),
        rule(
            "any pending task is dispatched, free of charge",
            program(&[0], vec![proc(vec![post(1), post(2)]), proc(vec![log(0, 1)]), proc(vec![log(0, 2)])]),
        )
        .ends(&[12], 0)
        .ends(&[21], 0)
        .counts(&[2]),
        rule("equal tasks are two", program(&[0], vec![proc(vec![post(1), post(1)]), proc(vec![log(0, 1)])]))
            .ends(&[11], 0)
            .counts(&[2]),
    ]
}

fn levels() -> Vec<Rule> {
    vec![
        rule(
            "a lone post of a higher level is dispatched",
            program(&[0], vec![proc(vec![log(0, 1), post_at(1, 1), log(0, 2)]), proc(vec![log(0, 3)])])
                .levels(&[false, false]),
        )
        .ends(&[132], 0)
        .counts(&[1]),
        rule(
            "a post of a lower level waits",
            program(
                &[0],
                vec![
                    proc(vec![post_at(1, 1), log(0, 1)]),
                    proc(vec![post_at(2, 0), log(0, 2)]),
                    proc(vec![log(0, 3)]),
                ],
            )
            .levels(&[false, false]),
        )
        .ends(&[213], 0)
        .counts(&[1]),
        rule(
            "the highest pending level comes first",
            program(
                &[0],
                vec![
                    proc(vec![post_at(1, 2), log(0, 1)]),
                    proc(vec![post_at(3, 0), post_at(2, 1), log(0, 2)]),
                    proc(vec![log(0, 3)]),
                    proc(vec![log(0, 4)]),
                ],
            )
            .levels(&[false, false, false]),
        )
        .ends(&[2314], 0)
        .counts(&[1]),
        rule(
            "the interrupted task resumes when all higher ones have ended",
            program(
                &[0],
                vec![
                    proc(vec![post_at(1, 1), log(0, 1)]),
                    proc(vec![post(2), log(0, 2)]),
                    proc(vec![log(0, 3)]),
                ],
            )
            .levels(&[false, false]),
        )
        .ends(&[231], 0)
        .counts(&[1]),
        rule(
            "the interrupted task resumes before others of its level",
            program(
                &[0],
                vec![
                    proc(vec![post_at(1, 1), log(0, 1)]),
                    proc(vec![post(3), post_at(2, 2), log(0, 3)]),
                    proc(vec![log(0, 2)]),
                    proc(vec![log(0, 4)]),
                ],
            )
            .levels(&[false, false, false]),
        )
        .ends(&[2341], 0)
        .counts(&[1]),
        rule(
            "interruptions nest over three levels",
            program(
                &[0],
                vec![
                    proc(vec![log(0, 1), post_at(1, 1), log(0, 2)]),
                    proc(vec![log(0, 3), post_at(2, 2), log(0, 4)]),
                    proc(vec![log(0, 5)]),
                ],
            )
            .levels(&[false, false, false]),
        )
        .ends(&[13542], 0)
        .counts(&[1]),
    ]
}

fn yields() -> Vec<Rule> {
    let back_and_forth =
        vec![proc(vec![post(1), Stmt::Yield, log(0, 1)]), proc(vec![log(0, 2), Stmt::Yield, log(0, 3)])];
    vec![
        rule("yield lets another task of the level go on", program(&[0], back_and_forth.clone()))
            .ends(&[123], 0)
            .ends(&[231], 1)
            .ends(&[213], 2)
            .counts(&[1, 1, 1]),
        rule("yield does nothing at a serial level", program(&[0], back_and_forth).levels(&[true]))
            .ends(&[123], 0)
            .counts(&[1]),
        rule(
            "yield does not leave the level",
            program(
                &[0],
                vec![
                    proc(vec![post(1), post_at(2, 1), log(0, 1)]),
                    proc(vec![log(0, 3)]),
                    proc(vec![Stmt::Yield, log(0, 2)]),
                ],
            )
            .levels(&[false, false]),
        )
        .ends(&[213], 0)
        .counts(&[1]),
        rule(
            "yield above an interrupted task",
            program(
                &[0],
                vec![
                    proc(vec![post_at(1, 1), log(0, 1)]),
                    proc(vec![post(2), Stmt::Yield, log(0, 2)]),
                    proc(vec![log(0, 3)]),
                ],
            )
            .levels(&[false, false]),
        )
        .ends(&[231], 0)
        .ends(&[321], 1)
        .counts(&[1, 1]),
        // The frame below the one that yields goes along.
        rule(
            "yield in a called procedure",
            program(
                &[0],
                vec![
                    proc(vec![post(2), super::super::write::call(1), log(0, 1)]),
                    proc(vec![Stmt::Yield, log(0, 2)]),
                    proc(vec![log(0, 3)]),
                ],
            ),
        )
        .ends(&[213], 0)
        .ends(&[321], 1)
        .counts(&[1, 1]),
    ]
}

fn buffers() -> Vec<Rule> {
    vec![
        rule(
            "an empty buffer passes control on",
            program(&[0], vec![proc(vec![log(0, 1)]), proc(vec![log(0, 2)]), proc(vec![log(0, 3)])])
                .buffers(3),
        )
        .ends(&[123], 0)
        .ends(&[132], 0)
        .counts(&[2]),
        rule(
            "a buffer that has more to run keeps control",
            program(&[0], vec![proc(vec![post(2), log(0, 1)]), proc(vec![log(0, 2)]), proc(vec![log(0, 3)])])
                .buffers(2),
        )
        .ends(&[132], 0)
        .counts(&[1]),
        rule(
            "zield lets another buffer go on",
            program(&[0], vec![proc(vec![Stmt::Zield, log(0, 1)]), proc(vec![log(0, 2)])]).buffers(2),
        )
        .ends(&[12], 0)
        .ends(&[21], 1)
        .counts(&[1, 1]),
        rule(
            "zield does nothing where there is one buffer",
            program(&[0], vec![proc(vec![post(1), Stmt::Zield, log(0, 1)]), proc(vec![log(0, 2)])]),
        )
        .ends(&[12], 0)
        .counts(&[1]),
        rule(
            "zield is no yield",
            program(
                &[0],
                vec![proc(vec![post(2), Stmt::Zield, log(0, 1)]), proc(vec![]), proc(vec![log(0, 2)])],
            )
            .buffers(2),
        )
        .ends(&[12], 0)
        .counts(&[1, 1]),
        rule(
            "buffers choose among their pending tasks",
            program(
                &[0],
                vec![
                    proc(vec![Stmt::Zield, log(0, 1)]),
                    proc(vec![post(2), post(3)]),
                    proc(vec![Stmt::Zield, log(0, 2)]),
                    proc(vec![log(0, 3)]),
                ],
            )
            .buffers(2),
        )
        .ends(&[123], 0)
        .ends(&[132], 0)
        .ends(&[231], 1)
        .ends(&[321], 1)
        .ends(&[312], 2)
        .counts(&[2, 2, 2]),
        rule(
            "zield above an interrupted task",
            program(
                &[0],
                vec![
                    proc(vec![post_at(2, 1), log(0, 1)]),
                    proc(vec![log(0, 3)]),
                    proc(vec![Stmt::Zield, log(0, 2)]),
                ],
            )
            .buffers(2)
            .levels(&[false, false]),
        )
        .ends(&[213], 0)
        .ends(&[321], 1)
        .counts(&[1, 1]),
        rule(
            "pause is a yield, then a zield",
            program(
                &[0],
                vec![
                    proc(vec![post(2), Stmt::Pause, log(0, 1)]),
                    proc(vec![log(0, 3)]),
                    proc(vec![log(0, 2)]),
                ],
            )
            .buffers(2),
        )
        .ends(&[123], 0)
        .ends(&[312], 1)
        .ends(&[213], 1)
        .ends(&[231], 2)
        .counts(&[1, 2, 1]),
    ]
}
