// An object with a reference count. Whoever gives its reference back lowers the count and learns in the same step whether
// it was the last one.
// Source: our own.
// Buggy: fail/refcount.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image {
    atomic_int references;
    int pixels[4];
};

static struct image *image_new(void) {
    struct image *image = malloc(sizeof *image);
    atomic_init(&image->references, 1);
    for (int i = 0; i < 4; i++) {
        image->pixels[i] = i;
    }
    return image;
}

static struct image *image_ref(struct image *image) {
    atomic_fetch_add(&image->references, 1);
    return image;
}

static void image_unref(struct image *image) {
    if (atomic_fetch_sub(&image->references, 1) == 1) {
        free(image);
    }
}

static void *show(void *arg) {
    struct image *image = arg;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += image->pixels[i];
    }
    assert(sum == 6);
    image_unref(image);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct image *image = image_new();
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, show, image_ref(image));
    }
    image_unref(image);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
