//! Implicit yields and zields, looks at interrupt lines, and variants of procedures for `atomic`.

use crate::lowered::check;

#[test]
fn a_yield_comes_before_each_statement_that_accesses_a_shared_global() {
    check(
        r"implicit yields;
var x: int;
plain var d: int;
var m: lock;
var f: [lock; 2];
proc main() { var l: int; l := 1; l := x; x := l; d := l; l := d; x := x + d; step(l); step(x); post step(l); post step(x); lock m; unlock f[l]; assume l == 1; assume x == 1; assert x == 2; await l == 1; }
proc step(a: int) { return; }",
        r#"
var x: int;
plain var d: int;
var m: lock;
var f: [lock; 2];

proc main() {
    var l: int;
    l := 0;
    l := 1;
    yield;
    l := x;
    yield;
    x := l;
    d := l;
    l := d;
    yield;
    x := x + d;
    step(l);
    yield;
    step(x);
    post step(l);
    yield;
    post step(x);
    yield;
    lock m;
    yield;
    unlock f[l];
    assume l == 1;
    yield;
    assume x == 1;
    yield;
    assert x == 2, "assertion failed: x == 2";
    yield;
    await l == 1;
}

proc step(a: int) {
    return;
}
"#,
    );
}

#[test]
fn zields_alone_and_both() {
    check(
        r"implicit zields;
var x: int;
proc main() { x := 1; }",
        r"
var x: int;

proc main() {
    zield;
    x := 1;
}
",
    );
    check(
        r"implicit zields, yields;
var x: int;
proc main() { x := 1; }",
        r"
var x: int;

proc main() {
    yield;
    zield;
    x := 1;
}
",
    );
    check(
        r"implicit yields;
implicit zields;
var x: int;
proc main() { x := 1; }",
        r"
var x: int;

proc main() {
    yield;
    zield;
    x := 1;
}
",
    );
}

#[test]
fn conditions_of_branches() {
    check(
        r"implicit yields;
var x: int;
proc main() { var l: int; if l == 1 { skip; } if x == 1 { l := 1; } else if l == 2 { l := 2; } else if x == 3 { l := 3; } else { x := 4; } }",
        r"
var x: int;

proc main() {
    var l: int;
    l := 0;
    if l == 1 {
    }
    yield;
    if x == 1 {
        l := 1;
    } else {
        if l == 2 {
            l := 2;
        } else {
            yield;
            if x == 3 {
                l := 3;
            } else {
                yield;
                x := 4;
            }
        }
    }
}
",
    );
}

#[test]
fn conditions_of_loops() {
    check(
        r"implicit yields, zields;
var x: int;
proc main() { while x == 0 { var l: int = 1; } while true { x := 1; } }",
        r"
var x: int;

proc main() {
    var l: int;
    yield;
    zield;
    while x == 0 {
        l := 1;
        yield;
        zield;
    }
    while true {
        yield;
        zield;
        x := 1;
    }
}
",
    );
}

#[test]
fn bounds_of_counting_loops() {
    check(
        r"implicit yields;
var x: int;
proc main() { for i in 0..2 { skip; } for i in x..2 { skip; } }",
        r"
var x: int;

proc main() {
    var i: int;
    var i#2: int;
    i := 0;
    while i <= 2 {
        i := i + 1;
    }
    yield;
    i#2 := x;
    while i#2 <= 2 {
        i#2 := i#2 + 1;
    }
}
",
    );
}

#[test]
fn an_index_counts_as_an_access() {
    check(
        r"implicit yields;
var x: int;
plain var d: [int; 2];
proc main() { d[x] := 1; d[1] := 1; }",
        r"
var x: int;
plain var d: [int; 2];

proc main() {
    yield;
    d[x] := 1;
    d[1] := 1;
}
",
    );
}

/// The result of a call is stored in a step of its own.
#[test]
fn declarations_results_and_havoc() {
    check(
        r"implicit yields;
var x: 0..3;
proc main() { var l: int = x; var k: [int; 2] = [x, x]; havoc x; l := f(); x := f(); x := g(x); }
proc f(): int { return x; }
proc g(a: int): int { return a; }",
        r"
var x: 0..3;

proc main() {
    var l: int;
    var k: [int; 2];
    var #1: int;
    var #2: int;
    yield;
    l := x;
    yield;
    k[0] := x;
    k[1] := x;
    yield;
    x := choose(0, 3);
    l := f();
    #1 := f();
    yield;
    x := #1;
    yield;
    #2 := g(x);
    yield;
    x := #2;
}

proc f(): int {
    yield;
    return x;
}

proc g(a: int): int {
    return a;
}
",
    );
}

#[test]
fn atomic_has_one_yield_before_it() {
    check(
        r"implicit yields, zields;
var x: int;
plain var d: int;
proc main() { atomic { x := 1; x := 2; if x == 1 { x := 3; } while x == 3 { x := 4; } atomic { x := 5; } } atomic { d := 1; } atomic { d := 1; x := 6; } }",
        r"
var x: int;
plain var d: int;

proc main() {
    yield;
    zield;
    x := 1;
    x := 2;
    if x == 1 {
        x := 3;
    }
    while x == 3 {
        x := 4;
    }
    x := 5;
    d := 1;
    yield;
    zield;
    d := 1;
    x := 6;
}
",
    );
}

#[test]
fn calls_inside_atomic_are_of_variants() {
    check(
        r"implicit yields;
var x: int;
plain var d: int;
proc main() { atomic { outer(); quiet(); post outer(); } outer(); atomic { outer(); again(3); } }
proc outer() { inner(); x := 1; }
proc inner() { x := 2; post inner(); }
proc quiet() { d := 1; }
proc again(n: int) { if n > 0 { again(n - 1); x := n; } }",
        r"
var x: int;
plain var d: int;

proc main() {
    yield;
    outer@atomic();
    quiet();
    post outer();
    outer();
    yield;
    outer@atomic();
    again@atomic(3);
}

proc outer() {
    inner();
    yield;
    x := 1;
}

proc inner() {
    yield;
    x := 2;
    post inner();
}

proc quiet() {
    d := 1;
}

proc again(n: int) {
    if n > 0 {
        again(n - 1);
        yield;
        x := n;
    }
}

proc outer@atomic() {
    inner@atomic();
    x := 1;
}

proc again@atomic(n: int) {
    if n > 0 {
        again@atomic(n - 1);
        x := n;
    }
}

proc inner@atomic() {
    x := 2;
    post inner();
}
",
    );
}

#[test]
fn explicit_yields_stay_as_they_are() {
    check(
        r"implicit yields;
var x: int;
proc main() { yield; x := 1; zield; pause; }",
        r"
var x: int;

proc main() {
    yield;
    yield;
    x := 1;
    zield;
    pause;
}
",
    );
}

#[test]
fn lines_are_looked_at_before_what_others_can_notice() {
    check(
        r"levels low < high;
interrupt irq in main runs h at high;
var x: int;
plain var d: int;
var m: lock;
proc h() { }
proc main() { var l: int; l := 1; l := x; d := 1; call(l); call(d); post call(l); yield; zield; pause; await l == 1; lock m; unlock m; raise irq; if x == 1 { skip; } while d == 1 { l := 2; } assert l == 1; return; }
proc call(a: int) { skip; }",
        r#"
levels low < high;
buffer main runs main;
interrupt irq in main runs h at high;
var x: int;
plain var d: int;
var m: lock;

proc h() {
}

proc main() {
    var l: int;
    l := 0;
    l := 1;
    poll;
    l := x;
    poll;
    d := 1;
    call(l);
    poll;
    call(d);
    poll;
    post call(l);
    poll;
    yield;
    poll;
    zield;
    poll;
    pause;
    poll;
    await l == 1;
    poll;
    lock m;
    poll;
    unlock m;
    poll;
    raise irq;
    poll;
    if x == 1 {
    }
    poll;
    while d == 1 {
        l := 2;
        poll;
    }
    assert l == 1, "assertion failed: l == 1";
    return;
}

proc call(a: int) {
}
"#,
    );
}

#[test]
fn lines_and_implicit_yields() {
    check(
        r"implicit yields, zields;
interrupt irq in main runs h at base;
var x: int;
plain var d: int;
proc h() { }
proc main() { x := 1; d := 1; x := f(x); while x == 1 { d := 2; } }
proc f(a: int): int { d := 1; return a; }",
        r"
interrupt irq in main runs h at base;
var x: int;
plain var d: int;

proc h() {
}

proc main() {
    var #1: int;
    poll;
    yield;
    poll;
    zield;
    poll;
    x := 1;
    poll;
    d := 1;
    poll;
    yield;
    poll;
    zield;
    poll;
    #1 := f(x);
    poll;
    yield;
    poll;
    zield;
    poll;
    x := #1;
    poll;
    yield;
    poll;
    zield;
    poll;
    while x == 1 {
        poll;
        d := 2;
        poll;
        yield;
        poll;
        zield;
        poll;
    }
}

proc f(a: int): int {
    poll;
    d := 1;
    return a;
}
",
    );
}

#[test]
fn lines_are_not_looked_at_inside_atomic_but_before_blocking() {
    check(
        r"levels low < high;
interrupt irq in main runs h at high;
var x: int;
var m: [lock; 2];
proc h() { }
proc main() { atomic { x := 1; x := 2; f(); await x == 2; lock m[0]; lock m[choose(0, 1)]; unlock m[0]; } lock m[choose(0, 1)]; }
proc f() { x := 3; post h(); }",
        r"
levels low < high;
buffer main runs main;
interrupt irq in main runs h at high;
var x: int;
var m: [lock; 2];

proc h() {
}

proc main() {
    var #1: int;
    var #2: int;
    poll;
    x := 1;
    x := 2;
    f@atomic();
    poll;
    await x == 2;
    poll;
    lock m[0];
    poll;
    #1 := choose(0, 1);
    poll;
    lock m[#1];
    unlock m[0];
    poll;
    #2 := choose(0, 1);
    poll;
    lock m[#2];
}

proc f() {
    poll;
    x := 3;
    poll;
    post h();
}

proc f@atomic() {
    x := 3;
    post h();
}
",
    );
}
