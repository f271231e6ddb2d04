#include "slab.h"

#include "status.h"

#include <assert.h>
#include <stdlib.h>

enum { OBJECTS_PER_CHUNK = 16 };

struct kv_slab_object {
    kv_slab_object *next;
};

struct kv_slab_chunk {
    kv_slab_chunk *next;
    _Alignas(16) char bytes[];
};

static const size_t class_size[KV_SLAB_CLASSES] = {96, 128, 208, KV_SLAB_LARGEST};

static size_t class_of(size_t size) {
    size_t class = 0;
    assert(size <= KV_SLAB_LARGEST);
    while (class_size[class] < size)
        class++;
    return class;
}

static void add_chunk(kv_slab *slab, size_t class) {
    kv_slab_chunk *chunk = kv_alloc(sizeof *chunk + OBJECTS_PER_CHUNK * class_size[class]);
    chunk->next = slab->chunks;
    slab->chunks = chunk;
    for (size_t i = OBJECTS_PER_CHUNK; i-- > 0;) {
        kv_slab_object *object = (kv_slab_object *)(void *)(chunk->bytes + i * class_size[class]);
        object->next = slab->unused[class];
        slab->unused[class] = object;
    }
}

void *kv_slab_alloc(kv_slab *slab, size_t size) {
    size_t class = class_of(size);
    if (!slab->unused[class])
        add_chunk(slab, class);
    kv_slab_object *object = slab->unused[class];
    slab->unused[class] = object->next;
    slab->live++;
    return object;
}

void kv_slab_release(kv_slab *slab, void *memory, size_t size) {
    kv_slab_object *object = memory;
    size_t class = class_of(size);
    object->next = slab->unused[class];
    slab->unused[class] = object;
    slab->live--;
}

void kv_slab_free(kv_slab *slab) {
    assert(slab->live == 0);
    while (slab->chunks) {
        kv_slab_chunk *next = slab->chunks->next;
        free(slab->chunks);
        slab->chunks = next;
    }
    *slab = KV_SLAB_EMPTY;
}
