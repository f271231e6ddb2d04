// A growing string. Always terminated by a zero byte that `len` does not count.
#ifndef KV_STRBUF_H
#define KV_STRBUF_H

#include "slice.h"

typedef struct {
    char *data;
    size_t len;
    size_t room;  // bytes allocated, 0 while nothing has been written
} kv_strbuf;

#define KV_STRBUF_EMPTY ((kv_strbuf){NULL, 0, 0})

void kv_strbuf_free(kv_strbuf *buf);
void kv_strbuf_clear(kv_strbuf *buf);
// Makes room for `more` bytes after the end and returns where they go.
char *kv_strbuf_reserve(kv_strbuf *buf, size_t more);
void kv_strbuf_append(kv_strbuf *buf, kv_slice text);
void kv_strbuf_char(kv_strbuf *buf, char c);
void kv_strbuf_printf(kv_strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
// In double quotes, with everything escaped that is not a printable ASCII character.
void kv_strbuf_quoted(kv_strbuf *buf, kv_slice text);
// Drops the first `count` bytes.
void kv_strbuf_consume(kv_strbuf *buf, size_t count);
kv_slice kv_strbuf_slice(const kv_strbuf *buf);
void kv_strbuf_swap(kv_strbuf *a, kv_strbuf *b);

#endif
