// Two threads count visits. Each one asks for the lock with a time limit; one that does not get it says so and leaves the counter alone.
// Source: our own; the result of a timed lock is not looked at.
// Buggy: fail/timed_mutex.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

class Visits {
public:
    // Whether the visit was counted.
    bool count() {
        std::unique_lock<std::timed_mutex> lock(mutex_, std::defer_lock);
        if (!lock.try_lock_for(std::chrono::milliseconds(10))) {
            return false;
        }
        int seen = visits_;
        visits_ = seen + 1;
        return true;
    }

    int total() const { return visits_; }

private:
    std::timed_mutex mutex_;
    int visits_ = 0;
};

int main() {
    Visits visits;
    int counted[2] = {0, 0};
    std::thread first([&] { counted[0] = visits.count() ? 1 : 0; });
    std::thread second([&] { counted[1] = visits.count() ? 1 : 0; });
    first.join();
    second.join();
    assert(visits.total() == counted[0] + counted[1]);
    return 0;
}
