// Memory that is given back all at once: what the parser unpacks from one request. One thread at a time.
#ifndef KV_ARENA_H
#define KV_ARENA_H

#include <stddef.h>

typedef struct kv_arena_block kv_arena_block;

typedef struct {
    kv_arena_block *blocks;  // the newest first; it is the one with room
} kv_arena;

#define KV_ARENA_EMPTY ((kv_arena){NULL})

void *kv_arena_alloc(kv_arena *arena, size_t size);
// Forgets everything but keeps the newest block for what comes next.
void kv_arena_reset(kv_arena *arena);
void kv_arena_free(kv_arena *arena);

#endif
