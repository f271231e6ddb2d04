// A base class owns a thread that calls a virtual function. The derived class joins it in its own destructor, while it is whole.
// Source: the classic; no virtual calls while an object is being destroyed, C++ Core Guidelines, C.82.
// Buggy: fail/destructor_virtual_call.cpp
//! check --cflags -std=gnu++20 => verified

#include <cassert>
#include <thread>

class Service {
public:
    virtual ~Service() { stop(); }

    void start() {
        thread_ = std::thread([this] { run(); });
    }

    void stop() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

private:
    virtual void run() = 0;

    std::thread thread_;
};

class Printer : public Service {
public:
    explicit Printer(int& pages) : pages_(pages) {}
    ~Printer() override { stop(); }

private:
    void run() override { pages_ = 3; }

    int& pages_;
};

int main() {
    int pages = 0;
    {
        Printer printer(pages);
        printer.start();
    }
    assert(pages == 3);
    return 0;
}
