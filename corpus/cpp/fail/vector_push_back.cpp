// Two threads append to the same vector. Room has been reserved, so that nothing is moved, but both can write to the same place: one
// of the two numbers is lost.
// Source: the classic; the containers of the standard library are not synchronised.
// Repaired: pass/vector_push_back.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <numeric>
#include <thread>
#include <vector>

std::vector<int> numbers;

void append(int number) {
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
