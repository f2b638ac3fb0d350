/* Known waits for locks: of user space, of an inode, of an address space, of a file. */
#define _GNU_SOURCE
#include "clocked.h"
#include <sys/file.h>
#include <sys/mman.h>

#define HOLD_US 3000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The holder computes; what it does not hold it asks for again at once. */
static void user_mutex(struct waiter *waiter)
{
    while (waits_go_on()) {
        CLOCKED(waiter, pthread_mutex_lock(&mutex));
        spin_for_ns(HOLD_US * 1000);
        pthread_mutex_unlock(&mutex);
        clocked_sleep_us(waiter, 10);
    }
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void user_rwlock(struct waiter *waiter)
{
    while (waits_go_on()) {
        CLOCKED(waiter, pthread_rwlock_wrlock(&rwlock));
        clocked_sleep_us(waiter, HOLD_US);
        pthread_rwlock_unlock(&rwlock);
        clocked_sleep_us(waiter, 10);
    }
}

/*
 * A lock that is a flag with a condition, as that of the CPython interpreter (Python/ceval_gil.c): who
 * wants it waits for 5 ms, asks for it, and waits again; who gives it up waits until another has it.
 */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t free;
    pthread_mutex_t taken_mutex;
    pthread_cond_t taken;
    int held, wanted, turns;
} flag = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
           PTHREAD_COND_INITIALIZER, 0, 0, 0 };

static void take_flag(void)
{
    pthread_mutex_lock(&flag.mutex);
    while (flag.held) {
        struct timespec until;
        int turns = flag.turns;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        int late = pthread_cond_timedwait(&flag.free, &flag.mutex, &until) == ETIMEDOUT;
        if (late && flag.held && flag.turns == turns)
            __atomic_store_n(&flag.wanted, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_lock(&flag.taken_mutex);
    flag.held = 1;
    flag.turns++;
    pthread_cond_signal(&flag.taken);
    pthread_mutex_unlock(&flag.taken_mutex);
    __atomic_store_n(&flag.wanted, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&flag.mutex);
}

static void give_flag(void)
{
    pthread_mutex_lock(&flag.mutex);
    int turns = flag.turns;
    flag.held = 0;
    pthread_cond_signal(&flag.free);
    pthread_mutex_unlock(&flag.mutex);
    if (!__atomic_load_n(&flag.wanted, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&flag.taken_mutex);
    while (flag.turns == turns && waits_go_on())
        pthread_cond_wait(&flag.taken, &flag.taken_mutex);
    pthread_mutex_unlock(&flag.taken_mutex);
}

/* Computes until somebody asks for the lock. */
static void user_condition(struct waiter *waiter)
{
    while (waits_go_on()) {
        CLOCKED(waiter, take_flag());
        while (waits_go_on() && !__atomic_load_n(&flag.wanted, __ATOMIC_RELAXED))
            spin_for_ns(50000);
        CLOCKED(waiter, give_flag());
    }
}

static int open_own(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", waits_path, name);
    int file = open(path, O_CREAT | O_RDWR, 0600);
    if (file < 0)
        die(path);
    return file;
}

static void file_flock(struct waiter *waiter)
{
    int file = open_own("flock");
    while (waits_go_on()) {
        CLOCKED(waiter, flock(file, LOCK_EX));
        clocked_sleep_us(waiter, HOLD_US);
        flock(file, LOCK_UN);
        clocked_sleep_us(waiter, 10);
    }
}

static void file_fcntl(struct waiter *waiter)
{
    int file = open_own("fcntl");
    struct flock whole = { .l_whence = SEEK_SET };
    while (waits_go_on()) {
        whole.l_type = F_WRLCK;
        CLOCKED(waiter, if (fcntl(file, F_OFD_SETLKW, &whole)) die("fcntl"));
        clocked_sleep_us(waiter, HOLD_US);
        whole.l_type = F_UNLCK;
        fcntl(file, F_OFD_SETLK, &whole);
        clocked_sleep_us(waiter, 10);
    }
}

/* What the main thread holds for good: who wants it waits for as long as the program runs. */
static void hold_for_ever(void)
{
    pthread_mutex_lock(&mutex);
    if (flock(open_own("flock"), LOCK_EX))
        die("flock");
}

static void held_mutex(struct waiter *waiter)
{
    CLOCKED(waiter, pthread_mutex_lock(&mutex));
}

static void held_flock(struct waiter *waiter)
{
    int file = open_own("flock");
    CLOCKED(waiter, flock(file, LOCK_EX));
}

/* The copy into the page cache is CPU time; all other time of the call is the lock. */
static void inode_write(struct waiter *waiter)
{
    enum { BYTES = 1 << 20 };
    int file = open_own("inode");
    char *buffer = malloc(BYTES);
    memset(buffer, 1, BYTES);
    while (waits_go_on())
        CLOCKED(waiter, if (pwrite(file, buffer, BYTES, 0) != BYTES) die("pwrite"));
}

/* Faults in and drops a large mapping, over and over, under the address space's lock. */
static void *populate(void *unused)
{
    enum { BYTES = 64 << 20 };
    prctl(PR_SET_NAME, "helper");
    while (waits_go_on()) {
        void *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        munmap(map, BYTES);
    }
    return unused;
}

static void start_populating(void)
{
    start_thread(populate, NULL);
}

static void mmap_small(struct waiter *waiter)
{
    while (waits_go_on()) {
        void *map;
        CLOCKED(waiter, map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        CLOCKED(waiter, munmap(map, 4096));
        clocked_sleep_us(waiter, 100);
    }
}

/* A descriptor whose position is locked by a slow reader for as long as it reads. */
static int shared_position;

static void *read_with_position(void *unused)
{
    enum { BYTES = 16 << 20 };
    char *buffer = aligned_alloc(4096, BYTES);
    prctl(PR_SET_NAME, "helper");
    while (waits_go_on()) {
        lseek(shared_position, 0, SEEK_SET);
        if (read(shared_position, buffer, BYTES) != BYTES)
            die("read");
    }
    return unused;
}

static void start_reading(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/data", waits_path);
    shared_position = open(path, O_RDONLY | O_DIRECT);
    if (shared_position < 0)
        die(path);
    start_thread(read_with_position, NULL);
}

/* Asks for the position only: it reads nothing, so that all of its wait is the mutex. */
static void kernel_mutex(struct waiter *waiter)
{
    while (waits_go_on()) {
        CLOCKED(waiter, lseek(shared_position, 0, SEEK_CUR));
        clocked_sleep_us(waiter, 100);
    }
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "mutex", "lock_user", 3, 0, user_mutex, NULL },
        { "rwlock", "lock_user", 3, 0, user_rwlock, NULL },
        { "condition", "lock_user", 3, 0, user_condition, NULL },
        { "flock", "lock_file", 3, 0, file_flock, NULL },
        { "fcntl", "lock_file", 3, 0, file_fcntl, NULL },
        { "inode", "lock_inode", 4, 0, inode_write, NULL },
        { "mmap", "lock_mmap", 2, 0, mmap_small, start_populating },
        { "position", "lock_kernel", 1, 0, kernel_mutex, start_reading },
        { "held-mutex", "lock_user", 1, 0, held_mutex, hold_for_ever },
        { "held-flock", "lock_file", 1, 0, held_flock, NULL },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
