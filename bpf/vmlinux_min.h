/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The few kernel types that our programs read, with only the fields that they
 * read. The loader finds the true offsets in the running kernel's BTF (CO-RE), so
 * order and size here mean nothing. A trimmed list instead of the full header
 * keeps its common names (`struct key`) out of the way and the review short.
 *
 * A type of an older kernel ends in ___before_<version>; the loader drops the suffix.
 */
#pragma once

#include <linux/types.h>
#include <linux/bpf.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

enum cgroup_subsys_id {
	cpu_cgrp_id = 1,
	io_cgrp_id,
	memory_cgrp_id,
	pids_cgrp_id
};

struct pt_regs {
	unsigned long r10, dx, si, di, orig_ax, sp;
};

struct thread_info {
	u32 status;
	u32 cpu;
};

struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct sched_info {
	unsigned long long run_delay;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[12];
	struct cgroup *dfl_cgrp;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	u16 i_mode;
	u32 i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
	unsigned int f_flags;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_io_accounting {
	u64 rchar, wchar, syscr, syscw;
	u64 read_bytes, write_bytes, cancelled_write_bytes;
};

struct upid {
	int nr;
};

struct pid {
	struct upid numbers[1];
};

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	u32 skc_daddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	volatile unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
};

typedef struct {
	int counter;
} atomic_t;

typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;

struct sock {
	struct sock_common __sk_common;
	refcount_t sk_wmem_alloc;
	u16 sk_type;
	u16 sk_protocol;
	struct pid *sk_peer_pid;
};

struct socket {
	struct sock *sk;
};

struct inet_bind_bucket {
	signed char fastreuse;
};

struct inet_connection_sock {
	struct inet_bind_bucket *icsk_bind_hash;
	struct {
		u32 lrcvtime;
	} icsk_ack;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 lsndtime;
};

struct unix_address;

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct cpumask {
	unsigned long bits[1];
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	int static_prio;
	unsigned int rt_priority;
	unsigned int policy;
	int nr_cpus_allowed;
	struct cpumask cpus_mask;
	int exit_state;
	struct sched_entity se;
	struct sched_info sched_info;
	bool throttled;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	u64 utime, stime;
	unsigned long nvcsw, nivcsw;
	u64 start_time, start_boottime;
	unsigned long min_flt, maj_flt;
	char comm[16];
	struct files_struct *files;
	struct task_io_accounting ioac;
	struct css_set *cgroups;
	void *worker_private;
};

struct kthread {
	void *data;
};

struct worker {
	char desc[32];
};

struct io_uring_sqe;

struct io_ring_ctx {
	unsigned int flags;
	u32 cached_sq_head;
	unsigned int sq_entries;
	struct io_uring_sqe *sq_sqes;
};

/* `state` became `__state` in 5.14. */
struct task_struct___before_5_14 {
	volatile long state;
};

/* `cpu` moved into thread_info on every architecture in 5.16. */
struct task_struct___before_5_16 {
	unsigned int cpu;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop
