/* Threads that take turns at computing, as under a global interpreter lock: take_turns THREADS TURN_MS
 *
 * Each computes for TURN_MS and hands over to the next, which waits on a condition, as do all others.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <pthread.h>

#define MOST_THREADS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_mine[MOST_THREADS];
static long threads, turn_ns, whose;

static void *take_turns(void *number)
{
    long mine = (long)number;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (whose != mine)
            pthread_cond_wait(&is_mine[mine], &lock);
        pthread_mutex_unlock(&lock);
        spin_for_ns(turn_ns);
        pthread_mutex_lock(&lock);
        whose = (mine + 1) % threads;
        pthread_cond_signal(&is_mine[whose]);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    threads = argc == 3 ? atol(argv[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: take_turns THREADS TURN_MS\n");
        return 2;
    }
    bound_this_life();
    turn_ns = atol(argv[2]) * 1000000;
    for (long i = 0; i < threads; i++)
        pthread_cond_init(&is_mine[i], NULL);
    for (long i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, take_turns, (void *)i))
            die("pthread_create");
    }
    pause();
    return 0;
}
