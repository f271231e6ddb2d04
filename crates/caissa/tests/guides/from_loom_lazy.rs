use caissa::sync::{LazyLock, Mutex};
use caissa::thread;

static NAMES: LazyLock<Mutex<Vec<&str>>> = LazyLock::new(|| Mutex::new(vec!["first"]));

#[test]
fn a_lazy_static_is_made_anew_in_each_execution() {
    caissa::check(|| {
        let other = thread::spawn(|| NAMES.lock().unwrap().push("second"));
        other.join().unwrap();
        assert_eq!(*NAMES.lock().unwrap(), ["first", "second"]);
    });
}
