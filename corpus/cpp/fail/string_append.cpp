// Two threads append a character each to the same log line. Both can write to the same place, and one character is lost.
// Source: the classic; a std::string is not synchronised.
// Repaired: pass/string_append.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <string>
#include <thread>

std::string line;

void note(char event) {
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
