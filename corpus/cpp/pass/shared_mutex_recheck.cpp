// A registry behind a std::shared_mutex. A thread that has missed the name looks again once it has the exclusive lock.
// Source: the classic check, then act.
// Buggy: fail/shared_mutex_recheck.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Registry {
public:
    void add_once(int name) {
        {
            std::shared_lock<std::shared_mutex> lock(mutex_);
            if (contains(name)) {
                return;
            }
        }
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (!contains(name)) {
            names_.push_back(name);
        }
    }

    std::size_t size() const { return names_.size(); }

private:
    bool contains(int name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

    std::shared_mutex mutex_;
    std::vector<int> names_;
};

int main() {
    Registry registry;
    std::thread first([&] { registry.add_once(7); });
    std::thread second([&] { registry.add_once(7); });
    first.join();
    second.join();
    assert(registry.size() == 1);
    return 0;
}
