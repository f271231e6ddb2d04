// Readers follow an atomic pointer to the current routes; a writer puts a new copy in its place and deletes the old one at once. A
// reader that has just taken the old pointer reads routes that have been freed.
// Source: the classic of read-copy-update: the grace period is missing.
// Repaired: pass/read_copy_update.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <atomic>
#include <cassert>
#include <thread>

struct Routes {
    int near;
    int far;
};

std::atomic<Routes*> current = nullptr;

int look_up() {
    const Routes* routes = current.load(std::memory_order_acquire);
    return routes->near + routes->far;
}

void update() {
    Routes* changed = new Routes{2, 20};
    Routes* old = current.exchange(changed, std::memory_order_acq_rel);
    delete old;
}

int main() {
    current = new Routes{1, 10};
    int seen = 0;
    std::thread reader([&] { seen = look_up(); });
    std::thread writer(update);
    reader.join();
    writer.join();
    assert(seen == 11 || seen == 22);
    delete current.load();
    return 0;
}
