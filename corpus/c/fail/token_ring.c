// Three stations pass a token round; whoever has it writes its name into a log. A station passes the token on before it
// has counted its entry. The next station may write over it.
// Source: our own.
// Repaired: pass/token_ring.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define STATIONS 3

// Posted when the station gets the token.
static sem_t turn[STATIONS];

// Whoever has the token may use these.
static int entries[STATIONS];
static int entry_count;

static void *station(void *arg) {
    int me = *(const int *)arg;
    sem_wait(&turn[me]);
    entries[entry_count] = me;
    sem_post(&turn[(me + 1) % STATIONS]);
    entry_count++; // without the token
    return NULL;
}

int main(void) {
    pthread_t threads[STATIONS];
    int names[STATIONS];
    for (int i = 0; i < STATIONS; i++) {
        sem_init(&turn[i], 0, i == 0 ? 1 : 0);
    }
    for (int i = 0; i < STATIONS; i++) {
        names[i] = i;
        pthread_create(&threads[i], NULL, station, &names[i]);
    }
    for (int i = 0; i < STATIONS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(entry_count == STATIONS);
    for (int i = 0; i < STATIONS; i++) {
        assert(entries[i] == i && "an entry was written over");
    }
    return 0;
}
