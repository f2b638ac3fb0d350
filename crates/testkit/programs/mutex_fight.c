/* Threads that fight for one mutex: mutex_fight THREADS HOLD_US spin|sleep
 *
 * The holder burns CPU or sleeps for HOLD_US while it holds the mutex, and asks for it
 * again at once.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t fought_over = PTHREAD_MUTEX_INITIALIZER;
static int hold_us, holder_sleeps;

static void *fight(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&fought_over);
        if (holder_sleeps)
            usleep(hold_us);
        else
            spin_for_ns((int64_t)hold_us * 1000);
        pthread_mutex_unlock(&fought_over);
        /* Lets a waiter in: glibc's mutex is not fair. */
        usleep(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: mutex_fight THREADS HOLD_US spin|sleep\n");
        return 2;
    }
    bound_this_life();
    hold_us = atoi(argv[2]);
    holder_sleeps = !strcmp(argv[3], "sleep");
    for (int i = 0; i < atoi(argv[1]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, fight, NULL))
            die("pthread_create");
    }
    pause();
    return 0;
}
