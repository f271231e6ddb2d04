//! C, compiled and run with every choice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::judge::End;

const OWN_WORDS: &str = include_str!("own_words.h");

/// Calls the C compiler on a text, without any warning, and says where the result is.
pub fn gcc(name: &str, text: &str, options: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, made) = (folder.join(format!("emit_{name}.c")), folder.join(format!("emit_{name}.out")));
    fs::write(&source, text).expect("the target folder can be written");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).args(options).arg(&source).arg("-o").arg(&made);
    let output = gcc.output().expect("gcc is installed");
    assert!(output.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    made
}

/// All ends of each program. In one C text, so what they declare must have different names.
pub fn ends(name: &str, programs: &[(&str, String)]) -> BTreeMap<String, BTreeSet<End>> {
    let mut text = OWN_WORDS.to_owned();
    for (at, (_, program)) in programs.iter().enumerate() {
        write!(text, "\n#define main main_{at}\n{program}#undef main\n").expect("strings take everything");
    }
    text += "\nint main(void) {\n";
    for (at, (name, _)) in programs.iter().enumerate() {
        let call = format!(
            "    if (in_child()) {{\n        begin(\"{name}\");\n        main_{at}();\n        end();\n    }}\n"
        );
        text += &call;
    }
    text += "    return 0;\n}\n";
    // Whatever C leaves undefined ends the process.
    let trapped = ["-fsanitize=undefined,bounds", "-fsanitize-undefined-trap-on-error"];
    let output = Command::new(gcc(name, &text, &trapped)).output().expect("it was just made");
    assert!(output.status.success(), "{name}: {output:?}");
    read(&output)
}

fn read(output: &Output) -> BTreeMap<String, BTreeSet<End>> {
    let mut ends: BTreeMap<String, BTreeSet<End>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (program, end) = line.split_once(' ').unwrap_or((line, ""));
        let end = match end.strip_prefix("failed ") {
            Some(message) => End::Failed(message.to_owned()),
            None => {
                let values = end.split_whitespace().map(|value| value.parse());
                End::Complete(values.collect::<Result<_, _>>().unwrap_or_else(|_| panic!("{line}")))
            }
        };
        ends.entry(program.to_owned()).or_default().insert(end);
    }
    ends
}
