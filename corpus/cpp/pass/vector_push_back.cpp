// Two threads append to the same vector, under a lock.
// Source: the classic; the containers of the standard library are not synchronised.
// Buggy: fail/vector_push_back.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

std::mutex numbers_mutex;
std::vector<int> numbers;

void append(int number) {
    std::lock_guard<std::mutex> lock(numbers_mutex);
    numbers.push_back(number);
}

int main() {
    numbers.reserve(2);
    std::thread first(append, 1);
    std::thread second(append, 2);
    first.join();
    second.join();
    assert(numbers.size() == 2);
    assert(std::accumulate(numbers.begin(), numbers.end(), 0) == 3);
    return 0;
}
