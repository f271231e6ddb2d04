//! `caissa fmt`.

use std::io::Write as _;
use std::process::ExitCode;

use crate::model::{colours, unreadable};
use crate::{Mistake, args};

/// Formats models in place, or says which are not formatted.
pub fn format_files(args: &args::Fmt) -> Result<ExitCode, Mistake> {
    let (mut mistakes, mut unformatted) = (String::new(), 0);
    for path in &args.files {
        let name = path.display().to_string();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                mistakes.push_str(&unreadable(&name, &error).0);
                continue;
            }
        };
        let formatted = match caissa_model::format_bytes(&name, &bytes) {
            Ok(formatted) => formatted,
            Err(errors) => {
                mistakes.push_str(&errors.render(colours()));
                continue;
            }
        };
        if formatted.as_bytes() == bytes {
            continue;
        }
        unformatted += 1;
        if args.check {
            // Nobody may be there any more to read it, which is no reason to fail.
            let _ = writeln!(std::io::stdout(), "{name}");
        } else if let Err(error) = std::fs::write(path, formatted) {
            mistakes.push_str(&format!("error: {name} cannot be written: {error}\n"));
        }
    }
    if !mistakes.is_empty() {
        return Err(Mistake(mistakes));
    }
    Ok(ExitCode::from((args.check && unformatted > 0) as u8))
}
