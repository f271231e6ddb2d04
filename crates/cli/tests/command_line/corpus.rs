//! Every model of the corpus gives the verdicts that stand in its head.

pub mod answers;
pub mod expectation;
pub mod files;

use answers::Answers;
use expectation::{Command, Expectation, Expected, expectations_of};
use files::Model;

use crate::run::{Run, binary};

fn result(run: &Run, command: Command) -> Result<Expected, String> {
    // Without a report there is nothing but an error.
    if run.out.is_empty() {
        return Err(run.err.clone());
    }
    let (json, numbers) = match command {
        Command::Check => {
            let json = run.json();
            let numbers = command.numbers().map(|name| json.number(name));
            (json, numbers)
        }
        Command::Verify => {
            let answers = Answers::of(run);
            let numbers = command.numbers().map(|name| answers.number(name));
            (answers.report, numbers)
        }
    };
    let numbers = command.numbers().into_iter().zip(numbers);
    let numbers = numbers.filter_map(|(name, number)| Some((name, number?))).collect();
    let verdict = json.verdict();
    if (run.code == 1) != (verdict == "bug") {
        return Err(format!("verdict {verdict} and exit code {}", run.code));
    }
    Ok(Expected { verdict: verdict.to_owned(), kind: json.text("kind").map(str::to_owned), numbers })
}

/// Runs the command of an expectation and compares.
fn compare(model: &Model, expectation: &Expectation) -> Result<Run, String> {
    let Expectation { line, command, options, result: expected } = expectation;
    let mut binary = binary();
    binary.arg(command.word()).arg(&model.path).args(options).args(["--json", "--quiet"]);
    let run = Run::of(binary.output().expect("caissa runs"));
    let result = result(&run, *command);
    if result.as_ref().is_ok_and(|result| result.satisfies(expected)) {
        return Ok(run);
    }
    let result = result.map_or_else(|error| error, |result| result.to_string());
    let (name, call) = (&model.name, format!("{} {}", command.word(), options.join(" ")));
    Err(format!("{name}:{line}: {call} => {expected}, got {result}"))
}

/// Replays what `verify` has found.
fn replayed(model: &Model, expectation: &Expectation, run: &Run) -> Result<(), String> {
    let found = Answers::of(run).report;
    let options = &expectation.options;
    let sets = options.iter().enumerate().filter(|(_, option)| *option == "--set");
    let sets = sets.flat_map(|(index, _)| &options[index..index + 2]);
    let mut binary = binary();
    binary.arg("replay").arg(found.text("schedule").expect("a bug has a schedule")).arg(&model.path);
    let again = Run::of(binary.args(sets).args(["--no-races", "--json"]).output().expect("caissa runs"));
    let is_same = |name| found.text(name) == again.json().text(name);
    match again.code == 1 && ["kind", "location", "message", "schedule"].into_iter().all(is_same) {
        true => Ok(()),
        false => Err(format!("{}:{}: it does not come back:\n{again}", model.name, expectation.line)),
    }
}

#[track_caller]
fn are_met(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} expectations are not met:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_model_gives_its_verdicts() {
    let mut wrong = Vec::new();
    for model in files::models() {
        let expectations = expectations_of(Command::Check, &model.name, &model.text);
        wrong.extend(expectations.iter().filter_map(|expectation| compare(&model, expectation).err()));
    }
    are_met(&wrong);
}

#[test]
fn every_model_gives_its_verdicts_when_it_is_verified() {
    let mut wrong = Vec::new();
    for model in files::models() {
        for expectation in expectations_of(Command::Verify, &model.name, &model.text) {
            let met = compare(&model, &expectation).and_then(|run| match run.code {
                1 => replayed(&model, &expectation, &run),
                _ => Ok(()),
            });
            wrong.extend(met.err());
        }
    }
    are_met(&wrong);
}

#[test]
fn every_model_has_expectations_of_its_kind() {
    for Model { name, text, .. } in files::models() {
        let checks = expectations_of(Command::Check, &name, &text);
        let verifications = expectations_of(Command::Verify, &name, &text);
        assert!(!verifications.is_empty(), "{name}: nothing for verify");
        let is_explicit = |options: &[String]| options.iter().any(|option| option == "explicit");
        assert!(checks.iter().any(|e| !is_explicit(&e.options)), "{name}: nothing for the stateless engine");
        // The explicit engine does not look for races.
        let races = checks.iter().any(|e| e.result.kind.as_deref() == Some("race"));
        assert!(
            races || checks.iter().any(|e| is_explicit(&e.options)),
            "{name}: nothing for the explicit engine"
        );
        let is_bug = |e: &Expectation| e.result.verdict == "bug";
        let buggy = checks.iter().any(is_bug);
        assert!(buggy || !verifications.iter().any(is_bug), "{name}: only verify is to find a bug");
        assert_eq!(buggy, name.starts_with("fail/"), "{name}: is in the wrong directory");
    }
}

#[test]
fn every_buggy_model_names_a_twin_that_passes() {
    let models = files::models();
    for model in models.iter().filter(|model| model.name.starts_with("fail/")) {
        let repaired = model.text.lines().find_map(|line| line.strip_prefix("// Repaired: "));
        let repaired = repaired.unwrap_or_else(|| panic!("{}: no line `// Repaired: ...`", model.name));
        let twin = repaired.split_whitespace().next().expect("a file name");
        assert!(twin.starts_with("pass/"), "{}: the twin {twin} is not in pass/", model.name);
        assert!(models.iter().any(|other| other.name == twin), "{}: no twin {twin}", model.name);
    }
}

#[test]
fn every_model_is_formatted() {
    let files = files::models().into_iter().map(|model| model.path);
    let output = binary().args(["fmt", "--check"]).args(files).output();
    Run::of(output.expect("caissa runs")).expect(0, &[]);
}
