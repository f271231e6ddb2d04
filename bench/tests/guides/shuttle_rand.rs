use shuttle::rand::{Rng, thread_rng};

#[test]
fn the_hand_stays_on_the_wheel() {
    shuttle::check_random(
        || {
            let wheel = [3, 1, 2, 0];
            let start = thread_rng().gen_range(0..wheel.len());
            let end = wheel.iter().fold(start, |at, _| wheel[at]);
            assert!(end < wheel.len());
        },
        100,
    );
}
