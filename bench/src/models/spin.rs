//! Spin's side: a verifier in C is generated from the Promela of a model, compiled, and run to its end.
//!
//! Exact storage (the default), no reduction of any kind (`-DNOREDUCE`), depth-first (the default). `-DSAFETY` leaves out what only
//! cycles are looked for with; assertions and deadlocks are still found, which is what the others look for. Nothing else is
//! switched off or on: bounds of arrays are checked, as ours are. The hash table is larger than the number of states (`-w24`),
//! so that it never has to grow.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::child::{self, Spent};
use super::subject::{Exhausted, Size, Subject};

/// What the verifiers are compiled with.
pub const FLAGS: [&str; 3] = ["-O2", "-DNOREDUCE", "-DSAFETY"];

/// The base-two logarithm of the size of the hash table.
const SLOTS: u32 = 24;

/// A compiled verifier in a directory of its own, which goes with it.
pub struct Verifier {
    directory: PathBuf,
    depth: u64,
}

/// The versions of Spin and of the compiler; an error that says what is missing.
pub fn versions() -> Result<String, String> {
    let missing = |_| "Spin is not installed: `apt-get install spin`".to_owned();
    let spin = child::run(Command::new("spin").arg("-V")).map_err(missing)?;
    let missing = |_| "Spin needs a C compiler: `apt-get install gcc libc6-dev`".to_owned();
    let gcc = child::run(Command::new("gcc").arg("--version")).map_err(missing)?;
    let first = |spent: &Spent| spent.output.lines().next().unwrap_or("unknown").to_owned();
    Ok(format!("{}; {}; {}, -w{SLOTS}", first(&spin), first(&gcc), FLAGS.join(" ")))
}

impl Verifier {
    pub fn build(subject: &Subject, size: &Size) -> Result<Verifier, String> {
        let name = format!("caissa-bench-{}-{}", std::process::id(), subject.name);
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let verifier = Verifier { directory, depth: size.depth };
        let text = verifier.directory.join("model.pml");
        fs::write(&text, subject.pml).map_err(|error| format!("{}: {error}", text.display()))?;
        let sets = size.sets.iter().map(|(name, value)| format!("-D{name}={value}"));
        let at = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(&verifier.directory);
            command
        };
        child::run(at("spin").arg("-a").args(sets).arg("model.pml"))?;
        child::run(at("gcc").args(FLAGS).args(["-o", "pan", "pan.c"]))?;
        Ok(verifier)
    }

    pub fn run(&self) -> Result<(Exhausted, Spent), String> {
        let mut command = Command::new(self.directory.join("pan"));
        command.current_dir(&self.directory);
        command.arg(format!("-m{}", self.depth)).arg(format!("-w{SLOTS}")).arg("-n");
        let spent = child::run(&mut command)?;
        let mut exhausted = parse(&spent.output).map_err(|error| format!("{error}:\n{}", spent.output))?;
        exhausted.seconds = spent.wall;
        Ok((exhausted, spent))
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// What a verifier says at its end. The bytes are Spin's "actual memory usage for states": without the hash table, without the
/// stack.
fn parse(output: &str) -> Result<Exhausted, String> {
    if !output.contains("errors: 0") {
        return Err("Spin has found an error".to_owned());
    }
    if output.contains("max search depth too small") || output.contains("Search not completed") {
        return Err("Spin has not explored everything".to_owned());
    }
    let number = |what: &str| {
        let line = output.lines().find(|line| line.contains(what));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse::<f64>().ok()).ok_or(format!("Spin does not say `{what}`"))
    };
    Ok(Exhausted {
        states: number("states, stored")? as u64,
        transitions: number("transitions (= stored+matched)")? as u64,
        seconds: 0.0,
        bytes: (number("actual memory usage for states")? * f64::from(1 << 20)) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Depth=  962041 States=    1e+06 Transitions= 1.82e+06 Memory=   476.218\tt=      0.9 R=   1e+06

State-vector 124 byte, depth reached 1350905, errors: 0
  1594323 states, stored
 12223144 states, matched
 13817467 transitions (= stored+matched)

  218.947\tequivalent memory usage for states (stored*(State-vector + overhead))
   76.000\tactual memory usage for states (compression: 34.68%)
  128.000\tmemory used for hash table (-w24)
";

    #[test]
    fn statistics_are_read() {
        let expected =
            Exhausted { states: 1_594_323, transitions: 13_817_467, seconds: 0.0, bytes: 76 << 20 };
        assert_eq!(parse(OUTPUT), Ok(expected));
    }

    #[test]
    fn a_search_that_did_not_end_well_counts_for_nothing() {
        assert!(parse(&OUTPUT.replace("errors: 0", "errors: 1")).is_err());
        assert!(parse(&format!("error: max search depth too small\n{OUTPUT}")).is_err());
        assert!(parse(&OUTPUT.replace("states, stored", "")).is_err());
        assert!(parse("").is_err());
    }
}
