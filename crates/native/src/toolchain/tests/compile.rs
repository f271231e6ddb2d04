//! Sources that a user names.

use super::stub::Stub;
use super::*;

fn compile(
    stub: &Stub,
    compiler: &Compiler,
    sources: &[&str],
    flags: &str,
) -> Result<String, ToolchainError> {
    let sources: Vec<PathBuf> = sources.iter().map(|name| stub.scratch.path().join(name)).collect();
    compiler.compile(&sources, flags, &stub.scratch.path().join("program"), &stub.runtime_dir)
}

#[test]
fn a_program_of_several_sources_with_flags_like_a_shells() {
    let stub = Stub::new();
    stub.scratch.write("a.c", "#include <math.h>\nint data; int other(void); int main(void) { data++; return other() + (int)floor(data - 1); }");
    stub.scratch.write("b.c", "#include <string.h>\nint other(void) { return strcmp(TEXT, \"two words\"); }");
    for compiler in compilers(Language::C) {
        let warnings =
            compile(&stub, &compiler, &["a.c", "b.c"], "-DTEXT='\"two words\"' -lm -O2").expect("compiled");
        assert_eq!(warnings, "");
        assert_eq!(stub.counts("program"), "plain - - -");
        let dump = stub.scratch.must_run(&["readelf", "--debug-dump=info", "program"]);
        assert!(dump.contains(&format!("{}", stub.scratch.path().join("a.c").display())));
    }
}

#[test]
fn the_level_is_one_unless_it_is_given() {
    let stub = Stub::new();
    stub.scratch.write("a.c", "#ifdef __OPTIMIZE__\nint main(void) { return 0; }\n#endif\n");
    for compiler in compilers(Language::C) {
        compile(&stub, &compiler, &["a.c"], "").expect("optimised");
        assert!(compile(&stub, &compiler, &["a.c"], "-O0").is_err());
    }
}

#[test]
fn c_and_cpp_together() {
    let stub = Stub::new();
    stub.scratch.write("a.cc", "#include <vector>\nextern \"C\" int other(int); std::vector<int> x; int main() { x.push_back(1); return other(x[0]); }");
    stub.scratch.write("b.c", "int other(int new) { return new - 1; }");
    for compiler in compilers(Language::Cxx) {
        compile(&stub, &compiler, &["b.c", "a.cc"], "").expect("compiled");
        assert_eq!(stub.needed("program")[0], "libcaissa_rt.so");
        assert!(stub.counts("program").starts_with("plain"));
    }
}

#[test]
fn what_the_compiler_says_is_passed_on() {
    let stub = Stub::new();
    stub.scratch.write("wrong.c", "int main(void) { return nothing; }\n");
    stub.scratch.write("odd.c", "int main(void) { int unused; return 0; }\n");
    for compiler in compilers(Language::C) {
        let error = compile(&stub, &compiler, &["wrong.c"], "").expect_err("does not compile").to_string();
        assert!(
            error.starts_with("the program does not compile:\n") && error.contains("wrong.c:1:25: error:"),
            "{error}"
        );
        assert!(error.contains("\nby: /"), "{error}");
        assert!(compile(&stub, &compiler, &["none.c"], "").is_err());
        let warnings = compile(&stub, &compiler, &["odd.c"], "-Wall").expect("compiled");
        assert!(warnings.contains("unused"), "{warnings}");
    }
}

#[test]
fn flags_that_make_something_else_are_refused() {
    let stub = Stub::new();
    let [gcc, _] = compilers(Language::C);
    stub.scratch.write("a.c", "int main(void) { return 0; }\n");
    for flags in ["-c", "-o x", "-E", "-shared", "-x c++", "-static", "-fsanitize=address", "-DA='"] {
        let error = compile(&stub, &gcc, &["a.c"], flags).expect_err(flags);
        assert!(matches!(error, ToolchainError::Refused { .. } | ToolchainError::Quotes { .. }), "{error}");
    }
    assert_eq!(compile(&stub, &gcc, &[], ""), Err(ToolchainError::NoSources));
}
