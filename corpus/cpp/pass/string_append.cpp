// Two threads append a character each to the same log line, under a lock.
// Source: the classic; a std::string is not synchronised.
// Buggy: fail/string_append.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <string>
#include <thread>

std::mutex line_mutex;
std::string line;

void note(char event) {
    std::lock_guard<std::mutex> lock(line_mutex);
    line += event;
}

int main() {
    std::thread first(note, 'a');
    std::thread second(note, 'b');
    first.join();
    second.join();
    assert(line == "ab" || line == "ba");
    return 0;
}
