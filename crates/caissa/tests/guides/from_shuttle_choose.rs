#[test]
fn the_hand_stays_on_the_wheel() {
    caissa::check(|| {
        let wheel = [3, 1, 2, 0];
        let start = caissa::choose(wheel.len()); // each of the four is run
        let end = wheel.iter().fold(start, |at, _| wheel[at]);
        assert!(end < wheel.len());
    });
}
