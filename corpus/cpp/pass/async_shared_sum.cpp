// Half of a sum is computed by std::async and half by main. The half of the task comes through its future.
// Source: our own; the classic lost update.
// Buggy: fail/async_shared_sum.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <cstddef>
#include <future>
#include <vector>

int sum_of(const std::vector<int>& numbers, std::size_t begin, std::size_t end) {
    int sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        sum += numbers[i];
    }
    return sum;
}

int main() {
    const std::vector<int> numbers{1, 2, 3, 4};
    int sum = 0;
    std::future<int> left = std::async(std::launch::async, [&] { return sum_of(numbers, 0, 2); });
    sum += sum_of(numbers, 2, 4);
    sum += left.get();
    assert(sum == 10);
    return 0;
}
