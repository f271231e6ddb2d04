// Two threads draw from a stock until a deadline. Only the one that has got the lock in time lets a guard adopt it.
// Source: our own; std::adopt_lock believes what it is told.
// Buggy: fail/timed_mutex_deadline.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

class Stock {
public:
    // How many were drawn: 1, or 0 if the lock did not come in time.
    int draw(std::chrono::system_clock::time_point deadline) {
        bool locked = mutex_.try_lock_until(deadline);
        if (!locked) {
            return 0;
        }
        std::lock_guard<std::timed_mutex> guard(mutex_, std::adopt_lock);
        left_ = left_ - 1;
        return 1;
    }

    int left() const { return left_; }

private:
    std::timed_mutex mutex_;
    int left_ = 5;
};

int main() {
    Stock stock;
    auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(50);
    int drawn[2] = {0, 0};
    std::thread first([&] { drawn[0] = stock.draw(deadline); });
    std::thread second([&] { drawn[1] = stock.draw(deadline); });
    first.join();
    second.join();
    assert(stock.left() + drawn[0] + drawn[1] == 5);
    return 0;
}
