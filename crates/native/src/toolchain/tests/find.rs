//! Which compiler is used.

use super::*;
use crate::scratch::Scratch;

/// A directory of programs that say a version.
fn environment(scratch: &Scratch, programs: &[(&str, &str)]) -> Environment {
    for (name, says) in programs {
        scratch.write_program(&format!("bin/{name}"), &format!("echo '{says}'"));
    }
    Environment { search_path: scratch.path().join("bin").into(), ..Environment::default() }
}

const GCC: &str = "gcc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.";
const OLD_GCC: &str = "gcc (GCC) 9.4.0\nCopyright (C) 2019 Free Software Foundation, Inc.";
const CLANG: &str = "clang version 15.0.7";

#[test]
fn the_first_that_can_be_used_is() {
    let scratch = Scratch::new();
    let both = environment(&scratch, &[("gcc", GCC), ("clang", CLANG)]);
    let found = Compiler::find_in(Language::C, None, &both).expect("gcc");
    assert_eq!((found.kind(), found.version().to_string().as_str()), (Kind::Gcc, "12.2.0"));
    assert_eq!(found.program(), scratch.path().join("bin/gcc"));

    let scratch = Scratch::new();
    let old = environment(&scratch, &[("gcc", OLD_GCC), ("clang", CLANG)]);
    let found = Compiler::find_in(Language::C, None, &old).expect("clang");
    assert_eq!(found.kind(), Kind::Clang);
    let error = Compiler::find_in(Language::C, Some("gcc"), &old).expect_err("too old");
    assert!(
        error
            .to_string()
            .contains("is gcc 9.4.0, which is too old. Use gcc 12.0.0 or clang 14.0.0, or later"),
        "{error}"
    );
}

#[test]
fn what_is_asked_for_wins_then_our_variable_then_the_usual_one() {
    let scratch = Scratch::new();
    let mut all =
        environment(&scratch, &[("gcc", GCC), ("clang", CLANG), ("one", GCC), ("two", GCC), ("three", GCC)]);
    let name = |environment: &Environment, asked| {
        let found = Compiler::find_in(Language::C, asked, environment).expect("a compiler");
        found.program().file_name().expect("a name").to_string_lossy().into_owned()
    };
    all.variables.insert("CC", "three -m64".to_owned());
    assert_eq!(name(&all, None), "three");
    assert_eq!(Compiler::find_in(Language::C, None, &all).expect("a compiler").words().len(), 2);
    all.variables.insert("CAISSA_CC", "two".to_owned());
    assert_eq!(name(&all, None), "two");
    assert_eq!(name(&all, Some("one")), "one");
}

#[test]
fn caissa_does_not_call_itself() {
    let scratch = Scratch::new();
    let mut all = environment(&scratch, &[("gcc", GCC), ("caissa", GCC)]);
    for words in ["caissa cc", "/opt/caissa/bin/caissa cc", "ccache caissa cc"] {
        all.variables.insert("CC", words.to_owned());
        let found = Compiler::find_in(Language::C, None, &all).expect("gcc");
        assert_eq!(found.program(), scratch.path().join("bin/gcc"));
        let error = Compiler::find_in(Language::C, Some(words), &all).expect_err("ourselves");
        assert!(matches!(error, ToolchainError::Ourselves { .. }));
    }
    // Under a compiler's name in front of the compiler.
    let ours = scratch.path().join("bin/caissa");
    std::fs::create_dir(scratch.path().join("front")).expect("a directory");
    std::os::unix::fs::symlink(&ours, scratch.path().join("front/gcc")).expect("a link");
    let path = [scratch.path().join("front"), scratch.path().join("bin")];
    let environment = Environment {
        search_path: std::env::join_paths(path).expect("a path"),
        ourselves: ours.canonicalize().ok(),
        ..Environment::default()
    };
    let found = Compiler::find_in(Language::C, None, &environment).expect("gcc");
    assert_eq!(found.program(), scratch.path().join("bin/gcc"));
}

#[test]
fn a_compiler_is_asked_for_by_either_language() {
    let scratch = Scratch::new();
    let all =
        environment(&scratch, &[("gcc", GCC), ("g++", GCC), ("clang-15", CLANG), ("clang++-15", CLANG)]);
    let name = |language, asked| {
        let found = Compiler::find_in(language, Some(asked), &all).expect("a compiler");
        found.program().file_name().expect("a name").to_string_lossy().into_owned()
    };
    assert_eq!(name(Language::Cxx, "gcc"), "g++");
    assert_eq!(name(Language::C, "clang++-15"), "clang-15");
    assert_eq!(name(Language::C, "clang-15"), "clang-15");
}

#[test]
fn without_a_compiler_it_says_what_to_do() {
    let scratch = Scratch::new();
    let none = environment(&scratch, &[("tcc", "tcc version 0.9.27")]);
    let error = Compiler::find_in(Language::Cxx, None, &none).expect_err("nothing there");
    assert!(
        error
            .to_string()
            .contains("neither g++ nor clang++ is on the PATH. Install one: `apt-get install g++`"),
        "{error}"
    );
    let error = Compiler::find_in(Language::C, Some("icc"), &none).expect_err("not there");
    assert!(error.to_string().contains("`icc` does not exist"), "{error}");
    let error = Compiler::find_in(Language::C, Some("tcc"), &none).expect_err("unknown");
    assert!(error.to_string().contains("it says `tcc version 0.9.27`"), "{error}");
    let error = Compiler::find_in(Language::C, Some("gcc '"), &none).expect_err("a quote");
    assert!(matches!(error, ToolchainError::Quotes { .. }));
}

#[test]
fn languages_are_told_by_the_file() {
    for (file, language) in [
        ("a.c", Some(Language::C)),
        ("x/a.cc", Some(Language::Cxx)),
        ("a.cpp", Some(Language::Cxx)),
        ("a.cxx", Some(Language::Cxx)),
        ("a.C", Some(Language::Cxx)),
        ("a.cai", None),
        ("c", None),
    ] {
        assert_eq!(Language::of(Path::new(file)), language, "{file}");
    }
}
