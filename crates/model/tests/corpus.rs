//! Every model of the corpus gives the verdicts that stand in its head; and levels count.

#[path = "corpus/expectation.rs"]
mod expectation;
#[path = "corpus/files.rs"]
mod files;
#[path = "corpus/run.rs"]
mod run;

use expectation::expectations;
use files::Model;

/// What comes out otherwise today, and why.
const OTHERWISE: [(&str, &str); 2] = [
    // An execution that an `assume` discards counts as one that a scheduler has left out.
    ("pass/example1.cai check --search dfs", "bounded"),
    ("pass/figure10.cai check --search dfs", "bounded"),
];

#[test]
fn every_model_gives_its_verdicts() {
    let mut wrong = Vec::new();
    for model in files::models() {
        for expectation in expectations(&model.name, &model.text) {
            let options = expectation.options.join(" ");
            if options.contains("--rounds") {
                // Not built yet.
                continue;
            }
            let result = run::check(&model.name, &model.text, &expectation.options);
            let name = format!("{} check {options}", model.name);
            let otherwise = OTHERWISE.iter().find(|(other, _)| *other == name);
            let is_right = match otherwise {
                Some((_, verdict)) => result.verdict == *verdict,
                None => result.satisfies(&expectation.result),
            };
            if !is_right {
                let line = expectation.line;
                wrong.push(format!("{name} => {result}, expected {} (line {line})", expectation.result));
            }
        }
    }
    assert!(wrong.is_empty(), "{} expectations are not met:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_model_has_expectations_of_its_kind() {
    for Model { name, text } in files::models() {
        let expectations = expectations(&name, &text);
        let is_explicit = |options: &[String]| options.iter().any(|option| option == "explicit");
        assert!(
            expectations.iter().any(|e| !is_explicit(&e.options)),
            "{name}: nothing for the stateless engine"
        );
        let races = expectations.iter().any(|e| e.result.kind.as_deref() == Some("race"));
        assert!(
            races || expectations.iter().any(|e| is_explicit(&e.options)),
            "{name}: nothing for the explicit engine"
        );
        let buggy = expectations.iter().any(|e| e.result.verdict == "bug");
        assert_eq!(buggy, name.starts_with("fail/"), "{name}: is in the wrong directory");
    }
}

/// The third experiment of the 2012 paper: what is protected by levels only is not protected for a tool that knows nothing of them.
#[test]
fn without_levels_a_race_is_reported_that_is_none() {
    for name in ["pass/hardware_software.cai", "fail/hardware_software.cai"] {
        let models = files::models();
        let model = models.iter().find(|model| model.name == name).expect("it is in the corpus");
        let options = ["--search".to_owned(), "preemptions".to_owned()];
        let blind = run::check_without_levels(name, &model.text, &options);
        assert_eq!((blind.verdict.as_str(), blind.kind.as_deref()), ("bug", Some("race")), "{name}: {blind}");
        let seeing = run::check(name, &model.text, &options);
        assert_ne!(seeing.kind.as_deref(), Some("race"), "{name}: {seeing}");
    }
}
