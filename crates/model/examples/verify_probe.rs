//! Probe.
use caissa_model::sequentialize::*;
use caissa_model::symbolic::{ask::*, decide::*, play::*, timeline::*, unroll::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (k1, k2): (u32, u32) = (a[2].parse().unwrap(), a[3].parse().unwrap());
    let most = Unwinding { loops: a[4].parse().unwrap(), recursion: a[5].parse().unwrap() };
    let sets: Vec<(String, String)> =
        a[6..].iter().filter_map(|s| s.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect();
    let program = caissa_model::load(&a[1], &std::fs::read_to_string(&a[1]).unwrap(), &sets)
        .unwrap_or_else(|e| panic!("{}", e.render(false)));
    let code = caissa_model::Code::new(program);
    let covered = Covered {
        bounds: if k1 > 0 {
            Bounds::Rounds { buffers: k1, tasks: k2 }
        } else if a.contains(&"synce".to_owned()) {
            Bounds::Shared(k2)
        } else {
            Bounds::Delays(k2)
        },
        reorder: true,
        overflow: false,
        limits: true,
        observed: false,
    };
    let s = sequentialize(code.program(), covered).unwrap();
    if a.last().unwrap() == "print" {
        println!("{s}");
    }
    let t = std::time::Instant::now();
    let run = move || {
        let mut solver = batsat(Limits::default());
        let asked = ask(&s, &mut solver, most, &Limits::default()).unwrap();
        if let (Told::Wrong(e), Ok(_)) = (&asked.told, std::env::var("EV")) {
            for x in e {
                println!("{x:?}");
            }
            println!("{:?}", timeline(e, Within::Tasks));
        }
        let what = match &asked.told {
            Told::Wrong(e) => {
                format!(
                    "WRONG {:?}",
                    play(&code, &timeline(e, if k1 > 0 { Within::Tasks } else { Within::Parts }))
                        .map(|f| f.depth)
                )
            }
            Told::Right => "right".to_owned(),
            Told::RightSoFar(s) => format!("so far {s:?}"),
        };
        println!(
            "{} {k1} {k2}: {what} {:?} vars {} clauses {} terms {} in {:?}",
            a[1],
            asked.unwinding,
            asked.size.variables,
            asked.size.clauses,
            asked.terms,
            t.elapsed()
        );
    };
    std::thread::Builder::new().stack_size(1 << 30).spawn(run).unwrap().join().unwrap();
}
