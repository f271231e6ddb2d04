// Objects of a few sizes, cut from larger chunks and kept on free lists. The table's entries live here.
// Not thread safe: each stripe has a slab of its own, and its lock guards it.
#ifndef KV_SLAB_H
#define KV_SLAB_H

#include <stddef.h>

enum { KV_SLAB_CLASSES = 4, KV_SLAB_LARGEST = 384 };

typedef struct kv_slab_chunk kv_slab_chunk;
typedef struct kv_slab_object kv_slab_object;

typedef struct {
    kv_slab_object *unused[KV_SLAB_CLASSES];
    kv_slab_chunk *chunks;
    size_t live;  // objects handed out and not yet back
} kv_slab;

#define KV_SLAB_EMPTY ((kv_slab){{NULL}, NULL, 0})

// size <= KV_SLAB_LARGEST. The same size must be given when the object comes back.
void *kv_slab_alloc(kv_slab *slab, size_t size);
void kv_slab_release(kv_slab *slab, void *object, size_t size);
// All objects must be back.
void kv_slab_free(kv_slab *slab);

#endif
