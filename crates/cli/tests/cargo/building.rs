//! How tests are built.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, run, trial};

#[test]
fn nothing_is_built_twice() {
    trial().caissa("test --no-run").expect(0, &["unittests src/lib.rs (trial): "]);
    let again = trial().caissa("test --lib -- --list");
    assert!(!again.err.contains("Compiling"), "{again}");
    // Nor does a build of the user's own have to be made again.
    assert!(trial().path().join("target/caissa").is_dir());
}

#[test]
fn a_release_build_has_lines() {
    let run = trial().caissa("test --release --lib --max-executions 1 -- tests::races tests::environment");
    run.expect(
        1,
        &["test tests::environment ... ok", "src/lib.rs:3", "cargo caissa replay tests::races cai1:"],
    );
    assert!(run.replay_line().ends_with(" --release --lib"), "{run}");
}

#[test]
fn flags_and_features_of_the_user_are_kept() {
    let mut command = trial().command("test --lib --features extra -- --list");
    let output = command.env("RUSTFLAGS", "--cfg flagged").output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("tests::only_if_flagged: test") && out.contains("tests::only_with_extra: test"),
        "{out}"
    );
}

#[test]
fn another_target_directory_is_honoured() {
    let project = Project::write(
        "elsewhere",
        &[
            ("Cargo.toml", "[package]\nname = \"elsewhere\"\nedition = \"2024\"\n[workspace]\n"),
            ("src/lib.rs", "#[test]\nfn here() {}\n"),
        ],
    );
    project
        .caissa("test --target-dir there --target x86_64-unknown-linux-gnu -- --list")
        .expect(0, &["here: test"]);
    assert!(project.path().join("there/caissa").is_dir() && !project.path().join("target").exists());
}

#[test]
fn what_does_not_compile_is_cargos_to_say() {
    let project = Project::write(
        "broken",
        &[
            ("Cargo.toml", "[package]\nname = \"broken\"\nedition = \"2024\"\n[workspace]\n"),
            ("src/lib.rs", "pub fn broken() -> u32 {\n    \"text\"\n}\n"),
            ("src/main.rs", "fn main() {\n    broken::broken();\n}\n"),
        ],
    );
    for line in ["test", "run", "replay name cai1:np011jytucq1d4uv3043SS"] {
        let parts = ["error[E0308]: mismatched types", "src/lib.rs:2:5", "error: it could not be built"];
        project.caissa(line).expect_mistake(&parts);
    }
}

#[test]
fn panics_that_abort_are_refused() {
    let mut command = trial().command("test");
    let run = run(command.env("RUSTFLAGS", "-C panic=abort"));
    run.expect_mistake(&["error: the flags for rustc say panic=abort", "help: take it out of RUSTFLAGS"]);
}

#[test]
fn what_the_machine_lacks_is_said() {
    let bin = sysroot().join("bin");
    let project = Project::write(
        "unlinked",
        &[
            ("Cargo.toml", "[package]\nname = \"unlinked\"\nedition = \"2024\"\n[workspace]\n"),
            ("src/lib.rs", "#[test]\nfn here() {}\n"),
        ],
    );
    // Cargo and rustc are there, and nothing else.
    let unlinked = run(project.command("test").env("PATH", &bin).env("CARGO", bin.join("cargo")));
    unlinked.expect_mistake(&["linker `cc` not found", "help: there is no linker `cc`: apt install gcc"]);
    let nothing = run(project.command("test").env("RUSTC", "/no/such/rustc"));
    nothing.expect_mistake(&["error: `/no/such/rustc` cannot be run: there is no such program", "help: "]);
    let other = run(project.command("test").env("RUSTC", "/bin/echo"));
    other.expect_mistake(&["error: ", "/bin/echo", "help: "]);
}

/// Where the toolchain is that runs this test.
fn sysroot() -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc runs");
    String::from_utf8(output.stdout).expect("a path").trim_end().into()
}
