//! Models from files.

use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use caissa_model::sequentialize::assert_no_overflow;
use caissa_model::{Code, ExecSettings, Model};

use crate::{Mistake, interrupt};

/// Reads a model. `sets`: constants that the command line overrides; `overflow`: arithmetic that overflows is a bug.
pub fn load(path: &Path, sets: &[(String, String)], overflow: bool) -> Result<Model, Mistake> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(unreadable(&name, &ErrorKind::IsADirectory.into()));
    }
    if path.extension().is_none_or(|extension| extension != "cai") {
        return Err(Mistake(format!(
            "error: {name}: this is not a model\nhelp: `caissa` takes models, files whose names end in .cai\n"
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&name, &error))?;
    let program =
        caissa_model::load_bytes(&name, &bytes, sets).map_err(|errors| Mistake(errors.render(colours())))?;
    let program = if overflow { assert_no_overflow(&program) } else { program };
    let mut target = quoted(&name);
    for (name, value) in sets {
        target.push_str(&format!(" --set {}", quoted(&format!("{name}={value}"))));
    }
    if overflow {
        target.push_str(" --overflow");
    }
    Ok(Model {
        code: Arc::new(Code::new(program)),
        target,
        command: command(),
        settings: ExecSettings::default(),
        interrupted: interrupt::flag(),
    })
}

/// Why a file cannot be read, and what to do.
pub fn unreadable(name: &str, error: &std::io::Error) -> Mistake {
    Mistake(match error.kind() {
        ErrorKind::NotFound => {
            format!("error: there is no file {name}\nhelp: look at its name and directory\n")
        }
        ErrorKind::IsADirectory => {
            format!(
                "error: {name} is a directory\nhelp: name the models in it: {}\n",
                Path::new(name).join("*.cai").display()
            )
        }
        _ => format!("error: {name} cannot be read: {error}\n"),
    })
}

/// Whether mistakes are shown in colours (no-color.org).
pub fn colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The command line of this process, for a shell.
pub fn command() -> String {
    let args = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("caissa".to_owned()).chain(args).collect::<Vec<_>>().join(" ")
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
