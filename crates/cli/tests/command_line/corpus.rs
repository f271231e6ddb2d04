//! Every model of the corpus gives the verdicts that stand in its head.

pub mod expectation;
pub mod files;

use expectation::{Expected, expectations};
use files::Model;

use crate::run::{Run, binary};

fn result(run: &Run) -> Result<Expected, String> {
    if run.out.is_empty() {
        return Err(run.err.clone());
    }
    let json = run.json();
    let verdict = json.verdict();
    if (run.code == 1) != (verdict == "bug") {
        return Err(format!("verdict {verdict} and exit code {}", run.code));
    }
    Ok(Expected {
        verdict: verdict.to_owned(),
        kind: json.text("kind").map(str::to_owned),
        bound: json.number("bound"),
        executions: json.number("executions"),
        states: json.number("states"),
    })
}

#[test]
fn every_model_gives_its_verdicts() {
    let mut wrong = Vec::new();
    for model in files::models() {
        for expectation in expectations(&model.name, &model.text) {
            let options = expectation.options.join(" ");
            let output =
                binary().arg("check").arg(&model.path).args(&expectation.options).arg("--json").output();
            let result = result(&Run::of(output.expect("caissa runs")));
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
    let output = binary().args(["fmt", "--check"]).args(files).output();
    Run::of(output.expect("caissa runs")).expect(0, &[]);
}
