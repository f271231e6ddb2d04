//! `caissa completions`: a script for each shell, that knows every command and option.

use crate::help::options;
use crate::run::caissa;

#[test]
fn every_shell_has_a_script_with_all_options() {
    for (shell, sign) in [
        ("bash", "complete -F _caissa"),
        ("zsh", "#compdef caissa"),
        ("fish", "complete -c caissa"),
        ("elvish", "edit:completion:arg-completer[caissa]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let run = caissa(&["completions", shell]);
        run.expect(0, &[sign]);
        assert_eq!(run.err, "");
        for command in ["check", "replay", "fmt"] {
            assert!(run.out.contains(command), "{shell}: no {command}");
            for option in options(command) {
                // Fish writes them without dashes.
                let word = option.trim_start_matches('-');
                assert!(run.out.contains(word), "{shell}: no {option}");
            }
        }
        for value in ["depth-first-plain", "explicit", "surw"] {
            assert!(
                run.out.contains(value) || shell == "elvish" || shell == "powershell",
                "{shell}: no {value}"
            );
        }
    }
    caissa(&["completions", "tcsh"])
        .expect_mistake(&["invalid value 'tcsh'", "bash, elvish, fish, powershell, zsh"]);
}
