//! Choices inside expressions: each becomes a statement of its own, and the order of evaluation stays.

use crate::lowered::check;

#[test]
fn a_choice_as_the_whole_value() {
    check(
        r"var x: int;
var r: 0..3;
var b: bool;
var m: [int; 3];
proc main() { x := choose(1, 4); b := *; r := choose(0, 2); r := choose(0, 7); r := choose(x, 2); x := choose(x, x + 1); m[x] := choose(1, 2); m[x] := choose(x, 2); }",
        r"
var x: int;
var r: 0..3;
var b: bool;
var m: [int; 3];

proc main() {
    var #1: int;
    var #2: int;
    var #3: int;
    x := choose(1, 4);
    b := *;
    r := choose(0, 2);
    #1 := choose(0, 7);
    r := #1;
    #2 := choose(x, 2);
    r := #2;
    x := choose(x, x + 1);
    m[x] := choose(1, 2);
    #3 := bound(x, 3);
    m[#3] := choose(x, 2);
}
",
    );
}

#[test]
fn a_choice_inside_an_operator() {
    check(
        r"var x: int;
proc main() { x := x + choose(0, 1) * 2; x := choose(0, 1) + choose(2, 3); x := -choose(0, 1); }",
        r"
var x: int;

proc main() {
    var #1: int;
    var #2: int;
    var #3: int;
    var #4: int;
    #1 := choose(0, 1);
    x := x + #1 * 2;
    #2 := choose(0, 1);
    #3 := choose(2, 3);
    x := #2 + #3;
    #4 := choose(0, 1);
    x := -#4;
}
",
    );
}

#[test]
fn a_choice_in_a_choice() {
    check(
        r"var x: int;
proc main() { x := choose(choose(0, 1), choose(2, 3)); }",
        r"
var x: int;

proc main() {
    var #1: int;
    var #2: int;
    #1 := choose(0, 1);
    #2 := choose(2, 3);
    x := choose(#1, #2);
}
",
    );
}

#[test]
fn a_choice_left_of_and() {
    check(
        r"var x: int;
var b: bool;
proc main() { b := * && x == 1; b := * || x == 1; }",
        r"
var x: int;
var b: bool;

proc main() {
    var #1: bool;
    var #2: bool;
    #1 := *;
    b := #1 && x == 1;
    #2 := *;
    b := #2 || x == 1;
}
",
    );
}

#[test]
fn a_choice_right_of_and_becomes_control_flow() {
    check(
        r"var x: int;
var b: bool;
proc main() { b := x == 1 && *; b := x == 1 || *; b := * && *; b := x == 1 && * && x == 2 || *; }",
        r"
var x: int;
var b: bool;

proc main() {
    var #1: bool;
    var #2: bool;
    var #3: bool;
    var #4: bool;
    var #5: bool;
    #1 := x == 1;
    if #1 {
        #1 := *;
    }
    b := #1;
    #2 := x == 1;
    if !#2 {
        #2 := *;
    }
    b := #2;
    #3 := *;
    if #3 {
        #3 := *;
    }
    b := #3;
    #4 := x == 1;
    if #4 {
        #4 := *;
    }
    #5 := #4 && x == 2;
    if !#5 {
        #5 := *;
    }
    b := #5;
}
",
    );
}

#[test]
fn a_choice_in_a_conditional() {
    check(
        r"var x: int;
var b: bool;
proc main() { x := * ? 1 : 2; x := b ? choose(1, 2) : 3; x := b ? x : choose(1, 2) + x; b := * ? * : b; }",
        r"
var x: int;
var b: bool;

proc main() {
    var #1: bool;
    var #2: int;
    var #3: int;
    var #4: int;
    var #5: bool;
    var #6: bool;
    #1 := *;
    x := #1 ? 1 : 2;
    if b {
        #2 := choose(1, 2);
    } else {
        #2 := 3;
    }
    x := #2;
    if b {
        #3 := x;
    } else {
        #4 := choose(1, 2);
        #3 := #4 + x;
    }
    x := #3;
    #5 := *;
    if #5 {
        #6 := *;
    } else {
        #6 := b;
    }
    b := #6;
}
",
    );
}

#[test]
fn what_could_be_a_bug_comes_before_a_later_choice() {
    check(
        r"var x: int;
var a: [int; 2];
proc main() { x := 1 / x + choose(x, 1); x := x + choose(0, 1); x := a[x] + choose(0, 1); a[1 / x] := x + choose(0, 1); f(1 / x, choose(0, 1), 2 / x); f(x, choose(0, 1), x); }
proc f(p: int, q: int, r: int) { return; }",
        r"
var x: int;
var a: [int; 2];

proc main() {
    var #1: int;
    var #2: int;
    var #3: int;
    var #4: int;
    var #5: int;
    var #6: int;
    var #7: int;
    var #8: int;
    var #9: int;
    var #10: int;
    #1 := 1 / x;
    #2 := choose(x, 1);
    x := #1 + #2;
    #3 := choose(0, 1);
    x := x + #3;
    #4 := a[x];
    #5 := choose(0, 1);
    x := #4 + #5;
    #6 := bound(1 / x, 2);
    #7 := choose(0, 1);
    a[#6] := x + #7;
    #8 := 1 / x;
    #9 := choose(0, 1);
    f(#8, #9, 2 / x);
    #10 := choose(0, 1);
    f(x, #10, x);
}

proc f(p: int, q: int, r: int) {
    return;
}
",
    );
}

#[test]
fn choices_in_conditions() {
    check(
        r"var x: int;
proc main() { if * { x := 1; } else if x == 1 && * { x := 2; } while * { x := 3; } while x == 1 && * || x == 2 { x := 4; } for i in choose(0, 1)..choose(2, 3) { skip; } }",
        r"
var x: int;

proc main() {
    var i: int;
    var #1: bool;
    var #2: bool;
    var #3: bool;
    var #4: bool;
    var #5: int;
    var #6: int;
    var #7: int;
    var #8: bool;
    #1 := *;
    if #1 {
        x := 1;
    } else {
        #2 := x == 1;
        if #2 {
            #2 := *;
        }
        if #2 {
            x := 2;
        }
    }
    #3 := *;
    while #3 {
        x := 3;
        #3 := *;
    }
    #4 := x == 1;
    if #4 {
        #4 := *;
    }
    while #4 || x == 2 {
        x := 4;
        #4 := x == 1;
        if #4 {
            #4 := *;
        }
    }
    #5 := choose(0, 1);
    #6 := choose(2, 3);
    i := #5;
    #7 := #6;
    #8 := i <= #7;
    while #8 {
        #8 := i < #7;
        if #8 {
            i := i + 1;
        }
    }
}
",
    );
}

#[test]
fn choices_in_other_statements() {
    check(
        r"var m: [lock; 2];
proc main() { assume *; assert choose(0, 3) < 3; post f(*); lock m[choose(0, 1)]; var l: [bool; 2] = *; var k: [bool; 2] = [*, *]; l[0] := g(*); }
proc f(b: bool) { return; }
proc g(b: bool): bool { return *; }",
        r#"
var m: [lock; 2];

proc main() {
    var l: [bool; 2];
    var k: [bool; 2];
    var #1: bool;
    var #2: int;
    var #3: bool;
    var #4: int;
    var #5: bool;
    var #6: bool;
    var #7: bool;
    #1 := *;
    assume #1;
    #2 := choose(0, 3);
    assert #2 < 3, "assertion failed: choose(0, 3) < 3";
    #3 := *;
    post f(#3);
    #4 := choose(0, 1);
    lock m[#4];
    #5 := *;
    l[0] := #5;
    l[1] := #5;
    k[0] := *;
    k[1] := *;
    #6 := *;
    #7 := g(#6);
    l[0] := #7;
}

proc f(b: bool) {
    return;
}

proc g(b: bool): bool {
    var #1: bool;
    #1 := *;
    return #1;
}
"#,
    );
}
