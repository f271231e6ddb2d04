// A string buffer with a lock. To append another buffer its lock is held from asking for the length until the characters
// are copied.
// Source: StringBuffer.append of Java 1.4, Flanagan and Qadeer, A Type and Effect System for Atomicity, PLDI 2003.
// Buggy: fail/string_buffer.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock;
    size_t length;
    char text[16];
};

static struct buffer greeting = {PTHREAD_MUTEX_INITIALIZER, 6, "hello "};
static struct buffer name = {PTHREAD_MUTEX_INITIALIZER, 5, "world"};

// The caller holds the lock.
static size_t length_of(struct buffer *b) {
    return b->length;
}

// The caller holds the lock.
static void copy_out(struct buffer *b, size_t count, char *to) {
    assert(count <= b->length && "more is copied than there is");
    memcpy(to, b->text, count);
}

static void append(struct buffer *to, struct buffer *from) {
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock);
    size_t count = length_of(from);
    copy_out(from, count, to->text + to->length);
    pthread_mutex_unlock(&from->lock);
    to->length += count;
    pthread_mutex_unlock(&to->lock);
}

static void clear(struct buffer *b) {
    pthread_mutex_lock(&b->lock);
    memset(b->text, 0, sizeof b->text);
    b->length = 0;
    pthread_mutex_unlock(&b->lock);
}

static void *append_name(void *arg) {
    (void)arg;
    append(&greeting, &name);
    return NULL;
}

static void *clear_name(void *arg) {
    (void)arg;
    clear(&name);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, append_name, NULL);
    pthread_create(&threads[1], NULL, clear_name, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(greeting.length == 6 || greeting.length == 11);
    assert(memcmp(greeting.text, "hello world", greeting.length) == 0);
    return 0;
}
