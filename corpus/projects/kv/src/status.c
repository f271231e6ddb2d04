#include "status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kv_status_name(kv_status status) {
    switch (status) {
    case KV_OK: return "ok";
    case KV_NOT_FOUND: return "not-found";
    case KV_CONFLICT: return "conflict";
    case KV_NOT_A_NUMBER: return "not-a-number";
    case KV_OVERFLOW: return "overflow";
    case KV_BAD_ARGUMENT: return "bad-argument";
    case KV_TOO_LONG: return "too-long";
    case KV_CORRUPT: return "corrupt";
    case KV_CLOSED: return "closed";
    case KV_STOPPED: return "stopped";
    case KV_IO: return "io";
    }
    return "unknown";
}

void kv_die(const char *what, int error) {
    fprintf(stderr, "kv: %s: %s\n", what, strerror(error));
    abort();
}

void *kv_alloc(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory)
        kv_die("malloc", ENOMEM);
    return memory;
}

void *kv_alloc_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        kv_die("calloc", ENOMEM);
    return memory;
}

void *kv_realloc(void *old, size_t size) {
    void *memory = realloc(old, size ? size : 1);
    if (!memory)
        kv_die("realloc", ENOMEM);
    return memory;
}
