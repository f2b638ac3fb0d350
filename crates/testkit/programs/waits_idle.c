/* Known waits of tasks that have nothing to do, or wait for somebody else's service. */
#define _GNU_SOURCE
#include "clocked.h"
#include <arpa/inet.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <termios.h>

/* Every helper makes its waiter wait this long, and goes on until the process ends: one that
 * stopped with the waits could leave its waiter in its last one for ever. */
#define PAUSE_US 15000

static void timer(struct waiter *waiter)
{
    while (waits_go_on())
        CLOCKED(waiter, sleep_us(PAUSE_US));
}

static void poll_nothing(struct waiter *waiter)
{
    while (waits_go_on())
        CLOCKED(waiter, poll(NULL, 0, PAUSE_US / 1000));
}

static void epoll_nothing(struct waiter *waiter)
{
    struct epoll_event event;
    int set = epoll_create1(0);
    while (waits_go_on())
        CLOCKED(waiter, epoll_wait(set, &event, 1, PAUSE_US / 1000));
}

/* Writes a byte to a descriptor now and then. */
static void *drip(void *descriptor)
{
    prctl(PR_SET_NAME, "helper");
    for (;;) {
        sleep_us(PAUSE_US);
        if (write((int)(intptr_t)descriptor, "x", 1) != 1)
            return NULL;
    }
}

static void read_drips(struct waiter *waiter, int from, int to)
{
    char byte;
    start_thread(drip, (void *)(intptr_t)to);
    while (waits_go_on())
        CLOCKED(waiter, if (read(from, &byte, 1) != 1) die("read"));
}

static void read_pipe(struct waiter *waiter)
{
    int ends[2];
    if (pipe(ends))
        die("pipe");
    read_drips(waiter, ends[0], ends[1]);
}

static void read_unix(struct waiter *waiter)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        die("socketpair");
    read_drips(waiter, ends[0], ends[1]);
}

static void read_terminal(struct waiter *waiter)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        die("posix_openpt");
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios settings;
    if (slave < 0 || tcgetattr(slave, &settings))
        die("open pty");
    /* Byte by byte: helpers write no newline. */
    cfmakeraw(&settings);
    tcsetattr(slave, TCSANOW, &settings);
    read_drips(waiter, slave, master);
}

/* A listening socket on 127.0.0.1, and its address. */
static int listening(struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)address, length) || listen(listener, 16)
        || getsockname(listener, (struct sockaddr *)address, &length))
        die("listen");
    return listener;
}

static int connected(const struct sockaddr_in *address)
{
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (client < 0 || connect(client, (struct sockaddr *)address, sizeof *address))
        die("connect");
    return client;
}

static void *connect_now_and_then(void *address)
{
    prctl(PR_SET_NAME, "helper");
    for (;;) {
        sleep_us(PAUSE_US);
        close(connected(address));
    }
}

static void accept_connections(struct waiter *waiter)
{
    static struct sockaddr_in address;
    int listener = listening(&address), one;
    start_thread(connect_now_and_then, &address);
    while (waits_go_on()) {
        CLOCKED(waiter, one = accept(listener, NULL, NULL));
        close(one);
    }
}

/* Thread that answers; 0 before it began. */
static _Atomic pid_t service;

/* Answers every byte of a connection after a pause, until the other side is gone. */
static void *serve_slowly(void *connection)
{
    char byte;
    prctl(PR_SET_NAME, "helper");
    service = (pid_t)syscall(SYS_gettid);
    while (read((int)(intptr_t)connection, &byte, 1) == 1) {
        sleep_us(PAUSE_US);
        if (write((int)(intptr_t)connection, &byte, 1) != 1)
            break;
    }
    return NULL;
}

/* Whether the service sleeps: between an answer and the next request in its read only. */
static int service_sleeps(void)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)service);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length < 0)
        die(path);
    close(file);
    text[length] = 0;
    /* The name in brackets may have any character, and the state follows the last bracket. */
    char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

/*
 * Sends a byte, then waits for the answer of the service: that wait is the peer's. Nothing is
 * sent before the service sleeps: what it took beforehand could not be told over an unnamed
 * Unix pair (docs/decisions/0002-ledger.md).
 */
static void ask(struct waiter *waiter, int connection)
{
    char byte = 'q';
    while (waits_go_on()) {
        while (!service || !service_sleeps())
            sched_yield();
        if (write(connection, &byte, 1) != 1)
            die("write");
        CLOCKED(waiter, if (read(connection, &byte, 1) != 1) die("read"));
    }
}

static void peer_tcp(struct waiter *waiter)
{
    struct sockaddr_in address;
    int listener = listening(&address), client = connected(&address);
    start_thread(serve_slowly, (void *)(intptr_t)accept(listener, NULL, NULL));
    ask(waiter, client);
}

static void peer_unix(struct waiter *waiter)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        die("socketpair");
    start_thread(serve_slowly, (void *)(intptr_t)ends[1]);
    ask(waiter, ends[0]);
}

/* A server's own wait for the next request of a client that takes its time. */
static void *ask_now_and_then(void *connection)
{
    char byte = 'q';
    prctl(PR_SET_NAME, "helper");
    for (;;) {
        sleep_us(PAUSE_US);
        if (write((int)(intptr_t)connection, &byte, 1) != 1 || read((int)(intptr_t)connection, &byte, 1) != 1)
            return NULL;
    }
}

static void read_request(struct waiter *waiter)
{
    struct sockaddr_in address;
    char byte;
    int listener = listening(&address);
    start_thread(ask_now_and_then, (void *)(intptr_t)connected(&address));
    int connection = accept(listener, NULL, NULL);
    while (waits_go_on()) {
        CLOCKED(waiter, if (read(connection, &byte, 1) != 1) die("read"));
        if (write(connection, &byte, 1) != 1)
            die("write");
    }
}

static void child(struct waiter *waiter)
{
    while (waits_go_on()) {
        pid_t one = fork();
        if (one == 0) {
            sleep_us(PAUSE_US);
            _exit(0);
        }
        CLOCKED(waiter, waitpid(one, NULL, 0));
    }
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static sem_t tickets;

static void *wake_sleepers(void *sleeper)
{
    prctl(PR_SET_NAME, "helper");
    for (;;) {
        sleep_us(PAUSE_US);
        pthread_cond_signal(&opened);
        sem_post(&tickets);
        if (sleeper)
            pthread_kill(*(pthread_t *)sleeper, SIGUSR1);
    }
}

static void park_condition(struct waiter *waiter)
{
    start_thread(wake_sleepers, NULL);
    pthread_mutex_lock(&gate);
    while (waits_go_on())
        CLOCKED(waiter, pthread_cond_wait(&opened, &gate));
    pthread_mutex_unlock(&gate);
}

/* Work is looked for every 5 ms, and is announced now and then. */
static int tickets_open;

static void wait_for_work(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&opened, &gate, &until);
}

static void *compute_and_announce(void *unused)
{
    prctl(PR_SET_NAME, "helper");
    while (waits_go_on()) {
        spin_for_ns(20000000);
        pthread_mutex_lock(&gate);
        pthread_cond_signal(&opened);
        pthread_mutex_unlock(&gate);
    }
    return unused;
}

/* An idle worker beside one that computes all the time and now and then has work to share. */
static void park_polling(struct waiter *waiter)
{
    start_thread(compute_and_announce, NULL);
    pthread_mutex_lock(&gate);
    while (waits_go_on())
        CLOCKED(waiter, wait_for_work());
    pthread_mutex_unlock(&gate);
}

/* Takes a ticket, wakes the next worker and works beside it. */
static void take_ticket(void)
{
    int more = --tickets_open > 0;
    if (more)
        pthread_cond_signal(&opened);
    pthread_mutex_unlock(&gate);
    spin_for_ns(300000);
    pthread_mutex_lock(&gate);
}

static void *work_in_crew(void *unused)
{
    prctl(PR_SET_NAME, "helper");
    pthread_mutex_lock(&gate);
    while (waits_go_on()) {
        while (tickets_open > 0)
            take_ticket();
        wait_for_work();
    }
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *hand_out_tickets(void *unused)
{
    prctl(PR_SET_NAME, "helper");
    while (waits_go_on()) {
        sleep_us(20000);
        pthread_mutex_lock(&gate);
        tickets_open = 3;
        pthread_cond_signal(&opened);
        pthread_mutex_unlock(&gate);
    }
    return unused;
}

/* Workers that wait for the same condition and wake each other when there is work for more of them. */
static void park_crew(struct waiter *waiter)
{
    start_thread(hand_out_tickets, NULL);
    for (int i = 0; i < 4; i++)
        start_thread(work_in_crew, NULL);
    pthread_mutex_lock(&gate);
    while (waits_go_on()) {
        while (tickets_open > 0)
            take_ticket();
        CLOCKED(waiter, wait_for_work());
    }
    pthread_mutex_unlock(&gate);
}

static void park_semaphore(struct waiter *waiter)
{
    start_thread(wake_sleepers, NULL);
    while (waits_go_on())
        CLOCKED(waiter, sem_wait(&tickets));
}

static void block_usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void park_signal(struct waiter *waiter)
{
    static pthread_t self;
    sigset_t set;
    int got;
    self = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    start_thread(wake_sleepers, &self);
    while (waits_go_on())
        CLOCKED(waiter, sigwait(&set, &got));
}

static void stopped(struct waiter *waiter)
{
    pid_t self = getpid(), waker = fork();
    if (waker == 0) {
        for (;;) {
            sleep_us(PAUSE_US);
            if (kill(self, SIGCONT))
                _exit(0);
        }
    }
    while (waits_go_on())
        CLOCKED(waiter, raise(SIGSTOP));
    /* Not waited for: that would be a wait that nobody clocked. */
    kill(waker, SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "timer", "timer", 1, 1, timer, NULL },
        { "poll", "poll", 1, 1, poll_nothing, NULL },
        { "epoll", "poll", 1, 1, epoll_nothing, NULL },
        { "read-pipe", "read", 1, 1, read_pipe, NULL },
        { "read-unix", "read", 1, 1, read_unix, NULL },
        { "read-terminal", "read", 1, 1, read_terminal, NULL },
        { "read-request", "read", 1, 1, read_request, NULL },
        { "accept", "accept", 1, 1, accept_connections, NULL },
        { "peer-tcp", "peer", 1, 1, peer_tcp, NULL },
        { "peer-unix", "peer", 1, 1, peer_unix, NULL },
        { "child", "child", 1, 1, child, NULL },
        { "park-condition", "park", 1, 1, park_condition, NULL },
        { "park-polling", "park", 1, 1, park_polling, NULL },
        { "park-crew", "park", 1, 1, park_crew, NULL },
        { "park-semaphore", "park", 1, 1, park_semaphore, NULL },
        { "park-signal", "park", 1, 1, park_signal, block_usr1 },
        { "stopped", "stopped", 1, 1, stopped, NULL },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
