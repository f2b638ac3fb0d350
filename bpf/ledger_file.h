/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Tells what a wait in a read or write call is about from the type of its file.
 *
 * The file cannot be loaded directly: each step from the number to the type is a helper
 * call of 15 to 25 ns, of which a socket needs ten. Tasks that switch often wait for the
 * same pipe or socket again and again, so that one is remembered with the account. Its
 * number is believed for LEDGER_FILE_USES waits; one that turns out longer than
 * LEDGER_FILE_SURE_NS is looked at after all, while its task sleeps and its registers hold.
 */
#pragma once

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define O_DSYNC 010000 /* part of O_SYNC too */
#define ANON_INODE_FS_MAGIC 0x09041934

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define TCP_ESTABLISHED 1


/* What is remembered of a file. */
enum ledger_file_type {
	FILE_FORGOTTEN = 0, /* none, or one that is looked at for every wait */
	FILE_PIPE,
	FILE_SOCKET, /* reading from it is no wait for a peer */
	FILE_UNIX_CLIENT, /* unnamed, connected to a named one */
	FILE_UNIX_PAIR, /* unnamed, connected to an unnamed one */
	FILE_TCP,
};

/* At most 16 × 50 µs can go to the wrong file where a number is given to another one. */
#define LEDGER_FILE_USES 16
#define LEDGER_FILE_SURE_NS 50000

/* By helper, though it is warm: for a pointer loaded directly the verifier looks through all types. */
static __always_inline struct file *file_of(struct task_struct *task, u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = 0;
	if (table && fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

static __always_inline u32 number_of_file(struct pt_regs *regs, u8 family)
{
	return family == CALL_READ_SECOND ? regs->si : regs->di;
}

static __always_inline u8 unix_type(struct sock *sock)
{
	struct unix_sock *own = (void *)sock;
	struct unix_sock *peer = (void *)BPF_CORE_READ(own, peer);
	if (!peer || BPF_CORE_READ(own, addr))
		return FILE_SOCKET;
	return BPF_CORE_READ(peer, addr) ? FILE_UNIX_CLIENT : FILE_UNIX_PAIR;
}

/* Its type, and in `to` the thing behind it that is its own. */
static __always_inline u8 socket_type(struct file *file, u64 *to)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	*to = (u64)sock;
	if (!sock)
		return FILE_SOCKET;
	u16 family = BPF_CORE_READ(sock, __sk_common.skc_family);
	if (family == AF_UNIX)
		return unix_type(sock);
	bool tcp = (family == AF_INET || family == AF_INET6) && BPF_CORE_READ(sock, sk_protocol) == IPPROTO_TCP;
	return tcp ? FILE_TCP : FILE_SOCKET;
}

/*
 * A read from a socket is a wait for a peer when this side is the client: a TCP
 * connection that sent last (user space takes out those whose local port listens), an
 * unnamed Unix socket connected to a named one, or one of a pair of unnamed ones when
 * the task has woken a reader since its last such wait, or the other end has not yet
 * taken what was sent (the first reference to the memory is the socket's own).
 */
static __always_inline u8 socket_kind(struct ledger_account *s)
{
	struct sock *sock = (void *)s->file_to;
	u8 asked = s->asked;
	switch (s->file_type) {
	case FILE_UNIX_CLIENT:
		return KIND_PEER;
	case FILE_UNIX_PAIR:
		s->asked = asked > 1;
		return asked || BPF_CORE_READ(sock, sk_wmem_alloc.refs.counter) > 1 ? KIND_PEER : KIND_SOCKET_READ;
	case FILE_TCP:
		if (BPF_CORE_READ(sock, __sk_common.skc_state) != TCP_ESTABLISHED)
			return KIND_SOCKET_READ;
		struct tcp_sock *tcp = (void *)sock;
		u32 sent = BPF_CORE_READ(tcp, lsndtime);
		u32 received = BPF_CORE_READ(tcp, inet_conn.icsk_ack.lrcvtime);
		return (s32)(sent - received) >= 0 ? KIND_PEER : KIND_SOCKET_READ;
	}
	return KIND_SOCKET_READ;
}

/* A call on the pipe or socket that is remembered. */
static __always_inline u8 remembered_kind(struct ledger_account *s, bool write)
{
	if (s->file_type == FILE_PIPE)
		return write ? KIND_PIPE_WRITE : KIND_PIPE_READ;
	return write ? KIND_SOCKET_WRITE : socket_kind(s);
}

/* Looks at the file of a call; remembers pipes and sockets. */
static __always_inline u8 looked_kind(struct ledger_account *s, struct file *file, u8 family, bool io, bool blocked)
{
	bool write = family == CALL_WRITE;
	s->file_uses = 0;
	s->file_type = FILE_FORGOTTEN;
	if (!file)
		return io ? KIND_OTHER_IO : blocked ? KIND_OTHER_BLOCKED : KIND_OTHER_SLEEP;
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	switch (BPF_CORE_READ(inode, i_mode) & S_IFMT) {
	case S_IFIFO:
		s->file_to = (u64)BPF_CORE_READ(file, private_data);
		s->file_type = FILE_PIPE;
		return remembered_kind(s, write);
	case S_IFSOCK:
		s->file_type = socket_type(file, &s->file_to);
		return remembered_kind(s, write);
	case S_IFCHR:
		return blocked ? KIND_OTHER_BLOCKED : KIND_DEVICE;
	case 0:
		return KIND_EVENT;
	}
	if (write && (BPF_CORE_READ(file, f_flags) & O_DSYNC))
		return KIND_SYNC;
	if (io)
		return write ? KIND_WRITE_IO : KIND_READ_IO;
	if (blocked)
		return write ? KIND_WRITE_BLOCKED : KIND_READ_BLOCKED;
	/* Event files show as regular ones since 6.16. */
	return BPF_CORE_READ(inode, i_sb, s_magic) == ANON_INODE_FS_MAGIC ? KIND_EVENT : KIND_FILE_SLEEP;
}

/* A call of a family that is told by its file. */
static __always_inline u8 file_kind(struct ledger_account *s, struct task_struct *task, struct pt_regs *regs,
				    u8 family, bool io, bool blocked)
{
	u32 number = number_of_file(regs, family);
	if (s->file_type && s->file == number && s->file_family == family && s->file_uses < LEDGER_FILE_USES &&
	    !io && !blocked) {
		s->file_uses++;
		s->assumed = 1;
		return remembered_kind(s, family == CALL_WRITE);
	}
	s->file = number;
	s->file_family = family;
	return looked_kind(s, file_of(task, number), family, io, blocked);
}

/* Looks at the file of a wait that was taken for the one before; the task still sleeps. */
static __noinline void make_sure(struct ledger_account *s, struct task_struct *task)
{
	struct file *file = file_of(task, s->file);
	struct socket *socket = BPF_CORE_READ(file, private_data);
	u64 to = s->file_type == FILE_PIPE ? (u64)socket : (u64)BPF_CORE_READ(socket, sk);
	s->assumed = 0;
	if (to != s->file_to)
		s->kind = looked_kind(s, file, s->file_family, false, false);
}
