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

/* The object of a wait in `kind`; the registers still hold the call's arguments. */
static __always_inline void object_of(struct ledger_object *o, struct ledger_account *s, struct task_struct *task,
				      u8 kind)
{
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
