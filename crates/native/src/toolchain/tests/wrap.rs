//! `caissa cc` for everything that build systems ask of a compiler.

use super::stub::Stub;
use super::*;

/// An access of each kind.
const PROGRAM: &str = r#"
#include <stdatomic.h>
#include <string.h>
int data; volatile int flag; atomic_int counter; char from[40], to[40];
int other(void);
int main(void) {
    data += other();
    flag = 1;
    atomic_fetch_add(&counter, 1);
    memcpy(to, from, sizeof to);
    return 0;
}
"#;
const OTHER: &str = "extern int data;\nint other(void) { return data - data; }\n";
const ALL: &str = "plain volatile atomic block";

fn stub() -> Stub {
    let stub = Stub::new();
    stub.scratch.write("a.c", PROGRAM);
    stub.scratch.write("b.c", OTHER);
    stub
}

/// What is linked has our library before libc, and none of the compiler's.
fn assert_linked(stub: &Stub, program: &str, by: &Compiler) {
    let needed = stub.needed(program);
    assert_eq!(needed.first().map(String::as_str), Some("libcaissa_rt.so"), "{needed:?} by {}", by.kind());
    assert!(!needed.iter().any(|name| name.contains("tsan")), "{needed:?}");
}

#[test]
fn compiling_and_linking_in_one_go() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        for level in ["-O0", "-O1", "-O2 -D_FORTIFY_SOURCE=2", "-O3 -flto -s -gz -fomit-frame-pointer -g0"] {
            stub.wrap(&compiler, &format!("-Wall -Wextra -Werror {level} a.c b.c -o program"));
            assert_linked(&stub, "program", &compiler);
            assert_eq!(stub.counts("program"), ALL, "{} {level}", compiler.kind());
            assert!(stub.scratch.must_run(&["readelf", "-S", "program"]).contains(".debug_line"));
        }
    }
}

#[test]
fn compiling_then_linking() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        stub.wrap(&compiler, "-Werror -O2 -flto=auto -MMD -MP -MF a.d -MT a.o -c a.c -o a.o");
        stub.wrap(&compiler, "-Werror -O2 -c b.c");
        assert!(
            std::fs::read_to_string(stub.scratch.path().join("a.d")).expect("dependencies").contains("a.c")
        );
        stub.wrap(&compiler, "-O2 -flto=auto -Wl,--as-needed,-z,now a.o b.o -lm -o program");
        assert_linked(&stub, "program", &compiler);
        assert_eq!(stub.counts("program"), ALL);
        // An object for an archive or for another object.
        stub.wrap(&compiler, "-nostdlib -r a.o b.o -o both.o");
        stub.wrap(&compiler, "both.o -o program");
        assert_eq!(stub.counts("program"), ALL);
        stub.wrap(&compiler, "a.c b.o -o program");
        assert_eq!(stub.counts("program"), ALL);
    }
}

#[test]
fn shared_libraries_are_linked_to_the_runtime_as_well() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        stub.wrap(&compiler, "-shared -fPIC -Wl,-z,defs -Wl,-soname,libb.so -DPIC b.c -o libb.so -Wl,--unresolved-symbols=ignore-all");
        assert_linked(&stub, "libb.so", &compiler);
        stub.wrap(&compiler, "a.c -L. -lb -Wl,-rpath,. -o program");
        assert_linked(&stub, "program", &compiler);
        assert_eq!(stub.counts("program"), ALL);
    }
}

#[test]
fn assembler_and_preprocessor_output() {
    let stub = stub();
    stub.scratch.write(
        "macro.c",
        "#if defined __SANITIZE_THREAD__\nyes\n#elif __has_feature(thread_sanitizer)\nyes\n#endif\n",
    );
    stub.scratch.write("asm.S", ".text\n.globl f\nf: ret\n.section .note.GNU-stack\n");
    for compiler in compilers(Language::C) {
        assert!(stub.wrap(&compiler, "-Werror -O1 -S a.c -o -").contains("__tsan_volatile_write4"));
        assert!(stub.wrap(&compiler, "-Werror -E macro.c").contains("yes"));
        assert!(stub.wrap(&compiler, "-Werror -MM a.c").starts_with("a.o: a.c"));
        assert!(stub.wrap(&compiler, "-M a.c").contains("stdatomic.h"));
        assert!(stub.wrap(&compiler, "-Werror -c asm.S -o asm.o").is_empty());
        assert!(stub.wrap(&compiler, "-Werror -fsyntax-only a.c").is_empty());
        stub.wrap(&compiler, "-E a.c -o a.i");
        stub.wrap(&compiler, "-c a.i -o a.o");
        stub.wrap(&compiler, "-S b.c -o b.s");
        stub.wrap(&compiler, "a.o b.s asm.S -o program");
        assert_eq!(stub.counts("program"), ALL);
    }
}

#[test]
fn a_program_from_standard_input_and_by_another_name() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        stub.scratch.write("source", "int data; int main(void) { data++; return 0; }");
        stub.wrap(&compiler, "-x c source -o program");
        assert_eq!(stub.counts("program"), "plain - - -");
        stub.wrap(&compiler, "-xc source -x none b.c -o program2 -Ddata=data2 -Wl,-z,muldefs");
        let words = compiler.wrap(&arguments("-xc - -o program"), &stub.runtime_dir).expect("wrapped");
        let words: Vec<String> = words
            .iter()
            .map(|word| shlex::try_quote(&word.to_string_lossy()).expect("a word").into_owned())
            .collect();
        let script = format!("{} < source", words.join(" "));
        stub.scratch.must_run(&["sh", "-c", &script]);
        assert_eq!(stub.counts("program"), "plain - - -");
    }
}

#[test]
fn response_files_are_looked_into() {
    let stub = stub();
    stub.scratch.write("all", "-o program \"a.c\" @more");
    stub.scratch.write("more", "-fsanitize=thread b.c");
    // Response files are read where the compiler runs: here by whole names.
    let more = stub.scratch.path().join("more");
    let all = stub.scratch.write("all", format!("-o program \"a.c\" @{}", more.display()));
    for compiler in compilers(Language::C) {
        let text = format!("-O1 @{}", all.display());
        stub.wrap(&compiler, &text);
        assert_linked(&stub, "program", &compiler);
        assert_eq!(stub.counts("program"), ALL);
    }
}

#[test]
fn questions_are_answered_by_the_compiler() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        for question in [
            "--version",
            "-v",
            "-dumpmachine",
            "-dumpversion",
            "-print-search-dirs",
            "-print-prog-name=ld",
            "-print-file-name=libc.so",
            "--help",
            "-###",
            "-Wl,--version",
            "-O2 -print-libgcc-file-name",
            "-cc1 -triple x86_64 a.c",
        ] {
            let words = compiler.wrap(&arguments(question), &stub.runtime_dir).expect("wrapped");
            assert_eq!(words[0], compiler.program().as_os_str());
            assert_eq!(words[1..], arguments(question));
        }
        assert_eq!(
            stub.wrap(&compiler, "--version"),
            stub.scratch.must_run(&[compiler.program().as_os_str(), "--version".as_ref()])
        );
        // With an input `-v` is no question.
        let words = compiler.wrap(&arguments("-v a.c b.c -o program"), &stub.runtime_dir).expect("wrapped");
        stub.scratch.must_run(&words);
        assert_eq!(stub.counts("program"), ALL);
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let stub = stub();
    for compiler in compilers(Language::C) {
        let refusal = |text: &str| {
            let refused = compiler.wrap(&arguments(text), &stub.runtime_dir).expect_err(text);
            assert!(matches!(refused, ToolchainError::Refused { .. }), "{text}");
            refused.to_string()
        };
        assert!(
            refusal("-static a.o -o program")
                .starts_with("`-static`: a statically linked program cannot be checked")
        );
        assert!(refusal("-m32 a.o").contains("only 64-bit programs"));
        for sanitizer in ["address", "thread,undefined", "undefined", "memory"] {
            assert!(refusal(&format!("-fsanitize={sanitizer} -c a.c")).contains("Leave this one out"));
        }
        // These say nothing about a linked program.
        stub.wrap(&compiler, "-static -c a.c");
        stub.wrap(&compiler, "-fsanitize=thread -fno-sanitize=all -c a.c");
        stub.wrap(&compiler, "-c b.c");
        stub.wrap(&compiler, "-fsanitize=thread -static-libtsan a.o b.o -ltsan -o program");
        assert_linked(&stub, "program", &compiler);
        assert_eq!(stub.counts("program"), ALL);
    }
    let [gcc, clang] = compilers(Language::C);
    stub.wrap(&clang, "-E b.c -o b.i");
    for text in
        ["a.c b.i -o program", "-save-temps=obj a.c b.c -o program", "-no-integrated-cpp a.c b.c -o program"]
    {
        let refused = gcc.wrap(&arguments(text), &stub.runtime_dir).expect_err(text);
        assert!(refused.to_string().contains("Compile it first, with `-c`"), "{refused}");
    }
    stub.wrap(&clang, "-E a.c -o a.i");
    stub.wrap(&clang, "-Werror a.i b.i -o program");
    assert_eq!(stub.counts("program"), ALL);
    // clang warns of its own debug information here.
    let words =
        clang.wrap(&arguments("a.c b.i -save-temps=obj -o program"), &stub.runtime_dir).expect("wrapped");
    stub.scratch.must_run(&words);
    assert_eq!(stub.counts("program"), ALL);
}

#[test]
fn fences_and_headers_compiled_ahead_bring_no_warnings() {
    let stub = Stub::new();
    stub.scratch.write("ahead.h", "#include <stdatomic.h>\nextern atomic_int counter;\n");
    stub.scratch.write(
        "fence.c",
        "#include \"ahead.h\"\natomic_int counter;\nint main(void) { atomic_thread_fence(memory_order_seq_cst); return 0; }\n",
    );
    let [gcc, clang] = compilers(Language::C);
    stub.wrap(&gcc, "-O1 ahead.h");
    assert!(stub.scratch.path().join("ahead.h.gch").exists());
    stub.wrap(&gcc, "-O1 -Wall -Werror -Winvalid-pch fence.c -o program");
    assert_eq!(stub.counts("program"), "- - atomic -");
    stub.wrap(&clang, "-O1 -x c-header ahead.h -o ahead.pch");
    stub.wrap(&clang, "-O1 -Wall -Werror -include-pch ahead.pch fence.c -o program");
    assert_eq!(stub.counts("program"), "- - atomic -");
}

#[test]
fn linking_cpp() {
    let stub = Stub::new();
    let source = "#include <thread>\n#include <string>\nstd::string text; int data;\nint main() {\n    std::thread other([] { data = 1; });\n    \
                  other.join();\n    text += std::to_string(data);\n    return text == \"1\" ? 0 : 1;\n}\n";
    stub.scratch.write("a.cc", source);
    for compiler in compilers(Language::Cxx) {
        stub.wrap(&compiler, "-Wall -Werror -std=c++17 -O2 a.cc -o program");
        assert_linked(&stub, "program", &compiler);
        assert!(stub.counts("program").starts_with("plain"));
        stub.wrap(&compiler, "-c -O2 a.cc");
        stub.wrap(&compiler, "a.o -o program");
        assert_linked(&stub, "program", &compiler);
    }
}

#[test]
fn configure_tests_have_the_same_answers() {
    let stub = Stub::new();
    // As autoconf writes them.
    stub.scratch.write(
        "conftest.c",
        "char pthread_create();\nint main(void)\n{\nreturn !pthread_create;\n  ;\n  return 0;\n}\n",
    );
    stub.scratch.write("conftest2.c", "char cos();\nint main(void)\n{\nreturn cos();\n  ;\n  return 0;\n}\n");
    stub.scratch.write("conftest3.c", "#include <no_such_header.h>\n");
    for compiler in compilers(Language::C) {
        let fails = |text: &str| {
            let words = compiler.wrap(&arguments(text), &stub.runtime_dir).expect("wrapped");
            assert!(!stub.scratch.run(&words).status.success(), "{text}");
        };
        stub.wrap(&compiler, "-w -o conftest -g -O2 conftest.c -lpthread");
        fails("-o conftest -fno-builtin conftest2.c");
        stub.wrap(&compiler, "-w -o conftest -fno-builtin conftest2.c -lm");
        fails("-E conftest3.c");
        fails("-c -Werror -Wno-such-warning-at-all -fno-such-flag conftest.c");
    }
}
