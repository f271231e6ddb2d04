// A worker waits for a job, and a helper takes one in passing if there is one. The worker does not look again when it wakes up: the
// helper may have taken the job meanwhile, and the worker takes one that is not there.
// Source: folklore; CERT C CON36-C (wrap functions that can spuriously wake up in a loop).
// Repaired: pass/cond_if.c
//! check => bug kind=assertion bound=0

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static int jobs;
static int helped;

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (jobs == 0) {
        pthread_cond_wait(&posted, &lock);
    }
    assert(jobs > 0);
    jobs--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *help(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (jobs > 0) {
        jobs--;
        helped++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *post(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&posted);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t worker, helper, poster;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&helper, NULL, help, NULL);
    pthread_create(&poster, NULL, post, NULL);
    pthread_join(poster, NULL);
    pthread_join(helper, NULL);
    // There are two jobs in all, and the helper takes one at most.
    post(NULL);
    pthread_join(worker, NULL);
    assert(jobs + helped == 1);
    return 0;
}
