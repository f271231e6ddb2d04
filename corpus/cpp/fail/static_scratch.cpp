// A function that spells a number into a static buffer and returns it, as the C library's asctime does. A second thread that calls it
// overwrites the text before the first one has put it on paper.
// Source: the classic; functions with a static buffer.
// Repaired: pass/static_scratch.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <mutex>
#include <string>
#include <thread>

std::mutex paper_mutex;
std::string paper;

const char* spell(int number) {
    static char text[3];
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
