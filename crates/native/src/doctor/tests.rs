//! This machine, and machines that are made up of files.

use super::*;
use crate::scratch::Scratch;
use crate::toolchain::Environment;

/// A compiler whose libraries are beside it.
const RUSTC: &str = "case $1 in
-vV) echo 'rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\ncommit-hash: unknown\nLLVM version: 22.1.2' ;;
--print) dirname $(dirname $0) ;;
*) echo rustc 1.95.0 ;;
esac";
const TARGET: &str = "lib/rustlib/x86_64-unknown-linux-gnu";
const LINKER: &str = "lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld";

/// A machine on which everything is well.
fn machine(scratch: &Scratch) -> Machine {
    for (path, text) in [
        ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
        ("proc/self/status", "Name:\tcaissa\nSeccomp:\t0\nSeccomp_filters:\t0\n"),
        (
            "proc/sys/kernel/seccomp/actions_avail",
            "kill_process kill_thread trap errno user_notif trace log allow\n",
        ),
        ("etc/os-release", "ID=fedora\n"),
    ] {
        scratch.write(path, text);
    }
    let vector: Vec<u8> = [(6u64, 4096u64), (26, 2), (0, 0)]
        .iter()
        .flat_map(|(a, b)| [a.to_ne_bytes(), b.to_ne_bytes()])
        .flatten()
        .collect();
    scratch.write("proc/self/auxv", vector);
    let gnu = "Copyright (C) 2022 Free Software Foundation, Inc.";
    for name in ["gcc", "g++"] {
        install(scratch, name, &format!("echo '{name} (GCC) 13.2.1\n{gnu}'"));
    }
    install(scratch, "clang", "echo 'clang version 17.0.6'");
    install(scratch, "clang++", "echo 'clang version 17.0.6'");
    for (name, script) in
        [("gdb", "echo GNU gdb 14.1"), ("cargo", "echo cargo 1.95.0"), ("rustc", RUSTC), ("setarch", "true")]
    {
        install(scratch, name, script);
    }
    for library in ["std", "test", "core", "alloc", "hashbrown"] {
        scratch.write(&format!("{TARGET}/lib/lib{library}-0123456789abcdef.rlib"), "");
    }
    scratch.write(LINKER, "");
    let environment =
        Environment { search_path: scratch.path().join("bin").into(), ..Environment::default() };
    Machine { root: scratch.path().to_owned(), environment, target: ("linux", "x86_64") }
}

fn install(scratch: &Scratch, name: &str, script: &str) {
    scratch.write_program(&format!("bin/{name}"), script);
}

fn remove(scratch: &Scratch, name: &str) {
    std::fs::remove_file(scratch.path().join(name)).expect("a file");
}

fn state(machine: &Machine, name: &str) -> State {
    let found = examine_machine(machine).into_iter().find(|finding| finding.name == name);
    found.expect("a finding").state
}

#[test]
fn a_machine_on_which_everything_is_well() {
    let scratch = Scratch::new();
    let findings = examine_machine(&machine(&scratch));
    assert!(findings.iter().all(|finding| matches!(finding.state, State::Ok(_))), "{findings:?}");
    let text = render(&findings);
    let gcc = format!("ok        gcc              13.2.1 ({})\n", scratch.path().join("bin/gcc").display());
    assert!(text.contains(&gcc), "{text}");
    assert!(text.ends_with("\nEverything is there.\n"));
}

#[test]
fn one_compiler_for_a_language_is_enough() {
    let scratch = Scratch::new();
    let machine = machine(&scratch);
    remove(&scratch, "bin/g++");
    let State::Degraded { problem, remedy } = state(&machine, "g++") else { panic!("degraded") };
    assert_eq!(problem, "not installed; the other C++ compiler is used");
    assert_eq!(remedy, "Install it: `dnf install gcc-c++`");
    remove(&scratch, "bin/clang++");
    for name in ["g++", "clang++"] {
        let State::Missing { remedy } = state(&machine, name) else { panic!("missing") };
        assert!(
            remedy.starts_with("There is no compiler for C++ programs: not installed. Install it: `dnf"),
            "{remedy}"
        );
    }
    assert!(matches!(state(&machine, "gcc"), State::Ok(_)));
    install(&scratch, "gcc", "echo 'gcc (GCC) 8.5.0\nCopyright (C) 2018 Free Software Foundation, Inc.'");
    let State::Degraded { problem, .. } = state(&machine, "gcc") else { panic!("degraded") };
    assert!(problem.contains("is gcc 8.5.0, which is too old"), "{problem}");
}

#[test]
fn what_kernel_and_processor_lack_is_said() {
    let scratch = Scratch::new();
    let mut machine = machine(&scratch);
    scratch.write("proc/sys/kernel/osrelease", "4.18.0-553.el8.x86_64\n");
    assert!(matches!(state(&machine, "kernel"), State::Missing { .. }));
    assert!(matches!(state(&machine, "memfd"), State::Ok(_)));
    scratch.write("proc/sys/kernel/osrelease", "3.10.0-1160.el7.x86_64\n");
    assert!(matches!(state(&machine, "memfd"), State::Missing { .. }));
    scratch.write("proc/self/auxv", [0u8; 16]);
    assert!(matches!(state(&machine, "fsgsbase"), State::Missing { .. }));
    scratch.write("proc/self/status", "Name:\tcaissa\n");
    assert!(matches!(state(&machine, "seccomp"), State::Degraded { .. }));
    machine.target = ("linux", "aarch64");
    let State::Missing { remedy } = state(&machine, "system") else { panic!("missing") };
    assert!(remedy.starts_with("This is linux on aarch64"));
    assert!(render(&examine_machine(&machine)).ends_with("cannot all be checked.\n"));
}

#[test]
fn a_container_is_recognised_by_what_it_forbids() {
    let scratch = Scratch::new();
    let machine = machine(&scratch);
    install(
        &scratch,
        "setarch",
        "echo 'setarch: failed to set personality to x86_64: Operation not permitted' >&2; exit 1",
    );
    let State::Degraded { problem, remedy } = state(&machine, "fixed addresses") else { panic!("degraded") };
    assert!(problem.contains("Operation not permitted") && remedy.contains("seccomp=unconfined"));
    remove(&scratch, "bin/setarch");
    let State::Degraded { remedy, .. } = state(&machine, "fixed addresses") else { panic!("degraded") };
    assert_eq!(remedy, "Install it: `dnf install util-linux`");
    scratch.write("proc/self/status", "Seccomp:\t2\nSeccomp_filters:\t1\n");
    assert_eq!(
        state(&machine, "seccomp"),
        State::Ok("available; a filter is in force already, as in a container".to_owned())
    );
}

#[test]
fn debugging_can_be_restricted() {
    let scratch = Scratch::new();
    let machine = machine(&scratch);
    for (scope, is_ok) in [("0", true), ("1", true), ("2", false), ("3", false)] {
        scratch.write("proc/sys/kernel/yama/ptrace_scope", scope);
        assert_eq!(matches!(state(&machine, "ptrace"), State::Ok(_)), is_ok, "{scope}");
    }
    remove(&scratch, "bin/gdb");
    assert!(matches!(state(&machine, "gdb"), State::Degraded { .. }));
}

#[test]
fn a_toolchain_can_lack_what_instruments_std() {
    let scratch = Scratch::new();
    let machine = machine(&scratch);
    let said = format!("can be instrumented, by LLVM 22.1.2 ({})", scratch.path().display());
    assert_eq!(state(&machine, "rust std"), State::Ok(said));
    remove(&scratch, LINKER);
    let State::Degraded { problem, remedy } = state(&machine, "rust std") else { panic!("degraded") };
    assert!(problem.contains("can look like a data race: the toolchain has no rust-lld"), "{problem}");
    assert!(remedy.contains("https://rustup.rs"), "{remedy}");
}

#[test]
fn this_machine_can_be_looked_at() {
    let findings = examine();
    let names: Vec<&str> = findings.iter().map(|finding| finding.name).collect();
    let expected = ["system", "kernel", "fsgsbase", "seccomp", "memfd", "ptrace", "fixed addresses"];
    assert_eq!(names[..7], expected);
    assert_eq!(names[7..], ["gcc", "g++", "clang", "clang++", "gdb", "cargo", "rustc", "rust std"]);
    // It has compiled this test.
    let rustc = &findings[names.len() - 2].state;
    assert!(matches!(rustc, State::Ok(said) if said.starts_with("rustc ")), "{rustc:?}");
}
