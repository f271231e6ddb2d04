// A cache of one entry behind a std::shared_mutex. A reader that misses the entry asks for the exclusive lock while it still has its
// shared one, and waits for itself.
// Source: the classic; std::shared_mutex has no upgrade.
// Repaired: pass/shared_mutex_upgrade.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=0

#include <cassert>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

class Cache {
public:
    int get() {
        std::shared_lock<std::shared_mutex> shared(mutex_);
        if (!entry_) {
            std::unique_lock<std::shared_mutex> exclusive(mutex_);
            entry_ = 42;
            return *entry_;
        }
        return *entry_;
    }

private:
    std::shared_mutex mutex_;
    std::optional<int> entry_;
};

int main() {
    Cache cache;
    int seen[2] = {0, 0};
    std::thread first([&] { seen[0] = cache.get(); });
    std::thread second([&] { seen[1] = cache.get(); });
    first.join();
    second.join();
    assert(seen[0] == 42);
    assert(seen[1] == 42);
    return 0;
}
