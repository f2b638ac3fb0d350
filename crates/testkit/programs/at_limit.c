/* Asks for one thing more than a limit allows, again and again: at_limit KIND TRIES [AMOUNT [ASKS]]
 *
 * Takes what the limit allows where that is a limit of its own, prints "at the limit" at the
 * first failure, then tries fifty times a second: TRIES failures in all, 0 for ever; prints
 * "failed N" at the end. Whatever it holds goes away with it. AMOUNT is for kinds that ask for
 * so much at once (bytes, requests). Where the limit is raised meanwhile it takes a few more and
 * is content: it waits, with what it holds, until it is ended. With ASKS it asks so often in all,
 * whatever the answers, and prints "failed N" of them.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* A user that nobody else is, for limits that root is exempt from. */
#define NOBODY_ELSE 61234

/* So many more than the limit allowed. */
#define CONTENT_WITH 2

static long amount;

static void limit(int resource, rlim_t to)
{
    struct rlimit both = { to, to };
    if (setrlimit(resource, &both))
        die("setrlimit");
}

static void become_somebody(void)
{
    /* Whoever is not root is somebody already. */
    if (geteuid() != 0)
        return;
    if (setresgid(NOBODY_ELSE, NOBODY_ELSE, NOBODY_ELSE) || setresuid(NOBODY_ELSE, NOBODY_ELSE, NOBODY_ELSE))
        die("setresuid");
    /* A change of user forgets it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* As it usually is: low, and the program may raise it. */
static void lower(int resource, rlim_t to)
{
    struct rlimit both;
    if (getrlimit(resource, &both))
        die("getrlimit");
    both.rlim_cur = to;
    if (setrlimit(resource, &both))
        die("setrlimit");
}

static void few_open_files(void)
{
    lower(RLIMIT_NOFILE, 64);
}

static int open_file(void)
{
    return open("/dev/null", O_RDONLY);
}

static void few_processes(void)
{
    become_somebody();
    limit(RLIMIT_NPROC, 6);
}

static int start_process(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(LONGEST_LIFE_SECONDS);
        for (;;)
            pause();
    }
    return child;
}

/* Whoever may lock memory without limit gives that right up. */
static void little_locked_memory(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &head, data))
        die("capget");
    data[0].effective &= ~(1u << CAP_IPC_LOCK);
    data[0].permitted &= ~(1u << CAP_IPC_LOCK);
    if (syscall(SYS_capset, &head, data))
        die("capset");
    lower(RLIMIT_MEMLOCK, 65536);
}

static int lock_memory(void)
{
    static char *memory;
    if (!memory)
        memory = mmap(NULL, amount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mlock(memory, amount);
}

static void no_limit_of_its_own(void)
{
}

/* Neighbours of different rights cannot be joined into one mapping. */
static int map_memory(void)
{
    static int turn;
    void *at = mmap(NULL, 4096, turn++ % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? -1 : 0;
}

/* What is shared outlives its maker: it is removed again at once. */
static int share_memory(void)
{
    int made = shmget(IPC_PRIVATE, amount, IPC_CREAT | 0600);
    return made < 0 ? made : shmctl(made, IPC_RMID, NULL);
}

static int make_semaphores(void)
{
    int made = semget(IPC_PRIVATE, amount, IPC_CREAT | 0600);
    return made < 0 ? made : semctl(made, 0, IPC_RMID);
}

static int make_queue(void)
{
    int made = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    return made < 0 ? made : msgctl(made, IPC_RMID, NULL);
}

static int set_up_requests(void)
{
    aio_context_t context = 0;
    int made = syscall(SYS_io_setup, amount, &context);
    return made < 0 ? made : syscall(SYS_io_destroy, context);
}

static int watch_files(void)
{
    return inotify_init1(IN_CLOEXEC);
}

static const struct kind {
    const char *name;
    void (*prepare)(void);
    int (*ask)(void);
    int error;
} kinds[] = {
    { "open-files", few_open_files, open_file, EMFILE },
    { "processes", few_processes, start_process, EAGAIN },
    { "group-processes", no_limit_of_its_own, start_process, EAGAIN },
    { "locked-memory", little_locked_memory, lock_memory, ENOMEM },
    { "map-count", no_limit_of_its_own, map_memory, ENOMEM },
    { "shared-memory", no_limit_of_its_own, share_memory, ENOSPC },
    { "semaphores", no_limit_of_its_own, make_semaphores, ENOSPC },
    { "message-queues", no_limit_of_its_own, make_queue, ENOSPC },
    { "aio", no_limit_of_its_own, set_up_requests, EAGAIN },
    { "inotify", become_somebody, watch_files, EMFILE },
};

static void ask_in_vain(const struct kind *kind, long tries)
{
    int more = 0;
    for (long failed = 0; tries == 0 || failed < tries;) {
        if (kind->ask() >= 0) {
            more += failed > 0;
            while (more == CONTENT_WITH)
                pause();
            continue;
        }
        if (errno != kind->error)
            die(kind->name);
        if (failed++ == 0) {
            puts("at the limit");
            fflush(stdout);
        }
        usleep(20000);
    }
    printf("failed %ld\n", tries);
}

static void ask_so_often(const struct kind *kind, long asks)
{
    long failed = 0;
    for (long asked = 0; asked < asks; asked++) {
        if (kind->ask() >= 0)
            continue;
        if (errno != kind->error)
            die(kind->name);
        failed++;
        usleep(20000);
    }
    printf("failed %ld\n", failed);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: at_limit KIND TRIES [AMOUNT [ASKS]]\n");
        return 2;
    }
    bound_this_life();
    amount = argc > 3 ? atol(argv[3]) : 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) == 0) {
            kinds[i].prepare();
            if (argc > 4)
                ask_so_often(&kinds[i], atol(argv[4]));
            else
                ask_in_vain(&kinds[i], atol(argv[2]));
            return 0;
        }
    }
    fprintf(stderr, "at_limit: no kind %s\n", argv[1]);
    return 2;
}
