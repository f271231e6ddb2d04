#include "slice.h"

#include <ctype.h>
#include <string.h>

kv_slice kv_slice_of(const char *text) {
    return (kv_slice){text, strlen(text)};
}

bool kv_slice_equal(kv_slice a, kv_slice b) {
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

bool kv_slice_equal_nocase(kv_slice a, kv_slice b) {
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (toupper((unsigned char)a.data[i]) != toupper((unsigned char)b.data[i]))
            return false;
    return true;
}

bool kv_slice_to_u64(kv_slice text, uint64_t *number) {
    uint64_t sum = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    *number = sum;
    return true;
}

bool kv_slice_to_i64(kv_slice text, int64_t *number) {
    bool negative = text.len > 0 && text.data[0] == '-';
    uint64_t magnitude;
    if (negative)
        text = (kv_slice){text.data + 1, text.len - 1};
    if (!kv_slice_to_u64(text, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

kv_slice kv_slice_trim(kv_slice text) {
    while (text.len > 0 && isspace((unsigned char)text.data[0]))
        text = (kv_slice){text.data + 1, text.len - 1};
    while (text.len > 0 && isspace((unsigned char)text.data[text.len - 1]))
        text.len--;
    return text;
}

// On a mismatch goes back to the last star and lets it take one character more.
bool kv_slice_matches(kv_slice text, kv_slice pattern) {
    size_t t = 0, p = 0;
    size_t star = SIZE_MAX, taken = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.data[p] == '*') {
            star = p++;
            taken = t;
        } else if (p < pattern.len && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.data[p] == '*')
        p++;
    return p == pattern.len;
}

// FNV-1a, and a last mix so that the high bits are as good as the low ones: stripes are chosen by the high ones.
uint64_t kv_slice_hash(kv_slice text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}
