// A colour of four bytes, as bytes or as one word. One thread writes its byte, the other one writes its own by way of the
// word: it reads all four, changes one and writes all four back. What the first one has written meanwhile is lost.
// Source: our own.
// Repaired: pass/byte_neighbours.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { RED, GREEN, BLUE, ALPHA };

static union {
    uint32_t word;
    uint8_t part[4];
} colour;

static void *set_red(void *arg) {
    (void)arg;
    colour.part[RED] = 0x11;
    return NULL;
}

static void *set_green(void *arg) {
    (void)arg;
    colour.word = (colour.word & 0xffff00ff) | 0x2200; // the other parts too
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set_red, NULL);
    pthread_create(&threads[1], NULL, set_green, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(colour.word == 0x2211); // the first part is the lowest
    return 0;
}
