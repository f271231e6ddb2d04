// A list that grows. A reader takes the address of the keys under the lock and reads them after it has given the lock back.
// If the list grows in between, the keys have moved and their old place has been freed.
// Source: our own.
// Repaired: pass/realloc_race.c
//! check => bug kind=use-after-free bound=1

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    size_t length, room;
    int *keys;
    int *values;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void grow(size_t room) {
    list.keys = realloc(list.keys, room * sizeof *list.keys);
    list.values = realloc(list.values, room * sizeof *list.values);
    list.room = room;
}

static void append(int key, int value) {
    pthread_mutex_lock(&list.lock);
    if (list.length == list.room) {
        grow(32 * list.room);
    }
    list.keys[list.length] = key;
    list.values[list.length] = value;
    list.length++;
    pthread_mutex_unlock(&list.lock);
}

static int first_key(void) {
    pthread_mutex_lock(&list.lock);
    int *keys = list.keys;
    pthread_mutex_unlock(&list.lock);
    return keys[0]; // the keys may be elsewhere by now
}

static void *writer(void *arg) {
    (void)arg;
    append(2, 200);
    return NULL;
}

static void *reader(void *arg) {
    (void)arg;
    assert(first_key() == 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    grow(1);
    append(1, 100);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(list.length == 2 && list.keys[1] == 2 && list.values[1] == 200);
    free(list.keys);
    free(list.values);
    return 0;
}
