// What an operation came to. Every module answers with these, and the protocol has a word for each.
#ifndef KV_STATUS_H
#define KV_STATUS_H

#include <stddef.h>

typedef enum {
    KV_OK,
    KV_NOT_FOUND,
    KV_CONFLICT,      // compare-and-set: the version has moved on
    KV_NOT_A_NUMBER,  // INCR of something that is not a whole number
    KV_OVERFLOW,      // INCR past 64 bits
    KV_BAD_ARGUMENT,
    KV_TOO_LONG,      // a key, value or line over its limit
    KV_CORRUPT,       // a log record or a reply that does not parse
    KV_CLOSED,        // the other end has hung up
    KV_STOPPED,       // the server is shutting down
    KV_IO,            // the system said no; errno tells why
} kv_status;

// The name by which the protocol knows the status: "not-found", "conflict", ...
const char *kv_status_name(kv_status status);

// Ends the process: for errors that only a bug in this program can cause, and for want of memory.
_Noreturn void kv_die(const char *what, int error);

// malloc and friends that do not return NULL.
void *kv_alloc(size_t size);
void *kv_alloc_zeroed(size_t count, size_t size);
void *kv_realloc(void *old, size_t size);

#endif
