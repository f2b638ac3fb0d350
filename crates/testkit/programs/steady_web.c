/* A web server and its steady clients: steady_web FILE REQUESTS_A_SECOND
 *
 * A server process answers GET with the file, one thread that polls, as event-driven servers do;
 * a client process sends requests at an even pace over a few connections, and opens each of them
 * anew after some requests. Prints a line once the first hundred are answered.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define CONNECTIONS 8
#define REQUESTS_A_CONNECTION 50
static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void send_now(int socket)
{
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void answer(int client, int file, off_t bytes)
{
    char head[128], asked[sizeof request];
    ssize_t got = recv(client, asked, sizeof asked, 0);
    if (got <= 0) {
        close(client);
        return;
    }
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %jd\r\n\r\n", (intmax_t)bytes);
    off_t from = 0;
    if (send(client, head, length, MSG_MORE | MSG_NOSIGNAL) != length || sendfile(client, file, &from, bytes) != bytes)
        close(client);
}

static void serve(int listener, int file, off_t bytes)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "web-server");
    int poll = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN, .data.fd = listener };
    if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event))
        die("epoll");
    while (epoll_wait(poll, &event, 1, -1) == 1) {
        if (event.data.fd != listener) {
            answer(event.data.fd, file, bytes);
            continue;
        }
        int client = accept(listener, NULL, NULL);
        if (client < 0)
            die("accept");
        send_now(client);
        event = (struct epoll_event){ .events = EPOLLIN, .data.fd = client };
        if (epoll_ctl(poll, EPOLL_CTL_ADD, client, &event))
            die("epoll_ctl");
    }
    die("epoll_wait");
}

/* One request and its whole answer. */
static void ask(int server, off_t bytes)
{
    static char buffer[1 << 16];
    if (send(server, request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1)
        die("send");
    ssize_t got = recv(server, buffer, sizeof buffer - 1, 0);
    if (got <= 0)
        die("recv");
    buffer[got] = 0;
    char *body = strstr(buffer, "\r\n\r\n");
    if (!body)
        die("an answer without an end of its head");
    for (off_t have = got - (body + 4 - buffer); have < bytes; have += got) {
        got = recv(server, buffer, sizeof buffer, 0);
        if (got <= 0)
            die("recv");
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: steady_web FILE REQUESTS_A_SECOND\n");
        return 2;
    }
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    struct stat about;
    int file = open(argv[1], O_RDONLY), listener = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || fstat(file, &about))
        die(argv[1]);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 128) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        die("listen");
    pid_t server = fork();
    if (server < 0)
        die("fork");
    if (!server)
        serve(listener, file, about.st_size);
    prctl(PR_SET_NAME, "web-client");
    close(listener);
    int64_t pace = 1000000000 / atoi(argv[2]), next = now_ns();
    int connections[CONNECTIONS], left[CONNECTIONS] = { 0 };
    for (int64_t count = 0;; count++) {
        int one = count % CONNECTIONS;
        if (!left[one]) {
            if (count >= CONNECTIONS)
                close(connections[one]);
            connections[one] = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(connections[one], (struct sockaddr *)&address, length))
                die("connect");
            send_now(connections[one]);
            left[one] = REQUESTS_A_CONNECTION;
        }
        ask(connections[one], about.st_size);
        left[one]--;
        if (count == 100) {
            puts("steady");
            fflush(stdout);
        }
        next += pace;
        int64_t rest = next - now_ns();
        if (rest > 0)
            usleep(rest / 1000);
        else
            next = now_ns();
    }
}
