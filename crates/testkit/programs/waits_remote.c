/* Known waits for a remote file system: PATH is an empty folder to mount it on.
 *
 * The remote side is a process that speaks the kernel's FUSE protocol: one folder with
 * one file, every read of which takes ANSWER_US, or is never answered; or from the first
 * read on nothing is answered. Needs the right to mount.
 */
#define _GNU_SOURCE
#include "clocked.h"
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define ANSWER_US 10000
#define FILE_NODE 2
#define FILE_BYTES 65536

static int device;
static enum { SLOW, SILENT_ON_READS, DEAD_AFTER_A_READ } server_is;

static void answer(const struct fuse_in_header *request, int error, const void *body, size_t bytes)
{
    struct fuse_out_header header = { .len = sizeof header + bytes, .error = -error, .unique = request->unique };
    struct iovec parts[2] = { { &header, sizeof header }, { (void *)body, bytes } };
    if (writev(device, parts, bytes ? 2 : 1) < 0 && errno != ENOENT)
        die("answer to FUSE");
}

static struct fuse_attr about(uint64_t node)
{
    int is_file = node == FILE_NODE;
    return (struct fuse_attr){ .ino = node, .size = is_file ? FILE_BYTES : 0, .nlink = 1,
                               .mode = is_file ? S_IFREG | 0600 : S_IFDIR | 0700, .blksize = 4096 };
}

static void serve_one(const struct fuse_in_header *request)
{
    static char data[FILE_BYTES];
    const void *body = request + 1;
    switch (request->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *asked = body;
        struct fuse_init_out said = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
                                      .max_readahead = asked->max_readahead, .max_write = FILE_BYTES };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_LOOKUP: {
        struct fuse_entry_out said = { .nodeid = FILE_NODE, .attr = about(FILE_NODE), .entry_valid = 60, .attr_valid = 60 };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out said = { .attr_valid = 60, .attr = about(request->nodeid) };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_OPEN: {
        struct fuse_open_out said = { .open_flags = FOPEN_DIRECT_IO };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_READ: {
        const struct fuse_read_in *asked = body;
        if (server_is == SILENT_ON_READS)
            return;
        while (server_is == DEAD_AFTER_A_READ)
            pause();
        sleep_us(ANSWER_US);
        return answer(request, 0, data, asked->size < FILE_BYTES ? asked->size : FILE_BYTES);
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
        return answer(request, 0, NULL, 0);
    default:
        return answer(request, ENOSYS, NULL, 0);
    }
}

static void serve(void)
{
    static char request[FILE_BYTES + 4096] __attribute__((aligned(8)));
    bound_this_life();
    prctl(PR_SET_NAME, "helper");
    while (read(device, request, sizeof request) > 0 || errno == EINTR || errno == ENOENT)
        serve_one((struct fuse_in_header *)request);
    _exit(0);
}

/* The server is a process of its own and dies with this one: a reader that nobody answers
 * can only end when the server's side of the connection is closed. */
static void mount_here(void)
{
    char options[128];
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0)
        die("/dev/fuse");
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, getuid(), getgid());
    if (mount("heldup-it", waits_path, "fuse", MS_NOSUID | MS_NODEV, options))
        die("mount");
    pid_t server = fork();
    if (server < 0)
        die("fork");
    if (server == 0)
        serve();
    close(device);
}

static void mount_silent(void)
{
    server_is = SILENT_ON_READS;
    mount_here();
}

static void mount_dead(void)
{
    server_is = DEAD_AFTER_A_READ;
    mount_here();
}

static void read_remote(struct waiter *waiter)
{
    char path[4096], buffer[4096];
    snprintf(path, sizeof path, "%s/file", waits_path);
    int file = open(path, O_RDONLY);
    if (file < 0)
        die(path);
    while (waits_go_on())
        CLOCKED(waiter, if (pread(file, buffer, sizeof buffer, 0) != sizeof buffer) die("pread"));
    close(file);
    umount2(waits_path, MNT_DETACH);
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "fuse", "remote_fs", 1, 0, read_remote, mount_here },
        { "unanswered", "remote_fs", 1, 0, read_remote, mount_silent },
        { "dead", "remote_fs", 1, 0, read_remote, mount_dead },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
