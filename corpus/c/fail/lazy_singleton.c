// Double-checked locking: the settings are made when they are first asked for, and the lock is only taken if the pointer
// is not set yet. The first look at the pointer is a plain read that nothing orders: it races with the store, and a
// thread that sees the pointer need not see what it points to.
// Source: Bacon and others, The "Double-Checked Locking is Broken" Declaration.
// Repaired: pass/lazy_singleton.c
//! check => bug kind=race bound=0

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int width;
    int height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *instance;

static struct settings *make_settings(void) {
    struct settings *made = malloc(sizeof *made);
    made->width = 80;
    made->height = 24;
    return made;
}

static struct settings *get_settings(void) {
    struct settings *found = instance; // not under the lock
    if (found == NULL) {
        pthread_mutex_lock(&lock);
        found = instance;
        if (found == NULL) {
            found = make_settings();
            instance = found;
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
