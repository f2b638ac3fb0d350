/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The thing that a wait is about: a file's device and inode, a futex, a peer. */
#pragma once

static __always_inline void inode_object(struct ledger_object *o, struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	u32 type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	if (type == S_IFBLK) {
		o->kind = OBJECT_DEVICE;
		o->b = BPF_CORE_READ(inode, i_rdev);
	} else if (type == S_IFREG || type == S_IFDIR) {
		o->kind = OBJECT_INODE;
		o->a = BPF_CORE_READ(inode, i_ino);
		o->b = BPF_CORE_READ(inode, i_sb, s_dev);
	}
}

/*
 * The local port, where somebody has bound it: a server's, and that of a few clients. A port
 * that connect() chose is marked with -1 (net/ipv4/inet_hashtables.c, __inet_hash_connect;
 * 4.4 to 6.18), and then nobody can listen there.
 */
static __always_inline u16 bound_port(struct sock *sock)
{
	struct inet_connection_sock *connection = (void *)sock;
	if (BPF_CORE_READ(connection, icsk_bind_hash, fastreuse) < 0)
		return 0;
	return BPF_CORE_READ(sock, __sk_common.skc_num);
}

static __always_inline void peer_object(struct ledger_object *o, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	if (!sock)
		return;
	u16 family = BPF_CORE_READ(sock, __sk_common.skc_family);
	if (family == AF_UNIX) {
		struct pid *peer = BPF_CORE_READ(sock, sk_peer_pid);
		o->kind = OBJECT_UNIX;
		o->a = BPF_CORE_READ(peer, numbers[0].nr);
		return;
	}
	o->local_port = bound_port(sock);
	o->remote_port = __builtin_bswap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	if (family == AF_INET) {
		o->kind = OBJECT_TCP4;
		o->a = BPF_CORE_READ(sock, __sk_common.skc_daddr);
	} else if (family == AF_INET6) {
		o->kind = OBJECT_TCP6;
		bpf_core_read(&o->a, 16, &sock->__sk_common.skc_v6_daddr);
	}
}

/*
 * What a thread of the kernel works for. A work queue of a loop device, of dm-crypt or of a file system has
 * its device's name or number in its own name, and write-back says the device of each piece of work.
 */
static __always_inline void work_object(struct ledger_object *o, struct task_struct *task)
{
	o->kind = OBJECT_WORK;
	if (!(task->flags & PF_WQ_WORKER)) {
		bpf_probe_read_kernel(&o->a, sizeof(task->comm), task->comm);
		return;
	}
	/* Before 5.17 the thread's own structure is elsewhere. */
	if (!bpf_core_field_exists(task->worker_private))
		return;
	struct kthread *thread = BPF_CORE_READ(task, worker_private);
	struct worker *worker = BPF_CORE_READ(thread, data);
	bpf_probe_read_kernel(&o->a, LEDGER_WORK_NAME, worker->desc);
}

/* include/uapi/linux/aio_abi.h and the ring of fs/aio.c, which lies in the program's own memory */
#define IOCB_FILE 20
#define AIO_RING_HEADER 32
#define AIO_EVENT 32
#define AIO_EVENT_IOCB 8

struct aio_ring_begin {
	u32 id, events, head, tail;
};

/* The file of a request that the program has made: -1 where it cannot be read. */
static __always_inline s32 file_of_iocb(u64 at)
{
	u64 iocb = 0;
	s32 fd = -1;
	if (!bpf_probe_read_user(&iocb, sizeof(iocb), (void *)at))
		bpf_probe_read_user(&fd, sizeof(fd), (void *)(iocb + IOCB_FILE));
	return fd;
}

/* Of the last event that came: the kernel keeps no list of those that are to come. */
static __always_inline s32 file_of_last_event(u64 context)
{
	struct aio_ring_begin ring = {};
	if (bpf_probe_read_user(&ring, sizeof(ring), (void *)context) || !ring.events)
		return -1;
	u64 last = (ring.tail ? ring.tail : ring.events) - 1;
	return file_of_iocb(context + AIO_RING_HEADER + last * AIO_EVENT + AIO_EVENT_IOCB);
}

#define IORING_SETUP_SQE128 (1 << 10)
#define IORING_ENTER_REGISTERED_RING (1 << 4)
#define IOSQE_FIXED_FILE 1
#define SQE_BYTES 64

struct sqe_begin {
	u8 opcode, flags;
	u16 priority;
	s32 fd;
};

/* Of the request that was given to the ring last. */
static __always_inline s32 file_of_last_sqe(struct task_struct *task, struct pt_regs *regs)
{
	struct file *file = regs->r10 & IORING_ENTER_REGISTERED_RING ? 0 : file_of(task, regs->di);
	struct io_ring_ctx *ring = file ? BPF_CORE_READ(file, private_data) : 0;
	if (!ring)
		return -1;
	u64 at = (BPF_CORE_READ(ring, cached_sq_head) - 1) & (BPF_CORE_READ(ring, sq_entries) - 1);
	if (BPF_CORE_READ(ring, flags) & IORING_SETUP_SQE128)
		at *= 2;
	struct sqe_begin sqe = {};
	void *all = BPF_CORE_READ(ring, sq_sqes);
	if (bpf_probe_read_kernel(&sqe, sizeof(sqe), all + at * SQE_BYTES) || (sqe.flags & IOSQE_FIXED_FILE))
		return -1;
	return sqe.fd;
}

/*
 * The file of a program's own requests that it has described in its own memory, which can be read only while it
 * is on its CPU: now and then as it leaves it. When its wait is told, another task's memory is there.
 */
static __noinline int note_requests(struct ledger_account *s, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 call = regs->orig_ax;
	if (call != CALL_IO_SUBMIT && call != CALL_IO_GETEVENTS && call != CALL_IO_PGETEVENTS)
		return 0;
	if (s->since - s->looked < late_ns)
		return 0;
	s->looked = s->since;
	s->requests = call == CALL_IO_SUBMIT ? file_of_iocb(regs->dx) : file_of_last_event(regs->di);
	return 0;
}

/* The number of the file of a program's own asynchronous requests; -1 where that is not known. */
static __noinline s32 file_of_requests(struct ledger_account *s, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 call = regs->orig_ax;
	if (call == CALL_IO_URING_ENTER)
		return file_of_last_sqe(task, regs);
	bool noted = call == CALL_IO_SUBMIT || call == CALL_IO_GETEVENTS || call == CALL_IO_PGETEVENTS;
	return noted && s->looked ? s->requests : -1;
}

/* The object of a wait in `kind`; the registers still hold the call's arguments. */
static __noinline void object_of(struct ledger_object *o, struct ledger_account *s, struct task_struct *task,
				      u8 kind)
{
	if (task->flags & PF_KTHREAD)
		work_object(o, task);
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return;
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 fd = regs->orig_ax == CALL_SENDFILE ? regs->si : regs->di;
	if (kind == KIND_FUTEX_LOCK || kind == KIND_FUTEX_TWO) {
		o->kind = OBJECT_FUTEX;
		o->a = regs->di;
		return;
	}
	if (kind == KIND_FUTEX_CONDITION) {
		o->kind = OBJECT_FUTEX;
		o->a = CONDITION_OF(s->futex);
		return;
	}
	if (kind == KIND_ASYNC || kind == KIND_OTHER_IO || kind == KIND_OTHER_BLOCKED) {
		s32 requests = file_of_requests(s, task);
		struct file *file = requests < 0 ? 0 : file_of(task, requests);
		if (file)
			inode_object(o, file);
		return;
	}
	bool peer = kind == KIND_PEER;
	if (!peer && kind != KIND_READ_IO && kind != KIND_WRITE_IO && kind != KIND_SYNC && kind != KIND_READ_BLOCKED &&
	    kind != KIND_WRITE_BLOCKED && kind != KIND_FILE_SLEEP && kind != KIND_FILE_LOCK)
		return;
	struct file *file = file_of(task, fd);
	if (!file)
		return;
	if (peer)
		peer_object(o, file);
	else
		inode_object(o, file);
}
