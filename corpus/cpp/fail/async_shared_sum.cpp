// Half of a sum is computed by std::async and half by main, and both add to the same variable. Whoever is interrupted between reading
// and writing it undoes what the other one has added.
// Source: our own; the classic lost update.
// Repaired: pass/async_shared_sum.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

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
    std::future<void> left = std::async(std::launch::async, [&] { sum += sum_of(numbers, 0, 2); });
    sum += sum_of(numbers, 2, 4);
    left.get();
    assert(sum == 10);
    return 0;
}
