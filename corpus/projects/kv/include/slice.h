// A piece of text that belongs to someone else: a pointer and a length, not terminated.
#ifndef KV_SLICE_H
#define KV_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *data;
    size_t len;
} kv_slice;

#define KV_SLICE(literal) ((kv_slice){(literal), sizeof(literal) - 1})

kv_slice kv_slice_of(const char *text);
bool kv_slice_equal(kv_slice a, kv_slice b);
// Equal but for the case of ASCII letters: command names.
bool kv_slice_equal_nocase(kv_slice a, kv_slice b);
// The whole slice as a decimal number; false if it is none or does not fit.
bool kv_slice_to_u64(kv_slice text, uint64_t *number);
bool kv_slice_to_i64(kv_slice text, int64_t *number);
kv_slice kv_slice_trim(kv_slice text);
// `*` stands for any text, `?` for any one character.
bool kv_slice_matches(kv_slice text, kv_slice pattern);
uint64_t kv_slice_hash(kv_slice text);

#endif
