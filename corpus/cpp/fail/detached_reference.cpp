// A detached thread adds up the numbers of a vector that it has captured by reference. The block that owns the vector does not wait for
// the thread, which reads numbers that have been freed.
// Source: the classic; C++ Core Guidelines, CP.26 and F.53.
// Repaired: pass/detached_reference.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=0

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
        std::thread([&shared, result = std::move(promise)]() mutable {
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
