// A detached thread adds up the numbers of a vector that has been moved into it.
// Source: the classic; C++ Core Guidelines, CP.26 and F.53.
// Buggy: fail/detached_reference.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

int main() {
    std::promise<int> promise;
    std::future<int> sum = promise.get_future();
    {
        auto numbers = std::make_unique<std::vector<int>>(3, 5);
        const std::vector<int>& shared = *numbers;
        std::thread([shared, result = std::move(promise)]() mutable {
            int total = 0;
            for (int number : shared) {
                total += number;
            }
            result.set_value(total);
        }).detach();
    }
    assert(sum.get() == 15);
    return 0;
}
