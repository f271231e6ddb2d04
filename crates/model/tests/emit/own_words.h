/* Every value of every choice, each in a process of its own; every end is a line. */
#define _DEFAULT_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CAISSA_OWN_WORDS
#define CAISSA_RUN

static char said[1 << 16];
static size_t length;
static const char *program;

static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(said + length, sizeof said - length, format, arguments);
    va_end(arguments);
}

static void end(void) {
    say("\n");
    if (write(1, said, length) != (ssize_t)length) {
        _exit(1);
    }
    _exit(0);
}

static void begin(const char *name) {
    program = name;
    length = 0;
    say("%s", program);
}

/* The child goes on and never comes back. */
static int in_child(void) {
    pid_t child = fork();
    if (child == 0) {
        return 1;
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        say(" crash");
        end();
    }
    return 0;
}

static inline int32_t choose(int32_t lo, int32_t hi) {
    for (int64_t value = lo; value <= hi; value++) {
        if (in_child()) {
            return (int32_t)value;
        }
    }
    _exit(0);
}

static inline void assume(int holds) {
    if (!holds) {
        _exit(0);
    }
}

static inline void check(int holds, const char *message) {
    if (!holds) {
        begin(program);
        say(" failed %s", message);
        end();
    }
}

static inline void show(const char *name, const int32_t *values, uint32_t len) {
    (void)name;
    for (uint32_t i = 0; i < len; i++) {
        say(" %d", (int)values[i]);
    }
}
