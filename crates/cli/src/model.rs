//! Models from files.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use caissa_model::{Code, ExecSettings, Model};

use crate::{Mistake, interrupt};

/// Reads a model. `sets`: constants that the command line overrides.
pub fn load(path: &Path, sets: &[(String, String)]) -> Result<Model, Mistake> {
    let name = path.display().to_string();
    if path.extension().is_none_or(|extension| extension != "cai") {
        return Err(Mistake(format!(
            "error: {name}: this is not a model\nhelp: `caissa` takes models, files whose names end in .cai\n"
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| Mistake(format!("error: {name}: {error}\n")))?;
    let colours = std::io::stderr().is_terminal();
    let program =
        caissa_model::load_bytes(&name, &bytes, sets).map_err(|errors| Mistake(errors.render(colours)))?;
    let mut target = quoted(&name);
    for (name, value) in sets {
        target.push_str(&format!(" --set {}", quoted(&format!("{name}={value}"))));
    }
    Ok(Model {
        code: Arc::new(Code::new(program)),
        target,
        settings: ExecSettings::default(),
        interrupted: interrupt::flag(),
    })
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
