//! `bench sampling`: how often each sampling search hits bugs of known kinds.
//!
//! Two kinds of program. A *ladder* of depth d fails if d + 1 operations of two tasks come in one order, in turn; each comes
//! once, so d orders have to hold, which is a bug of depth d (Burckhardt et al., ASPLOS 2010). PCT looks at depth d with d - 1
//! changes of priority, and hits it at least once in n * k^(d-1) executions of n tasks and k steps. A *skewed* program fails if the
//! only interesting operation of a task that has much else to do comes before the other's: a random walk has to favour one
//! task all the time, SURW (Zhao et al. 2025) draws the order of the interesting operations first.

use std::time::Duration;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Search, thread};

use crate::figures::{Claim, Figures, short};
use crate::json::Json;
use crate::machine::Machine;
use crate::section::{print_claims, said};

const POLICIES: [Search; 4] = [Search::Random, Search::Pct, Search::Pos, Search::Surw];

/// Executions drawn for each seed.
const SAMPLES: u64 = 20_000;

/// Tasks of each program: the main one and two others.
const TASKS: f64 = 3.0;

/// Operations that a task does besides, between two of a ladder.
const BETWEEN: usize = 2;

fn ladder(depth: usize) {
    let stage = Arc::new(AtomicUsize::new(0));
    let tasks = [0, 1].map(|me| {
        let stage = Arc::clone(&stage);
        thread::spawn(move || {
            let own = AtomicUsize::new(0);
            for number in (0..=depth).filter(|number| number % 2 == me) {
                let _ = stage.compare_exchange(number, number + 1, SeqCst, SeqCst);
                (0..BETWEEN).for_each(|_| own.store(number, SeqCst));
            }
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
    assert_ne!(stage.load(SeqCst), depth + 1, "the top of the ladder");
}

fn skewed(besides: usize) {
    let shared = Arc::new(AtomicUsize::new(0));
    let busy = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let own = AtomicUsize::new(0);
            (0..besides).for_each(|_| own.store(1, SeqCst));
            shared.swap(2, SeqCst)
        })
    };
    let idle = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || shared.swap(1, SeqCst))
    };
    let (seen_by_busy, _) = (busy.join().unwrap(), idle.join().unwrap());
    assert_ne!(seen_by_busy, 0, "the busy task came first");
}

/// One search on one program.
struct Rate {
    program: String,
    policy: &'static str,
    /// Of each seed: hits among the samples.
    hits: Vec<u64>,
    samples: u64,
    /// PCT's guarantee.
    bound: Option<f64>,
}

impl Rate {
    fn share(&self) -> f64 {
        self.hits.iter().sum::<u64>() as f64 / (self.samples * self.hits.len() as u64) as f64
    }

    /// The share of each seed. No hit at all counts as `none` of them: against whoever makes a claim.
    fn shares(&self, none: f64) -> Figures {
        let mut figures = Figures::default();
        for &hits in &self.hits {
            let hits = if hits == 0 { none } else { hits as f64 };
            figures.push(hits / self.samples as f64);
        }
        figures
    }

    fn claim_at_least(&self, what: String, other: &Figures) -> Claim {
        Claim::at_least(what, self.shares(f64::MIN_POSITIVE).over(other), 1.0, None)
    }

    fn json(&self) -> Json {
        Json::Object(vec![
            ("program", self.program.as_str().into()),
            ("search", self.policy.into()),
            ("hits", self.hits.iter().copied().collect()),
            ("samples", self.samples.into()),
            ("share", self.share().into()),
            ("bound", self.bound.into()),
        ])
    }
}

/// Draws samples with several seeds; `depth` is what PCT looks for.
fn draw(
    name: String,
    search: Search,
    depth: u32,
    samples: u64,
    seeds: u64,
    program: impl Fn() + Clone + Send + Sync + 'static,
) -> Rate {
    let mut rate = Rate { program: name, policy: search.name(), hits: Vec::new(), samples, bound: None };
    for seed in 1..=seeds {
        said(&format!("{}, {}, seed {seed}", rate.program, rate.policy));
        let report = Builder::new()
            .search(search)
            .seed(seed)
            .pct_depth(depth)
            .max_executions(samples)
            .keep_going(true)
            .minimise(0)
            .progress(Duration::ZERO)
            .explore(program.clone())
            .expect("the settings make sense");
        assert_eq!(report.executions(), samples);
        rate.hits.push(report.summary.failures);
        if search == Search::Pct {
            let steps = f64::from(report.summary.longest);
            rate.bound = Some(1.0 / (TASKS * steps.powi(depth as i32 - 1)));
        }
    }
    rate
}

fn measure(samples: u64, seeds: u64) -> (Vec<Rate>, Vec<Claim>) {
    let (mut rates, mut claims) = (Vec::new(), Vec::new());
    for depth in 1..=4 {
        for search in POLICIES {
            let name = format!("ladder of depth {depth}");
            let rate = draw(name, search, depth, samples, seeds, move || ladder(depth as usize));
            if let Some(bound) = rate.bound {
                let what = format!("pct hits depth {depth} as often as it guarantees");
                let mut guaranteed = Figures::default();
                (0..seeds).for_each(|_| guaranteed.push(bound));
                claims.push(rate.claim_at_least(what, &guaranteed));
            }
            rates.push(rate);
        }
    }
    for besides in [4, 8, 16] {
        let name = format!("skewed, {besides} operations besides");
        let four =
            POLICIES.map(|search| draw(name.clone(), search, 2, samples, seeds, move || skewed(besides)));
        let [random, _, _, surw] = &four;
        let what = format!("{name}: hits of surw, against random");
        claims.push(surw.claim_at_least(what, &random.shares(1.0)));
        rates.extend(four);
    }
    said("");
    (rates, claims)
}

/// Draws and prints.
pub fn run(quick: bool, json: bool) {
    let machine = Machine::this();
    let (samples, seeds) = if quick { (SAMPLES / 20, 2) } else { (SAMPLES, 5) };
    let (rates, claims) = measure(samples, seeds);
    if json {
        let object = Json::Object(vec![
            ("machine", machine.json()),
            ("rates", Json::List(rates.iter().map(Rate::json).collect())),
            ("claims", claims.iter().collect()),
        ]);
        println!("{object}");
        return;
    }
    print!("{machine}");
    println!("\n## Hits in {samples} samples, for each of {seeds} seeds\n");
    println!("| program | search | share of all samples | hits, lowest..highest | guaranteed |");
    println!("|---|---|--:|--:|--:|");
    for rate in &rates {
        let (lowest, highest) = (rate.hits.iter().min(), rate.hits.iter().max());
        println!(
            "| {} | {} | {:.5} | {}..{} | {} |",
            rate.program,
            rate.policy,
            rate.share(),
            lowest.expect("a seed"),
            highest.expect("a seed"),
            rate.bound.map_or(String::new(), |bound| format!("1 in {}", short((1.0 / bound).round()))),
        );
    }
    print_claims(&claims);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_taken_of_all_samples() {
        let rate = Rate {
            program: "p".into(),
            policy: "pct",
            hits: vec![10, 0, 20],
            samples: 100,
            bound: Some(0.01),
        };
        assert_eq!(rate.share(), 0.1);
        let figures = rate.shares(1.0);
        assert_eq!((figures.lowest(), figures.median(), figures.highest()), (0.01, 0.1, 0.2));
        let mut guaranteed = Figures::default();
        [0.01; 3].into_iter().for_each(|bound| guaranteed.push(bound));
        assert!(rate.claim_at_least("median".into(), &guaranteed).met());
        let unlucky = Rate { hits: vec![0, 0, 20], ..rate };
        assert!(!unlucky.claim_at_least("median".into(), &guaranteed).met());
        let rate = unlucky;
        let text = rate.json().to_string();
        assert!(crate::json::tests::well_formed(&text), "{text}");
    }

    /// The programs have the bugs that they are said to have, and at no smaller bound.
    #[test]
    fn a_ladder_of_depth_d_needs_as_many_switches_less_one() {
        for depth in 1..=4 {
            let report = Builder::new().preemptions(4).explore(move || ladder(depth as usize)).unwrap();
            let finding = report.finding.expect("the top can be reached");
            // One of the switches is at the end of a task, which is free.
            assert_eq!((finding.minimal, finding.preemptions), (true, depth - 1), "depth {depth}");
            let again =
                Builder::new().replay(&finding.schedule()).explore(move || ladder(depth as usize)).unwrap();
            assert!(again.finding.is_some());
        }
        let report = Builder::new().explore(|| skewed(3)).unwrap();
        assert!(report.finding.is_some());
    }

    #[test]
    fn pct_keeps_its_word_and_surw_beats_random_on_a_skewed_program() {
        let (rates, claims) = measure(4_000, 1);
        assert_eq!(rates.len(), 4 * (4 + 3));
        for claim in claims {
            assert!(claim.met(), "{}: {}", claim.what, claim.measured.median());
        }
    }
}
