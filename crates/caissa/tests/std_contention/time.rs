//! `sleep` and `Instant`: what two tasks see of one virtual clock.
#![allow(deprecated)]

use caissa::thread;
use caissa::time::Instant;

use crate::std_contention::{MS, ZERO, contend};

programs! {
    /// Each sleep begins at the time that it finds. Both begin at 0: the clock shows 3 ms and then 5 ms, or 5 ms at once. One
    /// begins when the other has ended: 8 ms in the end. Each reads the clock when it has slept, or when the other has too.
    fn sleeps_overlap_or_follow_each_other by every_search covers ["thread::{sleep, sleep_ms}", "time::Instant::elapsed"] {
        let start = Instant::now();
        let ((), mine, theirs) = contend(
            (),
            |()| {
                thread::sleep(5 * MS);
                start.elapsed()
            },
            move |()| {
                thread::sleep_ms(3);
                start.elapsed()
            },
        );
        (mine, theirs)
    }
    within 0 faults gives [(5, 3), (5, 5), (8, 3), (8, 8), (5, 8)].map(|(mine, theirs)| (mine * MS, theirs * MS));

    /// The other task sleeps before, between or after two looks at the clock.
    fn time_passes_between_two_moments by every_search
    covers [
        "time::Instant",
        "time::Instant::{now, elapsed, duration_since, checked_duration_since, saturating_duration_since}",
        "time::Instant::{checked_add, checked_sub}",
    ] {
        let start: Instant = Instant::now();
        let ((), seen, ()) = contend(
            (),
            |()| {
                let now = Instant::now();
                let elapsed = now.elapsed();
                let forth = [now.duration_since(start), now.saturating_duration_since(start)];
                let back = (start.checked_duration_since(now), start.saturating_duration_since(now));
                let moved = (start.checked_add(10 * MS) == Some(now), now.checked_sub(10 * MS) == Some(start));
                (elapsed, forth, back, moved)
            },
            |()| thread::sleep(10 * MS),
        );
        seen
    }
    within 0 faults gives {
        let early = ([ZERO; 2], (Some(ZERO), ZERO), (false, false));
        let late = ([10 * MS; 2], (None, ZERO), (true, true));
        [(ZERO, early), (10 * MS, early), (ZERO, late)]
            .map(|(elapsed, (forth, back, moved))| (elapsed, forth, back, moved))
    };
}
