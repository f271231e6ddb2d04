//! Whoever interrupts it gets what is there, and nothing is left behind.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::project::Project;

#[test]
fn an_interrupt_ends_it_with_what_is_known() {
    let project = Project::write(
        "endless",
        &[
            ("Cargo.toml", "[package]\nname = \"endless\"\nedition = \"2024\"\n[workspace]\n"),
            (
                "src/lib.rs",
                "#[test]\nfn a() {}\n\n#[test]\nfn b() {\n    loop {\n        std::thread::yield_now();\n    }\n}\n\n#[test]\nfn c() {}\n",
            ),
        ],
    );
    let line = "test --no-fair --max-steps 1000000000 --max-executions 1 --time 600 --test-workers 1";
    let mut command = project.command(line);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("test a ... ok") {
        assert!(out.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    assert!(
        text.contains("test c ... not run (interrupted)") && text.contains("result: interrupted. 1 ok; "),
        "{text}"
    );
    let tests = project.path().join("target/caissa");
    let left = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path().join("exe")).ok());
    let left: Vec<_> = left.filter(|exe| exe.starts_with(&tests)).collect();
    assert!(left.is_empty(), "{left:?}");
}
