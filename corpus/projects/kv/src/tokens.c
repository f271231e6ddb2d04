#include "tokens.h"

#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

// Reads the escape at line[at], just behind the backslash. Returns the number of characters it has, 0 if it is none.
static size_t unescape(kv_slice line, size_t at, char *c) {
    if (at >= line.len)
        return 0;
    switch (line.data[at]) {
    case '"':
    case '\\': *c = line.data[at]; return 1;
    case 'n': *c = '\n'; return 1;
    case 'r': *c = '\r'; return 1;
    case 't': *c = '\t'; return 1;
    case 'x': {
        int high = at + 2 < line.len ? hex_digit(line.data[at + 1]) : -1;
        int low = at + 2 < line.len ? hex_digit(line.data[at + 2]) : -1;
        if (high < 0 || low < 0)
            return 0;
        *c = (char)(high * 16 + low);
        return 3;
    }
    default: return 0;
    }
}

// `at` stands behind the opening quote, and afterwards behind the closing one.
static kv_status quoted_word(kv_slice line, size_t *at, kv_arena *arena, kv_slice *word) {
    char *bytes = kv_arena_alloc(arena, line.len - *at + 1);
    size_t len = 0;
    while (*at < line.len) {
        char c = line.data[(*at)++];
        if (c == '"') {
            *word = (kv_slice){bytes, len};
            return *at == line.len || line.data[*at] == ' ' ? KV_OK : KV_BAD_ARGUMENT;
        }
        if (c == '\\') {
            size_t escape = unescape(line, *at, &c);
            if (escape == 0)
                return KV_BAD_ARGUMENT;
            *at += escape;
        }
        bytes[len++] = c;
    }
    return KV_BAD_ARGUMENT;
}

kv_status kv_tokenize(kv_slice line, kv_arena *arena, kv_tokens *tokens) {
    size_t at = 0;
    tokens->count = 0;
    for (;;) {
        while (at < line.len && line.data[at] == ' ')
            at++;
        if (at == line.len)
            return KV_OK;
        if (tokens->count == KV_TOKENS_MAX)
            return KV_BAD_ARGUMENT;
        kv_slice *word = &tokens->word[tokens->count++];
        if (line.data[at] == '"') {
            at++;
            if (quoted_word(line, &at, arena, word) != KV_OK)
                return KV_BAD_ARGUMENT;
        } else {
            size_t start = at;
            while (at < line.len && line.data[at] != ' ')
                at++;
            *word = (kv_slice){line.data + start, at - start};
        }
    }
}

bool kv_first_line(kv_slice text, kv_slice *line, size_t *taken) {
    const char *end = text.len > 0 ? memchr(text.data, '\n', text.len) : NULL;
    if (!end)
        return false;
    size_t len = (size_t)(end - text.data);
    *taken = len + 1;
    if (len > 0 && text.data[len - 1] == '\r')
        len--;
    *line = (kv_slice){text.data, len};
    return true;
}
