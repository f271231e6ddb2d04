//! Command lines that make no sense.

use crate::project::trial;

#[test]
fn mistakes_are_told_with_what_to_do() {
    for (line, parts) in [
        ("", &["error: what is to be done?", "Usage: cargo caissa test"][..]),
        ("tset", &["error: there is no command `tset`", "Usage: cargo caissa test"]),
        ("bench", &["error: benchmarks are not explored"]),
        ("test --bound x", &["invalid value 'x' for '--bound <N>'"]),
        ("test --search bfs", &["error: --search bfs is for models"]),
        ("test --search pct --bound 1", &["error: this search has no bound"]),
        ("test --scheduler rr", &["add --search delays"]),
        ("test --fair-k 2 --no-fair", &["cannot be used with"]),
        ("test a b", &["several of them come after --: cargo caissa test -- a b"]),
        ("test -- --report-time", &["unexpected argument '--report-time' found"]),
        ("test -- --format json", &["[possible values: pretty, terse]"]),
        ("test --message-format json", &["help: use --json"]),
        ("test --doc", &["error: --doc: doctests are not explored"]),
        ("test --target wasm32-wasip1", &["error: --target wasm32-wasip1: tests are run on this machine"]),
        ("test --manifest-path none/Cargo.toml", &["none/Cargo.toml"]),
        (
            "test --no-such-option",
            &["unexpected argument '--no-such-option' found", "error: it could not be built"],
        ),
        ("replay name", &["error: what is replayed is a test and a schedule of it"]),
        ("replay name cai1:nonsense", &["error: "]),
        ("test --serch dfs", &["error: there is no option `--serch`\nhelp: `--search`\n"]),
        (
            "run --max-execution 5",
            &["error: there is no option `--max-execution`\nhelp: `--max-executions`\n"],
        ),
        (
            "replay races cai1:np011jytucq1d4uv3043SS",
            &["error: there is no test races", "help: there is tests::races\n"],
        ),
        ("replay no_such_test cai1:np011jytucq1d4uv3043SS", &["error: there is no test no_such_test"]),
        (
            "replay tests::fails cai1:np011jytucq1d4uv3043SS",
            &[
                "error: there are several tests tests::fails",
                "  -p trial --lib\n",
                "  -p trial --test outer\n",
            ],
        ),
        ("run --no-such-option", &["unexpected argument '--no-such-option' found"]),
        ("run --gdb", &["--replay <SCHEDULE>"]),
        ("run --replay cai1:nonsense", &["error: "]),
        ("__runner program", &["error: this is started by `cargo caissa run`"]),
    ] {
        trial().caissa(line).expect_mistake(parts);
    }
}

#[test]
fn help_lists_every_option() {
    trial().caissa("help").expect(0, &["cargo caissa replay", "cargo caissa test --help"]);
    trial().caissa("--version").expect(0, &["cargo-caissa "]);
    let help = trial().caissa("test --release --help");
    help.expect(
        0,
        &[
            "--total-time <SECONDS>",
            "--plain-std",
            "--test-workers <N>",
            "--no-preempt <NAME>",
            "default for each test: 2000",
        ],
    );
    assert_eq!(trial().caissa("help test").out, help.out);
    trial().caissa("test -- --help").expect(0, &["--include-ignored"]);
}
