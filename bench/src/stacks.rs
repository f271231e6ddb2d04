//! Whether stacks are mapped while a check runs: counted by strace, from outside.
//!
//! A search that has seen its largest number of tasks has all the stacks it needs. So a run of many executions must map
//! exactly as many stacks as a run of few.

use std::process::{Command, Stdio};

use crate::figures::{Claim, Figures};
use crate::section::{Row, Section};

/// Executions of the two runs.
const FEW: u64 = 1_000;
const MANY: u64 = 20_000;

/// The size of a stack with its guard: the default is 8 MiB. The allocator maps far less or far more at a time; what it gives
/// back can be of any size, so only what is mapped is counted.
const STACK: std::ops::Range<u64> = 8 << 20..9 << 20;

/// Calls in the output of `strace -f -e trace=mmap,munmap,mprotect`: all, and those that map a stack.
fn calls(output: &str) -> [u64; 2] {
    let mut counts = [0, 0];
    for line in output.lines() {
        let Some((name, arguments)) = line.split_once('(') else { continue };
        let name = name.rsplit(' ').next().unwrap_or(name);
        if !["mmap", "munmap", "mprotect"].contains(&name) {
            continue;
        }
        counts[0] += 1;
        let length = arguments.split([',', ')']).nth(1).and_then(|length| length.trim().parse::<u64>().ok());
        if name == "mmap" && length.is_some_and(|length| STACK.contains(&length)) {
            counts[1] += 1;
        }
    }
    counts
}

/// Runs this program under strace: one search of so many executions.
fn traced(executions: u64) -> Result<[u64; 2], String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let output =
        std::env::temp_dir().join(format!("caissa-bench-{}-{executions}.strace", std::process::id()));
    let status = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=mmap,munmap,mprotect", "-o"])
        .arg(&output)
        .arg(this)
        .args(["one", "caissa-dfs", "h6", &executions.to_string()])
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("strace could not be run ({error})"))?;
    if !status.success() {
        return Err(format!("strace ended with {status}"));
    }
    let text = std::fs::read_to_string(&output).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&output);
    Ok(calls(&text))
}

pub fn section() -> Section {
    let mut section = Section {
        name: "Stacks",
        unit: "calls that map a stack",
        rows: Vec::new(),
        claims: Vec::new(),
        remarks: Vec::new(),
    };
    let one = |value: u64| {
        let mut figures = Figures::default();
        figures.push(value as f64);
        figures
    };
    match (traced(FEW), traced(MANY)) {
        (Ok(few), Ok(many)) if few[1] > 0 => {
            for (executions, calls) in [(FEW, few), (MANY, many)] {
                section.rows.push(Row {
                    program: "h6 rmw_6x10".into(),
                    checker: "caissa-dfs".into(),
                    figures: one(calls[1]),
                    facts: vec![
                        ("executions", executions),
                        ("calls of mmap, munmap, mprotect in all", calls[0]),
                    ],
                });
            }
            let what = format!("stacks mapped in {MANY} executions, against those in {FEW}");
            section.claims.push(Claim::at_most(what, one(many[1]).over(&one(few[1])), 1.0, None));
        }
        (Ok(_), Ok(_)) => section.remarks.push("Not measured: strace saw no stack at all.".into()),
        (Err(error), _) | (_, Err(error)) => section.remarks.push(format!("Not measured: {error}.")),
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_counted_apart() {
        let output = "\
            100 mmap(NULL, 8392704, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n\
            100 mprotect(0x7f0000001000, 8388608, PROT_READ|PROT_WRITE) = 0\n\
            101 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n\
            mmap(NULL, 134217728, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n\
            mmap(NULL, 8400000, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n\
            101 munmap(0x7f0000000000, 8392704) = 0\n\
            101 +++ exited with 0 +++\n";
        assert_eq!(calls(output), [6, 2]);
    }
}
