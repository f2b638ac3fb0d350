/* What every test program does first: it cannot outlive the test that started it.
 *
 * It dies with its parent, and by an alarm in any case. It must not change what the
 * program measures: no threads, no handlers, no timers that fire in a normal run.
 */
#ifndef BOUNDED_H
#define BOUNDED_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Longer than any test, shorter than anybody's patience; who records a load for longer says so in the environment. */
#define LONGEST_LIFE_SECONDS 180
#define LONGEST_LIFE "HELDUP_TEST_LOAD_SECONDS"

static inline void bound_this_life(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *longer = getenv(LONGEST_LIFE);
    int seconds = longer ? atoi(longer) : 0;
    alarm(seconds > 0 ? seconds : LONGEST_LIFE_SECONDS);
}

static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Until a moment of now_ns(), at once where it is over: what is left of it, read again, may be less
 * than nothing, and usleep() takes that for an hour. */
static inline void sleep_until_ns(int64_t moment)
{
    struct timespec t = { moment / 1000000000, moment % 1000000000 };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static inline void spin_for_ns(int64_t ns)
{
    int64_t end = now_ns() + ns;
    while (now_ns() < end)
        ;
}

/* Ends the program with a word on the call that failed. */
static inline void die(const char *what)
{
    perror(what);
    exit(1);
}

#endif
