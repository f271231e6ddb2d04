// Double-checked locking, repaired: the pointer is stored with release and looked at with acquire, so that a thread which
// sees it also sees what it points to.
// Source: Bacon and others, The "Double-Checked Locking is Broken" Declaration.
// Buggy: fail/lazy_singleton.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings {
    int width;
    int height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct settings *) instance;

static struct settings *make_settings(void) {
    struct settings *made = malloc(sizeof *made);
    made->width = 80;
    made->height = 24;
    return made;
}

static struct settings *get_settings(void) {
    struct settings *found = atomic_load_explicit(&instance, memory_order_acquire);
    if (found == NULL) {
        pthread_mutex_lock(&lock);
        found = atomic_load_explicit(&instance, memory_order_relaxed);
        if (found == NULL) {
            found = make_settings();
            atomic_store_explicit(&instance, found, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

static void *use_settings(void *arg) {
    struct settings *settings = get_settings();
    (void)arg;
    assert(settings->width == 80 && settings->height == 24);
    return settings;
}

int main(void) {
    pthread_t threads[2];
    void *seen[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, use_settings, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &seen[i]);
    }
    assert(seen[0] == seen[1] && "there are two instances");
    free(seen[0]);
    return 0;
}
