// A static object starts a thread in its constructor, before main. The thread uses a table that is defined further down: it can be at
// the table before the table's own constructor has run, and finds it empty.
// Source: our own; the order of static initialisation, with a thread in it.
// Repaired: pass/static_constructor_thread.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

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

Background background;
std::vector<int> table(3, 1);

std::size_t table_size() {
    return table.size();
}

int main() {
    std::size_t seen = background.wait();
    assert(seen == 3);
    return 0;
}
