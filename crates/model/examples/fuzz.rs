//! Fuzzes the front end by changing texts: `cargo run --release --example fuzz -- SECONDS [SEED]`.
//!
//! The texts are those of the corpus of models and of `fuzz/corpus`. Each is changed a few times: parts are left out, doubled, exchanged,
//! taken from other texts, or replaced by tokens and bytes. Nothing may panic or take long; what can be read must be the same after
//! formatting, and formatting again must change nothing. On failure the seed is printed; with it as the second argument and 0 seconds that
//! text alone is tried again. It needs no instrumentation, so it runs on stable Rust; it is not guided by coverage.

use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use caissa_model::{format, keywords, load, load_bytes};

/// Longer texts are cut.
const MAX_BYTES: usize = 20_000;

/// What takes longer is reported.
const SLOW: Duration = Duration::from_secs(2);

const SIGNS: &str = "( ) [ ] { } , ; : := = . .. ? || && == != < <= > >= | ^ & << >> + - * / % ! ~ 0 1 -1 2147483647 2147483648 \
    0xffffffff 99999999999999999999 \" // /* */ \\ @ € x main \"text\" [0] (1) { } /**/";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let seconds: Option<u64> = args.next().and_then(|arg| arg.parse().ok());
    let Some(seconds) = seconds else {
        eprintln!("usage: fuzz SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let first: u64 = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(0);
    // Threads have less stack than the main one: deep recursion shows.
    let fuzzing = std::thread::spawn(move || fuzz(seconds, first));
    match fuzzing.join() {
        Ok(true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn fuzz(seconds: u64, first: u64) -> bool {
    let texts = texts();
    let tokens: Vec<&str> = SIGNS.split_whitespace().chain(keywords()).collect();
    println!("{} texts, from seed {first}", texts.len());
    std::panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut tried, mut read, mut formatted) = (0_u64, 0_u64, 0_u64);
    loop {
        let seed = first + tried;
        let bytes = changed(&texts, &tokens, seed);
        let began = Instant::now();
        let outcome = catch_unwind(|| attempt(&bytes)).unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().cloned();
            Err(said
                .or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
                .unwrap_or_default())
        });
        let outcome = match outcome {
            Ok(_) if began.elapsed() > SLOW => Err(format!("it takes {:?}", began.elapsed())),
            outcome => outcome,
        };
        match outcome {
            Ok((is_read, is_formatted)) => {
                read += u64::from(is_read);
                formatted += u64::from(is_formatted);
            }
            Err(wrong) => {
                println!("seed {seed}: {wrong}\n--- the text:\n{}", String::from_utf8_lossy(&bytes));
                return false;
            }
        }
        tried += 1;
        if Instant::now() >= end {
            println!("{tried} texts, {read} without mistakes, {formatted} formatted: clean");
            return true;
        }
    }
}

fn texts() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = ["fuzz/corpus", "../../corpus/model/pass", "../../corpus/model/fail"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(root.join(folder)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let texts: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
    assert!(!texts.is_empty(), "there are texts to begin with");
    texts
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    /// A part of something of this length; mostly a short one.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 20 };
        start..(start + self.below(most + 1)).min(length)
    }
}

fn changed(texts: &[Vec<u8>], tokens: &[&str], seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bytes = texts[random.below(texts.len())].clone();
    for _ in 0..random.below(6) {
        let part = random.part(bytes.len());
        match random.below(9) {
            0 => drop(bytes.drain(part)),
            1 => {
                let piece = bytes[part.clone()].to_vec();
                let times = if random.below(50) == 0 { 400 } else { 1 };
                bytes.splice(part.end..part.end, piece.repeat(times));
            }
            2 => {
                let piece = bytes[part].to_vec();
                let to = random.part(bytes.len());
                bytes.splice(to, piece);
            }
            3 => {
                let other = &texts[random.below(texts.len())];
                let piece = other[random.part(other.len())].to_vec();
                bytes.splice(part, piece);
            }
            4 => drop(bytes.splice(part.start..part.start, [random.below(256) as u8])),
            5 if !part.is_empty() => bytes[part.start] ^= 1 << random.below(8),
            _ => {
                let token = format!(" {} ", tokens[random.below(tokens.len())]);
                let part = if random.below(2) == 0 { part.start..part.start } else { part };
                bytes.splice(part, token.into_bytes());
            }
        }
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

/// Whether the text has no mistakes, and whether it can be formatted.
fn attempt(bytes: &[u8]) -> Result<(bool, bool), String> {
    let program = load_bytes("fuzz.cai", bytes, &[("N".to_owned(), "2".to_owned())]);
    if let Err(diagnostics) = &program {
        let shown = diagnostics.render(bytes.len().is_multiple_of(2));
        if diagnostics.list().is_empty() || shown.is_empty() {
            return Err("nothing is said".to_owned());
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok((false, false)) };
    let program = load("fuzz.cai", text, &[]).map(|program| program.to_string()).ok();
    let Ok(once) = format("fuzz.cai", text) else { return Ok((program.is_some(), false)) };
    match format("fuzz.cai", &once) {
        Ok(twice) if twice == once => {}
        Ok(twice) => return Err(format!("formatting is not idempotent\n{once}\n--- and then\n{twice}")),
        Err(diagnostics) => return Err(format!("formatted text is wrong\n{once}\n{diagnostics}")),
    }
    if load("fuzz.cai", &once, &[]).map(|program| program.to_string()).ok() != program {
        return Err(format!("formatting changes the program\n{once}"));
    }
    Ok((program.is_some(), true))
}
