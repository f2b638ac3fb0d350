/* Sends itself messages of SIZE bytes until a queue holds COUNT of them, and only then reads
 * them, again and again: message_backlog SIZE COUNT
 *
 * Each message is an object of the kernel's allocator. A backlog longer than a slab lets every
 * slab be filled and left before its objects are given back, so that neither is on the fast path.
 * The queue is in a namespace of its own, which the kernel takes away with this program.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#define MOST 4096

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: message_backlog SIZE COUNT\n");
        return 2;
    }
    bound_this_life();
    size_t size = strtoul(argv[1], NULL, 10), count = strtoul(argv[2], NULL, 10);
    if (size > MOST)
        return 2;
    if (unshare(CLONE_NEWIPC))
        die("unshare");
    int queue = msgget(IPC_PRIVATE, 0600);
    if (queue < 0)
        die("msgget");
    struct msqid_ds limits;
    if (msgctl(queue, IPC_STAT, &limits))
        die("msgctl");
    limits.msg_qbytes = size * count > count ? size * count : count;
    if (msgctl(queue, IPC_SET, &limits))
        die("msgctl");
    struct {
        long type;
        char text[MOST];
    } message = {.type = 1};
    for (;;) {
        for (size_t at = 0; at < count; at++)
            if (msgsnd(queue, &message, size, 0))
                die("msgsnd");
        for (size_t at = 0; at < count; at++)
            if (msgrcv(queue, &message, size, 0, 0) < 0)
                die("msgrcv");
    }
}
