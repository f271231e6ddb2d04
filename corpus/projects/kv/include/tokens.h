// Splits a line into words, as requests, replies and log records have them: separated by blanks, each either bare or in double
// quotes with the escapes \" \\ \n \r \t \xHH.
#ifndef KV_TOKENS_H
#define KV_TOKENS_H

#include "arena.h"
#include "slice.h"
#include "status.h"

enum { KV_TOKENS_MAX = 8 };

typedef struct {
    size_t count;
    kv_slice word[KV_TOKENS_MAX];  // into the line, or into the arena if something had to be unescaped
} kv_tokens;

// KV_BAD_ARGUMENT if a quote is not closed or followed by something else than a blank, an escape is unknown, or there are more than
// KV_TOKENS_MAX words.
kv_status kv_tokenize(kv_slice line, kv_arena *arena, kv_tokens *tokens);

// The first line of a text, without its end (\n or \r\n). `taken` counts the end too. False if no end is in sight.
bool kv_first_line(kv_slice text, kv_slice *line, size_t *taken);

#endif
