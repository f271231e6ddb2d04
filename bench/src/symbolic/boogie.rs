//! Boogie's side: the sequential program as Boogie text, and Debian's Boogie and Z3 on it, as a process.
//!
//! The options are those that the head of the text names: the best that were found. All that the process takes counts, its start and Z3
//! among it, since that is how it is used; writing the text does not. Loops are followed no further than needed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use caissa_model::emit::{self, Bounds};
use caissa_model::ir::Program;

use super::process;

/// The most memory for Z3, in MB.
const PROVER_MEMORY: u32 = 4_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An assertion can fail.
    Error,
    /// None can, within the bounds.
    Verified,
    /// There was no answer in time, or memory was short.
    Undecided,
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Error => "error",
            Verdict::Verified => "verified",
            Verdict::Undecided => "undecided",
        }
    }
}

/// An answer, and what it took.
#[derive(Clone, Debug)]
pub struct Decided {
    pub verdict: Verdict,
    /// On the clock.
    pub seconds: f64,
}

/// The versions of Boogie and Z3; an error that says what is missing.
pub fn versions() -> Result<String, String> {
    let first = |program: &str, option: &str| {
        let output = Command::new(program).arg(option).output();
        let output = output
            .map_err(|_| "Boogie and Z3 are not both installed: `apt-get install boogie z3`".to_owned())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok::<String, String>(text.lines().next().unwrap_or("unknown").to_owned())
    };
    // Boogie tells its version before it complains that there is no file.
    let boogie = first("boogie", "/version")?;
    Ok(format!("{}; {}", boogie.split(',').next().unwrap_or_default(), first("z3", "--version")?))
}

/// A file that goes when it is not needed any more.
struct Scratch(PathBuf);

impl Scratch {
    fn new(text: &str) -> Result<Scratch, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("caissa-bench-{}-{number}.bpl", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Asks Boogie about a sequential program.
pub fn decide(program: &Program, bounds: Bounds, limit: Duration) -> Result<Decided, String> {
    let text = emit::boogie(program, bounds);
    let file = Scratch::new(&text)?;
    let line = text.lines().find_map(|line| line.strip_prefix("//   boogie "));
    let options =
        line.and_then(|line| line.strip_suffix(" FILE.bpl")).expect("the head says how it is called");
    let mut command = Command::new("boogie");
    command.args(options.split(' ')).args(["/nologo", "/errorTrace:0"]);
    command.arg(format!("/proverMemoryLimit:{PROVER_MEMORY}")).arg(&file.0);
    let ended = process::run(&mut command, limit)?;
    let verdict = ended.output.map_or(Ok(Verdict::Undecided), |output| parse(&output))?;
    Ok(Decided { verdict, seconds: ended.seconds })
}

/// The verdict is in the last line.
fn parse(output: &str) -> Result<Verdict, String> {
    let last =
        output.lines().rev().find_map(|line| line.strip_prefix("Boogie program verifier finished with "));
    match last {
        Some("1 verified, 0 errors") => Ok(Verdict::Verified),
        Some("0 verified, 1 error") => Ok(Verdict::Error),
        Some(other) if other.contains("time out") || other.contains("out of memory") => {
            Ok(Verdict::Undecided)
        }
        Some(other) if other.contains("inconclusive") => Ok(Verdict::Undecided),
        _ if output.contains("OutOfMemory") || output.contains("out of memory") => Ok(Verdict::Undecided),
        _ => Err(format!("Boogie gives no verdict: {}", output.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        let says =
            |last: &str| parse(&format!("Prover error\nBoogie program verifier finished with {last}\n"));
        assert_eq!(says("1 verified, 0 errors"), Ok(Verdict::Verified));
        assert_eq!(says("0 verified, 1 error"), Ok(Verdict::Error));
        assert_eq!(says("0 verified, 0 errors, 1 time out"), Ok(Verdict::Undecided));
        assert!(says("0 verified, 0 errors").is_err());
        assert!(parse("1 parse errors detected").is_err());
    }
}
