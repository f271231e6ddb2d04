// A configuration that is made when it is first asked for. It is a function-local static, which is made once whoever comes first.
// Source: the classic singleton; a function-local static is made once since C++11.
// Buggy: fail/lazy_singleton.cpp
//! check --cflags -std=gnu++20 => verified

#include <cassert>
#include <thread>

struct Configuration {
    int volume = 11;

    static Configuration& instance() {
        static Configuration only;
        return only;
    }
};

int main() {
    Configuration* seen[2] = {nullptr, nullptr};
    std::thread first([&] { seen[0] = &Configuration::instance(); });
    std::thread second([&] { seen[1] = &Configuration::instance(); });
    first.join();
    second.join();
    assert(seen[0] == seen[1]);
    assert(seen[0]->volume == 11);
    return 0;
}
