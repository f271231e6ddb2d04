//! Programs by name: those on which engines once disagreed, and one for each thing that a translation must not forget.

use std::sync::Arc;

use caissa_model::Code;
use caissa_model::explicit::Rounds;
use caissa_model::sequentialize::assert_no_overflow;

use crate::small::compile;
use crate::symbolic::engines::{agreed, by_sat};

/// What both engines say within K1 rounds of buffers and K2 of tasks.
fn said(text: &str, buffers: u32, tasks: u32, reorder: bool) -> Option<&'static str> {
    agreed(&compile(text), Rounds { buffers, tasks, reorder }, text).expect("it is small")
}

#[test]
fn a_handler_that_is_never_wanted_is_no_trouble() {
    let text = "
        levels low < high;
        buffer b runs main;
        interrupt line in b runs handler at high;
        var x: 0..2;
        var k: lock;
        final x == 0;
        proc main() { x := 1; }
        proc handler() { lock k; }
    ";
    assert_eq!(said(text, 1, 1, true), Some("final"));
    assert_eq!(said(text, 1, 2, true), Some("final"));
}

#[test]
fn a_task_that_begins_with_a_yield_may_be_put_off_there() {
    let text = "
        var x: 0..2;
        var y: 0..2;
        final !(x == 2 && y == 1);
        proc main() { post late(); post early(); }
        proc late() { yield; x := 2 * y; }
        proc early() { y := 1; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 1, 2, false), Some("final"));
}

#[test]
fn a_wait_can_go_wrong_when_it_comes_up_again() {
    let text = "
        buffer one runs waits;
        buffer two runs moves;
        var a: [0..3; 2];
        var i: 0..2;
        proc waits() { await a[i] > 0; }
        proc moves() { i := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 2, 1, true), Some("index"));
}

/// When `main` ends `sets` can go on, so the other buffer cannot: that `waits` has to wait does not let it.
#[test]
fn a_task_that_waits_lets_no_other_buffer_go_on_while_its_own_can() {
    let text = "
        buffer one runs main;
        buffer two runs sees;
        var x: 0..2;
        proc main() { post waits(); post sets(); }
        proc waits() { await x == 1; }
        proc sets() { x := 1; }
        proc sees() { assert x == 1; }
    ";
    for (k1, k2) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (3, 3)] {
        assert_eq!(said(text, k1, k2, true), None);
        assert_eq!(said(text, k1, k2, false), None);
    }
}

/// Its twin: nobody else is there, so the other buffer has to.
#[test]
fn a_buffer_in_which_everybody_waits_lets_others_go_on() {
    let text = "
        buffer one runs main;
        buffer two runs sees;
        var x: 0..2;
        proc main() { post waits(); post waits(); }
        proc waits() { await x == 1; }
        proc sees() { assert x == 1; }
    ";
    assert_eq!(said(text, 1, 1, true), Some("assertion"));
    assert_eq!(said(text, 2, 2, true), Some("assertion"));
}

/// `waits` runs, yields and then has to wait: any buffer may go on.
#[test]
fn who_yields_and_then_waits_lets_any_buffer_go_on() {
    let text = "
        buffer one runs main;
        buffer two runs sees;
        var x: 0..2;
        proc main() { post waits(); post nothing(); }
        proc waits() { yield; await x == 1; }
        proc nothing() { }
        proc sees() { assert x == 1; }
    ";
    assert_eq!(said(text, 1, 1, true), Some("assertion"));
    assert_eq!(said(text, 1, 2, true), Some("assertion"));
}

/// At a serial level a yield does nothing, but `other` does something before it waits, so it can go on when `main` ends.
#[test]
fn a_yield_that_does_nothing_is_something_to_do() {
    let text = "
        levels serial only;
        buffer one runs main;
        buffer two runs sees;
        var x: 0..2;
        proc main() { post waits(); post other(); }
        proc waits() { await x == 2; }
        proc other() { yield; await x == 2; }
        proc sees() { assert x == 1; }
    ";
    for (k1, k2) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
        said(text, k1, k2, true);
    }
}

/// At a serial level tasks do not make way for each other: a task that has to wait before it has begun is put off only if any may be the first.
#[test]
fn a_wait_before_the_beginning_at_a_serial_level() {
    let text = "
        levels serial only;
        var x: 0..2;
        proc main() { post waits(); post sees(); }
        proc waits() { await x == 1; }
        proc sees() { assert x == 1; }
    ";
    assert_eq!(said(text, 1, 1, false), None);
    assert_eq!(said(text, 1, 2, true), Some("assertion"));
    assert_eq!(said(text, 1, 2, false), None);
}

#[test]
fn arguments_are_those_of_the_poster() {
    let text = "
        levels low < high;
        var x: 0..2;
        proc main() {
            yield;
            x := 1;
            post now(x) at high;
            post later(x);
            x := 2;
        }
        proc now(p: 0..2) { x := 0; assert p == 1; post later(x) at low; yield; }
        proc later(p: 0..2) { yield; assert p == 0; }
    ";
    for (k1, k2) in [(1, 1), (1, 2), (1, 3)] {
        assert_eq!(said(text, k1, k2, true), None);
    }
}

/// 2012 paper, Theorem 4, corrected: what comes after a zield need not be possible.
#[test]
fn a_buffer_may_never_have_control_again() {
    let text = "
        buffer one runs stuck;
        buffer two runs sees;
        var x: 0..7;
        proc stuck() { x := 1; zield; assume x == 5; }
        proc sees() { assert x != 1; }
    ";
    assert_eq!(said(text, 1, 1, true), Some("assertion"));
}

#[test]
fn a_buffer_need_not_begin() {
    let text = "
        buffer one runs first;
        buffer two runs never;
        buffer three runs third;
        var x: 0..2;
        proc first() { x := 1; zield; assert x != 2; }
        proc never() { assume x == 0; }
        proc third() { x := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 2, 1, true), Some("assertion"));
}

/// A task that goes on in a later round than an error must not go on: what it assumes may not hold.
#[test]
fn after_an_error_nobody_goes_on() {
    let text = "
        var x: 0..7;
        proc main() { post stuck(); post fails(); }
        proc stuck() { x := 1; yield; assume x == 5; }
        proc fails() { assert x != 1; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 1, 2, false), Some("assertion"));
    let buffers = "
        buffer one runs main;
        buffer two runs fails;
        var x: 0..7;
        proc main() { x := 1; zield; assume x == 5; }
        proc fails() { assert x != 1; }
    ";
    assert_eq!(said(buffers, 2, 1, true), Some("assertion"));
}

#[test]
fn a_post_to_a_lower_level_comes_in_the_round_of_who_was_interrupted() {
    let text = "
        levels low < high;
        var x: 0..2;
        var seen: 0..2;
        final seen == 2;
        proc main() { yield; x := 1; post above() at high; x := 2; }
        proc above() { post below() at low; }
        proc below() { seen := x; }
    ";
    for k2 in 1..4 {
        assert_eq!(said(text, 1, k2, false), None);
        assert_eq!(said(text, 1, k2, true), None);
    }
}

#[test]
fn a_post_that_jumps_levels_opens_those_between() {
    let text = "
        levels low < middle < high;
        var x: 0..3;
        final x == 2;
        proc main() { post top() at high; assert x == 1; x := 2; }
        proc top() { post between() at middle; assert x == 0; }
        proc between() { x := 1; }
    ";
    for k2 in 1..4 {
        assert_eq!(said(text, 1, k2, true), None);
    }
}

#[test]
fn tasks_are_reordered_only_if_they_may_be() {
    let text = "
        var x: 0..2;
        final x != 1;
        proc main() { post one(); post two(); }
        proc one() { x := 1; }
        proc two() { x := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 1, 2, false), None);
    assert_eq!(said(text, 1, 2, true), Some("final"));
}

#[test]
fn a_line_that_another_buffer_raises_is_seen_after_a_zield() {
    let text = "
        levels low < high;
        buffer one runs main;
        buffer two runs other;
        interrupt line in one runs handler at high;
        var x: 0..2;
        proc main() { x := 1; zield; assert x == 1; }
        proc other() { raise line; }
        proc handler() { x := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 2, 1, true), Some("assertion"));
}

#[test]
fn a_line_that_is_raised_in_a_call_is_seen_behind_it() {
    let text = "
        levels low < high;
        buffer one runs main;
        interrupt line in one runs handler at high;
        var x: 0..2;
        var seen: 0..2;
        final seen == 2;
        proc main() { raises(); seen := x; }
        proc raises() { raise line; }
        proc handler() { x := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 1, 2, true), None);
}

/// The handler of the first one is only pending when the second one is looked at.
#[test]
fn of_two_lines_that_are_raised_both_are_seen() {
    let text = "
        levels low < high;
        buffer one runs main;
        interrupt first in one runs later at low;
        interrupt second in one runs now at high;
        var x: 0..2;
        var seen: 0..2;
        final seen == 2;
        proc main() {
            atomic { raise first; raise second; }
            seen := x;
        }
        proc later() { x := 1; }
        proc now() { x := 2; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 1, 2, true), None);
}

/// What can be chosen depends on how often the loop has gone round: with a larger limit, more.
#[test]
fn a_choice_behind_a_loop_grows_with_the_limit() {
    let text = "
        var x: 0..10;
        var y: 0..10;
        proc main() {
            while * && y < 3 { y := y + 1; }
            x := choose(0, y);
            assert x != 3;
        }
    ";
    assert_eq!(said(text, 1, 1, true), Some("assertion"));
}

/// The index is 1 for the large x, because the product wraps around.
#[test]
fn an_index_may_wrap_around() {
    let text = "
        var a: [0..1; 6];
        proc main() {
            var x: int = 0;
            var y: 0..2;
            if * { x := 1431655765; y := 2; }
            a[1] := 1;
            assert a[x * 3 + y] == 0;
        }
    ";
    assert_eq!(said(text, 1, 1, true), Some("assertion"));
}

/// Names that translations use for locals of their own are free.
#[test]
fn locals_may_have_any_names() {
    let text = "
        levels low < high;
        buffer one runs first;
        buffer two runs second;
        var x: 0..5;
        var y: bool;
        proc first() {
            var halts: int = 3;
            var idle: int = 4;
            var since: int = 5;
            var met: int = 6;
            var lowest: int = 7;
            var chosen_int: int = 8;
            var round_before: int = 9;
            var saved_round: int = 10;
            var next_round: int = 11;
            var kept_x: int = 12;
            var saved_x: int = 13;
            var argument_0_int: int = 14;
            while x < 2 { zield; x := x + 1; yield; }
            havoc y;
            post other(x) at high;
            post other(x);
            await !y;
            assert halts + idle + since + met + lowest + chosen_int + round_before == 42;
            assert saved_round + next_round + kept_x + saved_x + argument_0_int == 60;
        }
        proc other(argument_0: 0..5) { x := argument_0; yield; y := false; }
        proc second() { var never_runs: int = 1; zield; assert never_runs == 1; }
    ";
    for (k1, k2) in [(1, 1), (2, 1), (2, 2)] {
        assert_eq!(said(text, k1, k2, true), None);
    }
}

/// A buffer may begin when another one behind it has run.
#[test]
fn buffers_begin_in_any_order() {
    let text = "
        buffer one runs first;
        buffer two runs second;
        buffer three runs third;
        var x: bool;
        proc first() { skip; }
        proc second() { assert !x; }
        proc third() { x := true; }
    ";
    assert_eq!(said(text, 1, 1, true), None);
    assert_eq!(said(text, 2, 1, true), Some("assertion"));
}

/// There are 2^32 values, one more than a step of the core can have.
#[test]
fn the_highest_of_all_integers_can_be_chosen() {
    for value in ["0x7fffffff", "0x7ffffffe", "0x80000000", "0"] {
        let text = format!(
            "var x: int;
             proc main() {{ x := choose(0x80000000, 0x7fffffff); assert x != {value}; }}"
        );
        let rounds = Rounds { buffers: 1, tasks: 1, reorder: true };
        assert_eq!(by_sat(&compile(&text), rounds), Ok(Some("assertion")), "{value}");
    }
}

/// Written out, the condition has 2^40 parts.
#[test]
fn conditions_may_share_parts() {
    let text = "
        var c: [bool; 80];
        var x: int;
        proc main() {
            var b: bool = true;
            for i in 0..79 { havoc c[i]; }
            for i in 0..39 { b := b && c[2 * i] && (b && c[2 * i + 1]); }
            if b { x := 1; }
            assert x == 0 || c[1];
        }
    ";
    let rounds = Rounds { buffers: 1, tasks: 1, reorder: true };
    assert_eq!(by_sat(&compile(text), rounds), Ok(None));
}

/// What both engines say where arithmetic that overflows is a bug.
fn said_of_overflow(text: &str) -> Option<&'static str> {
    let code = Arc::new(Code::new(assert_no_overflow(compile(text).program())));
    agreed(&code, Rounds { buffers: 1, tasks: 2, reorder: true }, text).expect("it is small")
}

#[test]
fn overflow_is_seen_wherever_something_is_computed() {
    let body = |body: &str| format!("var x: int = 2147483647; var a: [int; 3]; proc main() {{ {body} }}");
    for wrong in
        ["x := 2147483647 + 1;", "x := -0x80000000;", "x := 0x80000000 / -1;", "a[(x + 2) / x + 2] := 1;"]
    {
        assert_eq!(said_of_overflow(&body(wrong)), Some("assertion"), "{wrong}");
    }
    for right in ["x := 2147483646 + 1;", "x := -0x7fffffff;", "if x < 0 && x - 1 > 0 { x := 1; }"] {
        assert_eq!(said_of_overflow(&body(right)), None, "{right}");
    }
    let last = "var x: int = 2147483647; final x + 1 != 0; proc main() { }";
    assert_eq!(said_of_overflow(last), Some("final"));
    let waits = "
        var x: int;
        proc main() { post later(); await x + 1 < 0; }
        proc later() { x := 2147483647; }
    ";
    assert_eq!(said_of_overflow(waits), Some("assertion"));
}
