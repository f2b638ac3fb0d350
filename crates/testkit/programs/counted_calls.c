/* Counts its own calls: counted_calls SECONDS FOLDER
 *
 * A thousand times a second, so that heldup need not stop counting, one of each: a write and a sync
 * of a file in FOLDER, a read of what was written, a lock of it that nobody else wants, a wake-up of
 * a futex that nobody waits for, a connection to itself. At the end there is one line for each in the
 * file named by HELDUP_CLOCKED:
 *
 *     CALL PID COUNT
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

static char folder_file[4096], page[4096] = { 1 };

static long written, synced, read_back, locked, woken, connected;

static int listener(struct sockaddr_un *address, socklen_t *length)
{
    int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
    address->sun_family = AF_UNIX;
    /* Without a path: the kernel chooses a name. */
    if (socket_file < 0 || bind(socket_file, (struct sockaddr *)address, sizeof(sa_family_t)))
        die("bind");
    *length = sizeof *address;
    if (getsockname(socket_file, (struct sockaddr *)address, length) || listen(socket_file, 8))
        die("listen");
    return socket_file;
}

static void connect_to(int listening, const struct sockaddr_un *address, socklen_t length)
{
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    if (client < 0 || connect(client, (const struct sockaddr *)address, length))
        die("connect");
    int server = accept(listening, NULL, NULL);
    if (server < 0)
        die("accept");
    close(server);
    close(client);
    connected++;
}

static void commit(int file)
{
    if (pwrite(file, page, sizeof page, 0) != sizeof page)
        die("pwrite");
    written++;
    if (fsync(file))
        die("fsync");
    synced++;
    if (pread(file, page, sizeof page, 0) != sizeof page)
        die("pread");
    read_back++;
}

static void lock(int file)
{
    if (flock(file, LOCK_EX) || flock(file, LOCK_UN))
        die("flock");
    locked += 2;
}

static void tell(void)
{
    const char *path = getenv("HELDUP_CLOCKED");
    FILE *out = path ? fopen(path, "a") : stdout;
    if (!out)
        die("HELDUP_CLOCKED");
    fprintf(out, "pwrite64 %d %ld\nfsync %d %ld\npread64 %d %ld\nflock %d %ld\nfutex %d %ld\nconnect %d %ld\n", getpid(), written,
            getpid(), synced, getpid(), read_back, getpid(), locked, getpid(), woken, getpid(), connected);
    if (fflush(out))
        die("HELDUP_CLOCKED");
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = { 0 };
    socklen_t length;
    uint32_t word = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: counted_calls SECONDS FOLDER\n");
        return 2;
    }
    bound_this_life();
    snprintf(folder_file, sizeof folder_file, "%s/counted", argv[2]);
    int file = open(folder_file, O_CREAT | O_RDWR, 0600), listening = listener(&address, &length);
    if (file < 0)
        die(folder_file);
    int64_t next = now_ns(), end = next + (int64_t)(atof(argv[1]) * 1e9);
    for (; now_ns() < end; sleep_until_ns(next += 1000000)) {
        commit(file);
        lock(file);
        if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0)
            die("futex");
        woken++;
        connect_to(listening, &address, length);
    }
    tell();
    return 0;
}
