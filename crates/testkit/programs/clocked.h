/* Threads that clock their own waits, and the table of such waits that a program offers.
 *
 * A wait is clocked with CLOCK_MONOTONIC just around the call that blocks, so that the
 * clocked time is: the wait, the delay until the task runs again, and the call's own
 * time on the CPU. At the end there is one line for each thread and class in the file named
 * by HELDUP_CLOCKED:
 *
 *     NAME TID CLASS WAITED_NS CALLS LIFE_NS
 *
 * LIFE_NS is the time from the thread's first statement to its last. What is not
 * clocked is spent on the CPU or waiting for it, nowhere else.
 */
#ifndef CLOCKED_H
#define CLOCKED_H

#include "bounded.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CLASSES_OF_A_THREAD 2
#define THREADS_AT_MOST 64

/* When the waits end, the same moment for every thread of the program, and how long
 * they last: what takes long to prepare sets the end anew. */
static int64_t waits_end_ns, waits_last_ns;
/* The file or folder that the waits may use. */
static const char *waits_path;

struct clocked {
    const char *class_name;
    int64_t waited_ns, calls;
};

struct waiter {
    const char *name;
    int64_t born_ns;
    struct clocked classes[CLASSES_OF_A_THREAD];
};

/* One known wait. `run` is called in each of its threads until the waits end. */
struct known_wait {
    const char *name, *class_name;
    int threads;
    /* Gets a process of its own, and one thread in it: whoever forks, maps or is stopped holds
     * up every thread of its process, until Linux 6.4 already those whose pages fault. */
    int own_process;
    void (*run)(struct waiter *);
    /* Called once before the threads start; may be NULL. */
    void (*prepare)(void);
};

static inline int waits_go_on(void)
{
    return now_ns() < waits_end_ns;
}

/* Clocks `call` as a wait of the thread's first class, or of class number `nth`. */
#define CLOCKED_AS(waiter, nth, call)                                  \
    do {                                                               \
        int64_t clocked_start = now_ns();                              \
        call;                                                          \
        (waiter)->classes[nth].waited_ns += now_ns() - clocked_start;  \
        (waiter)->classes[nth].calls++;                                \
    } while (0)
#define CLOCKED(waiter, call) CLOCKED_AS(waiter, 0, call)

static inline void sleep_us(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };
    nanosleep(&t, NULL);
}

/* A clocked sleep, for a thread whose second class is `timer`. */
static inline void clocked_sleep_us(struct waiter *waiter, long us)
{
    waiter->classes[1].class_name = "timer";
    CLOCKED_AS(waiter, 1, sleep_us(us));
}

/* What the threads have to tell, in memory that forked processes share: a file that all of them
 * write to at the end has a lock, and that would be a wait that nobody clocked. */
struct told {
    int threads;
    char lines[THREADS_AT_MOST][512];
};
static struct told *told;

static void tell(const struct waiter *waiter)
{
    int used = 0, nth = __atomic_fetch_add(&told->threads, 1, __ATOMIC_RELAXED);
    int64_t life = now_ns() - waiter->born_ns;
    if (nth >= THREADS_AT_MOST)
        return;
    char *lines = told->lines[nth];
    for (int i = 0; i < CLASSES_OF_A_THREAD; i++) {
        const struct clocked *one = &waiter->classes[i];
        if (one->class_name)
            used += snprintf(lines + used, sizeof told->lines[nth] - used, "%s %ld %s %lld %lld %lld\n",
                             waiter->name, syscall(SYS_gettid), one->class_name, (long long)one->waited_ns,
                             (long long)one->calls, (long long)life);
    }
}

/* Writes it all, when every thread and process has ended. */
static void write_told(void)
{
    const char *path = getenv("HELDUP_CLOCKED");
    int file = path ? open(path, O_WRONLY | O_APPEND) : STDOUT_FILENO;
    for (int i = 0; i < told->threads && i < THREADS_AT_MOST; i++) {
        int length = strlen(told->lines[i]);
        if (file < 0 || write(file, told->lines[i], length) != length)
            die("HELDUP_CLOCKED");
    }
}

static void *run_one(void *argument)
{
    const struct known_wait *wait = argument;
    struct waiter waiter = { .name = wait->name, .born_ns = now_ns() };
    waiter.classes[0].class_name = wait->class_name;
    prctl(PR_SET_NAME, wait->name);
    wait->run(&waiter);
    tell(&waiter);
    return NULL;
}

static inline void start_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) || pthread_detach(thread))
        die("pthread_create");
}

static const struct known_wait *wait_named(const struct known_wait *waits, const char *name)
{
    for (; waits->name; waits++)
        if (!strcmp(waits->name, name))
            return waits;
    fprintf(stderr, "no wait named %s\n", name);
    exit(2);
}

/* Runs the named waits side by side: PROGRAM SECONDS PATH NAME... */
static int run_waits(int argc, char **argv, const struct known_wait *waits)
{
    pthread_t threads[THREADS_AT_MOST];
    int started = 0, processes = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: %s SECONDS PATH NAME...\n", argv[0]);
        return 2;
    }
    bound_this_life();
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        die("mmap");
    waits_last_ns = (int64_t)(atof(argv[1]) * 1e9);
    waits_end_ns = now_ns() + waits_last_ns;
    waits_path = argv[2];
    for (int i = 3; i < argc; i++) {
        const struct known_wait *wait = wait_named(waits, argv[i]);
        if (wait->own_process) {
            pid_t one = fork();
            if (one < 0)
                die("fork");
            processes++;
            if (one)
                continue;
            bound_this_life();
            if (wait->prepare)
                wait->prepare();
            run_one((void *)wait);
            _exit(0);
        }
    }
    for (int i = 3; i < argc; i++) {
        const struct known_wait *wait = wait_named(waits, argv[i]);
        if (wait->own_process)
            continue;
        if (wait->prepare)
            wait->prepare();
        for (int n = 0; n < wait->threads && started < THREADS_AT_MOST; n++)
            if (pthread_create(&threads[started++], NULL, run_one, (void *)wait))
                die("pthread_create");
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    while (processes--)
        wait(NULL);
    write_told();
    return 0;
}

#endif
