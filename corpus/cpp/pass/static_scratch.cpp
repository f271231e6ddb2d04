// A function that spells a number into a buffer and returns it. The buffer is thread_local: each thread has one of its own.
// Source: the classic; functions with a static buffer.
// Buggy: fail/static_scratch.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <string>
#include <thread>

std::mutex paper_mutex;
std::string paper;

const char* spell(int number) {
    static thread_local char text[3];
    text[0] = static_cast<char>('0' + number / 10);
    text[1] = static_cast<char>('0' + number % 10);
    text[2] = '\0';
    return text;
}

void label(int number) {
    const char* text = spell(number);
    std::lock_guard<std::mutex> lock(paper_mutex);
    paper += text;
}

int main() {
    std::thread first(label, 12);
    std::thread second(label, 34);
    first.join();
    second.join();
    assert(paper == "1234" || paper == "3412");
    return 0;
}
