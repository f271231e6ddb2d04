// Readers follow an atomic pointer to the current routes; a writer puts a new copy in its place and retires the old one, which is
// deleted when no reader is left.
// Source: the classic of read-copy-update, with the simplest of grace periods.
// Buggy: fail/read_copy_update.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <thread>

struct Routes {
    int near;
    int far;
};

std::atomic<Routes*> current = nullptr;
Routes* retired = nullptr;

int look_up() {
    const Routes* routes = current.load(std::memory_order_acquire);
    return routes->near + routes->far;
}

void update() {
    Routes* changed = new Routes{2, 20};
    Routes* old = current.exchange(changed, std::memory_order_acq_rel);
    retired = old;
}

int main() {
    current = new Routes{1, 10};
    int seen = 0;
    std::thread reader([&] { seen = look_up(); });
    std::thread writer(update);
    reader.join();
    writer.join();
    assert(seen == 11 || seen == 22);
    delete retired;
    delete current.load();
    return 0;
}
