//! Every model of the corpus can be read, and each that has a bug has a repaired twin.

#[path = "corpus/files.rs"]
mod files;

#[test]
fn every_model_loads() {
    for model in files::models() {
        if let Err(diagnostics) = caissa_model::load(&model.name, &model.text, &[]) {
            panic!("{}", diagnostics.render(false));
        }
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
