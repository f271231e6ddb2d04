// An observer looks whether its subject is still there, and then takes hold of it and uses it. The subject can go in between: lock
// returns an empty pointer, which the observer follows.
// Source: the classic check, then act; std::weak_ptr::expired says only what was.
// Repaired: pass/weak_ptr_expired.cpp
//! check --cflags -std=gnu++20 => bug kind=signal bound=1

#include <cassert>
#include <memory>
#include <thread>
#include <utility>

struct Subject {
    int value = 8;
};

int observe(const std::weak_ptr<Subject>& subject) {
    if (subject.expired()) {
        return 0;
    }
    // The subject may go here.
    std::shared_ptr<Subject> held = subject.lock();
    return held->value;
}

int main() {
    auto owner = std::make_shared<Subject>();
    std::weak_ptr<Subject> subject = owner;
    int seen = 0;
    std::thread observer([&] { seen = observe(subject); });
    std::thread keeper([kept = std::move(owner)]() mutable { kept.reset(); });
    observer.join();
    keeper.join();
    assert(seen == 0 || seen == 8);
    return 0;
}
