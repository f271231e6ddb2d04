//! What becomes of statements.

use crate::lowered::check;

#[test]
fn a_local_is_set_whenever_it_is_reached() {
    check(
        "proc main() { while * { var x: int; var y: 3..5 = 4; var z: bool; x := y; } }",
        r"

proc main() {
    var x: int;
    var y: 3..5 = 3;
    var z: bool;
    var #1: bool;
    #1 := *;
    while #1 {
        x := 0;
        y := 4;
        z := false;
        x := y;
        #1 := *;
    }
}
",
    );
}

#[test]
fn locals_of_the_same_name() {
    check(
        r"proc main() { if * { var x: int = 1; } else { var x: bool = true; } var x: int = 2; x := 3; }",
        r"

proc main() {
    var x: int;
    var x#2: bool;
    var x#3: int;
    var #1: bool;
    #1 := *;
    if #1 {
        x := 1;
    } else {
        x#2 := true;
    }
    x#3 := 2;
    x#3 := 3;
}
",
    );
}

#[test]
fn local_arrays_and_records() {
    check(
        r"record R { a: int, b: [bool; 2] }
proc main() { var r: R; var l: [int; 3] = [1, r.a, 3]; var m: [[int; 2]; 2] = [[1, 2], r.a]; var n: [int; 20]; var o: [int; 20] = r.a; }",
        r"

proc main() {
    var r.a: int;
    var r.b: [bool; 2];
    var l: [int; 3];
    var m: [int; 4];
    var n: [int; 20];
    var o: [int; 20];
    var #1: int;
    var #2: int;
    var #3: int;
    var #4: int;
    r.a := 0;
    r.b[0] := false;
    r.b[1] := false;
    l[0] := 1;
    l[1] := r.a;
    l[2] := 3;
    m[0] := 1;
    m[1] := 2;
    #1 := r.a;
    m[2] := #1;
    m[3] := #1;
    #2 := 0;
    while #2 <= 19 {
        n[#2] := 0;
        #2 := #2 + 1;
    }
    #3 := r.a;
    #4 := 0;
    while #4 <= 19 {
        o[#4] := #3;
        #4 := #4 + 1;
    }
}
",
    );
}

#[test]
fn assignment_and_calls() {
    check(
        r"var g: int;
proc main() { var x: int; x := add(1, g); g := add(x, 2); step(); add(3, 4); }
proc add(a: int, b: int): int { return a + b; }
proc step() { return; }",
        r"
var g: int;

proc main() {
    var x: int;
    var #1: int;
    x := 0;
    x := add(1, g);
    #1 := add(x, 2);
    g := #1;
    step();
    add(3, 4);
}

proc add(a: int, b: int): int {
    return a + b;
}

proc step() {
    return;
}
",
    );
}

#[test]
fn havoc_takes_any_value_of_the_type() {
    check(
        r"enum E { a, b, c }
var e: E;
var r: [2..5; 2];
proc main() { var f: bool; havoc e; havoc r[1]; havoc f; }",
        r"
enum E { a, b, c }
var e: E;
var r: [2..5; 2] = 2;

proc main() {
    var f: bool;
    f := false;
    havoc e;
    r[1] := choose(2, 5);
    f := *;
}
",
    );
}

#[test]
fn branches() {
    check(
        r"var x: int;
proc main() { if x == 1 { x := 2; } if x == 2 { x := 3; } else if x == 3 { x := 4; } else { x := 5; } }",
        r"
var x: int;

proc main() {
    if x == 1 {
        x := 2;
    }
    if x == 2 {
        x := 3;
    } else {
        if x == 3 {
            x := 4;
        } else {
            x := 5;
        }
    }
}
",
    );
}

#[test]
fn branches_that_constants_decide() {
    check(
        r"const FAST = false;
var x: int;
proc main() { if FAST { x := 1; } if !FAST { x := 2; } else { x := 3; } if x == 1 { x := 4; } else if FAST { x := 5; } else { x := 6; } while FAST { x := 7; } }",
        r"
var x: int;

proc main() {
    x := 2;
    if x == 1 {
        x := 4;
    } else {
        x := 6;
    }
}
",
    );
}

#[test]
fn loops() {
    check(
        r"var x: int;
proc main() { while x < 3 { x := x + 1; } while true { skip; } }",
        r"
var x: int;

proc main() {
    while x < 3 {
        x := x + 1;
    }
    while true {
    }
}
",
    );
}

#[test]
fn counting_loops() {
    check(
        r"var x: int;
proc main() { for i in 0..2 { x := x + i; } for i in x..x + 3 { x := i; } for i in 1..2147483647 { skip; } }",
        r"
var x: int;

proc main() {
    var i: int;
    var i#2: int;
    var i#3: int;
    var #1: int;
    var #2: bool;
    var #3: int;
    var #4: bool;
    i := 0;
    while i <= 2 {
        x := x + i;
        i := i + 1;
    }
    i#2 := x;
    #1 := x + 3;
    #2 := i#2 <= #1;
    while #2 {
        x := i#2;
        #2 := i#2 < #1;
        if #2 {
            i#2 := i#2 + 1;
        }
    }
    i#3 := 1;
    #3 := 2147483647;
    #4 := i#3 <= #3;
    while #4 {
        #4 := i#3 < #3;
        if #4 {
            i#3 := i#3 + 1;
        }
    }
}
",
    );
}

#[test]
fn either() {
    check(
        r"var x: int;
proc main() { either { x := 1; } either { x := 1; } or { x := 2; } either { x := 1; } or { x := 2; } or { x := 3; } or { } }",
        r"
var x: int;

proc main() {
    var #1: int;
    var #2: int;
    x := 1;
    #1 := choose(0, 1);
    if #1 == 0 {
        x := 1;
    } else {
        x := 2;
    }
    #2 := choose(0, 3);
    if #2 < 2 {
        if #2 == 0 {
            x := 1;
        } else {
            x := 2;
        }
    } else {
        if #2 == 2 {
            x := 3;
        }
    }
}
",
    );
}

#[test]
fn assume_assert_and_await() {
    check(
        r#"var x: int;
proc main() { assume x == 1; assert x  ==
 1; assert x == 2, "two"; await x > 0; }"#,
        r#"
var x: int;

proc main() {
    assume x == 1;
    assert x == 1, "assertion failed: x == 1";
    assert x == 2, "two";
    await x > 0;
}
"#,
    );
}

#[test]
fn locks() {
    check(
        r"var m: lock;
var f: [lock; 2];
proc main() { lock m; unlock m; lock f[1]; unlock f[0]; }",
        r"
var m: lock;
var f: [lock; 2];

proc main() {
    lock m;
    unlock m;
    lock f[1];
    unlock f[0];
}
",
    );
}

#[test]
fn yields_and_posts() {
    check(
        r"levels low < high;
proc main() { yield; zield; pause; post f(1, true); post f(2, false) at high; }
proc f(a: int, b: bool) { }",
        r"
levels low < high;
buffer main runs main;

proc main() {
    yield;
    zield;
    pause;
    post f(1, true);
    post f(2, false) at high;
}

proc f(a: int, b: bool) {
}
",
    );
}

#[test]
fn results() {
    check(
        r"enum E { a, b }
proc main() { var e: E; e := f(0); }
proc f(x: 0..3): E { if x == 0 { return a; } return b; }",
        r"
enum E { a, b }

proc main() {
    var e: E;
    e := a;
    e := f(0);
}

proc f(x: 0..3): E {
    if x == 0 {
        return a;
    }
    return b;
}
",
    );
}
