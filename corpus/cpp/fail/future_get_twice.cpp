// Two threads share one std::future. Each asks under the lock whether the future is still valid and takes its value under the lock, but
// in two steps. The second one to take it finds a future without a state, and the exception that it gets leaves its thread.
// Source: our own; a std::future can be asked for its value once.
// Repaired: pass/future_get_twice.cpp
//! check --cflags -std=gnu++20 => bug kind=exception bound=1

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
        if (!available()) {
            return 0;
        }
        // The other one may claim it here.
        std::lock_guard<std::mutex> lock(mutex_);
        return future_.get();
    }

    bool available() {
        std::lock_guard<std::mutex> lock(mutex_);
        return future_.valid();
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
