#include "arena.h"

#include "status.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 1024, ALIGNMENT = 16 };

struct kv_arena_block {
    kv_arena_block *next;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

void *kv_arena_alloc(kv_arena *arena, size_t size) {
    kv_arena_block *block = arena->blocks;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = kv_alloc(sizeof *block + room);
        *block = (kv_arena_block){.next = arena->blocks, .used = 0, .size = room};
        arena->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += size;
    return memory;
}

static void free_blocks(kv_arena_block *block) {
    while (block) {
        kv_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void kv_arena_reset(kv_arena *arena) {
    if (!arena->blocks)
        return;
    free_blocks(arena->blocks->next);
    arena->blocks->next = NULL;
    arena->blocks->used = 0;
}

void kv_arena_free(kv_arena *arena) {
    free_blocks(arena->blocks);
    arena->blocks = NULL;
}
