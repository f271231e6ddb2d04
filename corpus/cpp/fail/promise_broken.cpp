// A download that can be cancelled. The worker that finds itself cancelled returns and takes its promise with it: main, which asks
// the future for the result, gets an exception that it does not expect.
// Source: our own; std::future_errc::broken_promise.
// Repaired: pass/promise_broken.cpp
//! check --cflags -std=gnu++20 => bug kind=exception bound=0

#include <atomic>
#include <cassert>
#include <future>
#include <optional>
#include <thread>
#include <utility>

std::atomic<bool> cancelled = false;

void download(std::promise<std::optional<int>> result) {
    if (cancelled) {
        return;
    }
    result.set_value(200);
}

int main() {
    std::promise<std::optional<int>> promise;
    std::future<std::optional<int>> future = promise.get_future();
    std::thread worker(download, std::move(promise));
    cancelled = true;
    std::optional<int> status = future.get();
    assert(!status || *status == 200);
    worker.join();
    return 0;
}
