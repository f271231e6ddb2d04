//! Every model of the corpus gives the verdicts that stand in its head.

#[path = "corpus/expectation.rs"]
mod expectation;
#[path = "corpus/files.rs"]
mod files;

use std::process::{Command, Output};

use expectation::{Expected, expectations};
use files::Model;

fn caissa() -> Command {
    Command::new(env!("CARGO_BIN_EXE_caissa"))
}

/// The field of a flat JSON object; no string of it that we look at has quotes.
fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = json.split_once(&format!("\"{name}\":"))?;
    let end = rest.find([',', '}'])?;
    let value = rest[..end].trim_matches('"');
    (value != "null").then_some(value)
}

fn result(output: &Output) -> Result<Expected, String> {
    let json = String::from_utf8_lossy(&output.stdout);
    let Some(verdict) = field(&json, "verdict") else {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    };
    let number = |name| field(&json, name).and_then(|value| value.parse().ok());
    let is_bug = verdict == "bug";
    if (output.status.code() == Some(1)) != is_bug {
        return Err(format!("verdict {verdict} and exit code {:?}", output.status.code()));
    }
    Ok(Expected {
        verdict: verdict.to_owned(),
        kind: field(&json, "kind").map(str::to_owned),
        bound: number("bound"),
        executions: number("executions"),
        states: number("states"),
    })
}

#[test]
fn every_model_gives_its_verdicts() {
    let mut wrong = Vec::new();
    for model in files::models() {
        for expectation in expectations(&model.name, &model.text) {
            let options = expectation.options.join(" ");
            let output =
                caissa().arg("check").arg(&model.path).args(&expectation.options).arg("--json").output();
            let result = result(&output.expect("caissa runs"));
            if !result.as_ref().is_ok_and(|result| result.satisfies(&expectation.result)) {
                let result = result.map_or_else(|error| error, |result| result.to_string());
                let (name, line) = (&model.name, expectation.line);
                wrong.push(format!("{name}:{line}: check {options} => {}, got {result}", expectation.result));
            }
        }
    }
    assert!(wrong.is_empty(), "{} expectations are not met:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_model_has_expectations_of_its_kind() {
    for Model { name, text, .. } in files::models() {
        let expectations = expectations(&name, &text);
        let is_explicit = |options: &[String]| options.iter().any(|option| option == "explicit");
        assert!(
            expectations.iter().any(|e| !is_explicit(&e.options)),
            "{name}: nothing for the stateless engine"
        );
        // The explicit engine does not look for races.
        let races = expectations.iter().any(|e| e.result.kind.as_deref() == Some("race"));
        assert!(
            races || expectations.iter().any(|e| is_explicit(&e.options)),
            "{name}: nothing for the explicit engine"
        );
        let buggy = expectations.iter().any(|e| e.result.verdict == "bug");
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
    let output = caissa().args(["fmt", "--check"]).args(files).output().expect("caissa runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
