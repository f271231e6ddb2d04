// A static object starts a thread in its constructor, before main. The table that the thread uses is defined further up and has been
// constructed by then.
// Source: our own; the order of static initialisation, with a thread in it.
// Buggy: fail/static_constructor_thread.cpp
//! check --cflags -std=gnu++20 => verified

#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

std::size_t table_size();

class Background {
public:
    Background() : thread_([this] { seen_ = table_size(); }) {}

    std::size_t wait() {
        thread_.join();
        return seen_;
    }

private:
    std::size_t seen_ = 0;
    std::thread thread_;
};

std::vector<int> table(3, 1);
Background background;

std::size_t table_size() {
    return table.size();
}

int main() {
    std::size_t seen = background.wait();
    assert(seen == 3);
    return 0;
}
