#include "strbuf.h"

#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kv_strbuf_free(kv_strbuf *buf) {
    free(buf->data);
    *buf = KV_STRBUF_EMPTY;
}

void kv_strbuf_clear(kv_strbuf *buf) {
    buf->len = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

char *kv_strbuf_reserve(kv_strbuf *buf, size_t more) {
    size_t needed = buf->len + more + 1;
    if (needed > buf->room) {
        size_t room = buf->room ? buf->room : 64;
        while (room < needed)
            room *= 2;
        buf->data = kv_realloc(buf->data, room);
        buf->room = room;
    }
    return buf->data + buf->len;
}

void kv_strbuf_append(kv_strbuf *buf, kv_slice text) {
    char *end = kv_strbuf_reserve(buf, text.len);
    if (text.len > 0)
        memcpy(end, text.data, text.len);
    buf->len += text.len;
    buf->data[buf->len] = '\0';
}

void kv_strbuf_char(kv_strbuf *buf, char c) {
    kv_strbuf_append(buf, (kv_slice){&c, 1});
}

void kv_strbuf_printf(kv_strbuf *buf, const char *format, ...) {
    for (size_t room = 64;;) {
        va_list arguments;
        char *end = kv_strbuf_reserve(buf, room);
        va_start(arguments, format);
        int len = vsnprintf(end, room + 1, format, arguments);
        va_end(arguments);
        if (len < 0)
            kv_die("vsnprintf", errno);
        if ((size_t)len <= room) {
            buf->len += (size_t)len;
            return;
        }
        room = (size_t)len;
    }
}

void kv_strbuf_quoted(kv_strbuf *buf, kv_slice text) {
    static const char hex[] = "0123456789abcdef";
    kv_strbuf_reserve(buf, text.len + 2);
    kv_strbuf_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            kv_strbuf_append(buf, (kv_slice){(char[]){'\\', (char)c}, 2});
        } else if (c >= 0x20 && c < 0x7f) {
            kv_strbuf_char(buf, (char)c);
        } else {
            kv_strbuf_append(buf, (kv_slice){(char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4});
        }
    }
    kv_strbuf_char(buf, '"');
}

void kv_strbuf_consume(kv_strbuf *buf, size_t count) {
    if (count == 0)
        return;
    memmove(buf->data, buf->data + count, buf->len - count);
    buf->len -= count;
    buf->data[buf->len] = '\0';
}

kv_slice kv_strbuf_slice(const kv_strbuf *buf) {
    return (kv_slice){buf->data ? buf->data : "", buf->len};
}

void kv_strbuf_swap(kv_strbuf *a, kv_strbuf *b) {
    kv_strbuf kept = *a;
    *a = *b;
    *b = kept;
}
