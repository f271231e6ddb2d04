// A cache of costly results. A thread looks whether the result is there, computes it if not, and puts it in; the lock is
// held for looking and for putting, but not in between. Two threads that look first compute the same result twice, and the
// cache holds it twice.
// Source: check-then-act, the classic.
// Repaired: pass/cache.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define PLACES 4

struct entry {
    int key;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[PLACES];
static int entry_count;

static bool find(int key, int *value) {
    bool found = false;
    for (int i = 0; i < entry_count && !found; i++) {
        if (entries[i].key == key) {
            *value = entries[i].value;
            found = true;
        }
    }
    return found;
}

static void insert(int key, int value) {
    entries[entry_count++] = (struct entry){key, value};
}

static int square(int key) {
    int value;
    pthread_mutex_lock(&lock);
    bool found = find(key, &value);
    pthread_mutex_unlock(&lock);
    if (!found) {
        value = key * key;
        pthread_mutex_lock(&lock);
        insert(key, value); // the other thread may have done so meanwhile
        pthread_mutex_unlock(&lock);
    }
    return value;
}

static void *ask(void *arg) {
    (void)arg;
    assert(square(7) == 49);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, ask, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(entry_count == 1 && "a result is there twice");
    return 0;
}
