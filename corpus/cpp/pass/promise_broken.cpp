// A download that can be cancelled. The worker that finds itself cancelled keeps its promise with an empty result.
// Source: our own; std::future_errc::broken_promise.
// Buggy: fail/promise_broken.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <future>
#include <optional>
#include <thread>
#include <utility>

std::atomic<bool> cancelled = false;

void download(std::promise<std::optional<int>> result) {
    if (cancelled) {
        result.set_value(std::nullopt);
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
