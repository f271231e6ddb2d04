// An observer takes hold of its subject and uses it if it has got hold of it.
// Source: the classic check, then act; std::weak_ptr::expired says only what was.
// Buggy: fail/weak_ptr_expired.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <memory>
#include <thread>
#include <utility>

struct Subject {
    int value = 8;
};

int observe(const std::weak_ptr<Subject>& subject) {
    std::shared_ptr<Subject> held = subject.lock();
    if (!held) {
        return 0;
    }
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
