// Two threads share one std::future. The question whether it is still valid and the taking of its value are one step under the lock.
// Source: our own; a std::future can be asked for its value once.
// Buggy: fail/future_get_twice.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

class Prize {
public:
    explicit Prize(std::future<int> future) : future_(std::move(future)) {}

    // The prize for whoever comes first, nothing for the other one.
    int claim() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!future_.valid()) {
            return 0;
        }
        return future_.get();
    }

private:
    std::mutex mutex_;
    std::future<int> future_;
};

int main() {
    std::promise<int> promise;
    promise.set_value(100);
    Prize prize(promise.get_future());
    int won[2] = {0, 0};
    std::thread first([&] { won[0] = prize.claim(); });
    std::thread second([&] { won[1] = prize.claim(); });
    first.join();
    second.join();
    assert(won[0] + won[1] == 100);
    return 0;
}
