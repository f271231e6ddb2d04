//! What came of a test as a JSON object, for other programs.

use caissa_core::Bug;
use serde_json::{Map, Value, json};

use super::phrases;
use crate::cargo::build::Binary;
use crate::cargo::explore::{Case, NOT_NOTED, Outcome, replay_command};

/// The object of a test: its name and where it is, its result, and the fields of its report, or the reason why there is none.
pub fn object(case: &Case, binary: &Binary, outcome: &Outcome) -> Value {
    let result = match phrases::word(outcome) {
        "FAILED" => "failed",
        word => word,
    };
    let mut object = json!({
        "test": case.test.name,
        "package": binary.package,
        "target": binary.selection.join(" "),
        "result": result,
    });
    let fields = object.as_object_mut().expect("it is one");
    match outcome {
        Outcome::Explored(explored) => {
            let report: Map<String, Value> =
                serde_json::from_str(&explored.report.to_json()).expect("reports are objects");
            fields.extend(report);
            if fields["location"] == NOT_NOTED {
                fields.insert("location".to_owned(), Value::Null);
            }
            if let Some(finding) = explored.report.finding.as_ref().filter(|finding| finding.confirmed) {
                let races = explored.report.looked_for_races();
                let replay = replay_command(&case.test.name, &finding.schedule(), &case.again, races);
                fields.insert("replay".to_owned(), replay.into());
            }
            if let Some(finding) = &explored.report.finding
                && let Bug::Panic { panic, .. } = &finding.bug
                && !["panic", "assertion"].contains(&panic.kind)
            {
                // Its words say what the thread has done.
                let sentence = format!("thread {} {}", finding.task(panic.task), panic.message);
                fields.insert("message".to_owned(), sentence.into());
            }
            if let Some(text) = &explored.printed {
                fields.insert("output".to_owned(), text.clone().into());
            }
            if let Some(race) = &explored.possible_race {
                fields.insert("possible_race".to_owned(), race.clone().into());
            }
            let unconfirmed =
                explored.report.divergence.iter().map(|why| format!("it cannot be replayed: {why}"));
            let notes: Vec<String> = explored.notes.iter().cloned().chain(unconfirmed).collect();
            fields.insert("notes".to_owned(), notes.into());
        }
        Outcome::NotExplored(reason) => {
            fields.insert("reason".to_owned(), reason.details.clone().into());
        }
        Outcome::NotRun(why) | Outcome::Skipped(why) => {
            fields.insert("reason".to_owned(), why.clone().into());
        }
        Outcome::Ignored => {}
    }
    object
}
