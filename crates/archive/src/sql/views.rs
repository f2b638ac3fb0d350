//! Views that every database has: totals over the window that rules and people ask for.

/// A view and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Name, as in SQL.
    pub name: &'static str,
    /// What one row is and what it means.
    pub meaning: &'static str,
    /// Its SELECT; empty for `window_span`, which each capture fills with its own span.
    pub select: &'static str,
}

/// The views, each after those that it uses.
pub const VIEWS: &[View] = &[
    View {
        name: "window_span",
        meaning: "One row: since_ms, until_ms, secs, cpus, samples, has_intervals. The window of the capture; secs is \
                  the recorded time without gaps; cpus (online) is NULL if no table has their number; has_intervals \
                  is 0 for a recording that does not say how long its samples are apart: seconds count samples then",
        select: "",
    },
    View {
        name: "active_time",
        meaning: "One row: running_s, waiting_s, active_s, denominator_s, least_s. Active time of the window \
                  without kernel threads. The denominator of a cost is active time, at least a quarter of a task \
                  over the window, so that one wait on an idle machine is not 100 %. For a recording without task \
                  times, running_s is CPU time and waiting_s is NULL. least_s is the smallest time worth a \
                  finding: 1 % of the denominator, in which the run queue counts at most as much as running, so \
                  that a long run queue hides no other wait",
        select: "
            select running_s, waiting_s, running_s + waiting_s as active_s,
                   max(running_s + waiting_s, 0.25 * w.secs) as denominator_s,
                   0.01 * max(running_s + waiting_s - max(queue_s - running_s, 0.0),
                              0.25 * w.secs) as least_s
            from window_span w cross join (select total(seconds) filter (where group_name = 'running') as running_s,
                         total(seconds) filter (where group_name = 'waiting') as waiting_s,
                         total(seconds) filter (where class_name = 'cpu_queue') as queue_s
                  from task_time where kernel_thread is not 1) as sums",
    },
    View {
        name: "cpu_busy",
        meaning: "One row for each CPU and sample: time, secs, host, cpu_idx, busy_s, idle_s. From the ledger, \
                  else from the kernel's tick, without samples in which idle, user or system time is missing",
        select: "
            select time, secs, host, cpu_idx, busy_s, idle_s from cpu_time
            union all
            select time, secs, host, cpu_idx,
                   coalesce(user_s, 0.0) + coalesce(nice_s, 0.0) + coalesce(system_s, 0.0) + coalesce(irq_s, 0.0)
                       + coalesce(softirq_s, 0.0) + coalesce(steal_s, 0.0),
                   idle_s + coalesce(iowait_s, 0.0)
            from cpu
            where idle_s is not null
                  and (user_s is not null or not exists (select 1 from cpu where user_s is not null))
                  and (system_s is not null or not exists (select 1 from cpu where system_s is not null))
                  and not exists (select 1 from cpu_time)",
    },
    View {
        name: "disk_stack",
        meaning: "One row for each block device and device below it, at any depth: top, under. As /sys has it; of a \
                  recording also from names of partitions, and from figures that are the same in each interval",
        select: "
            with recursive device as materialized (
                select device, max(parent) as parent, max(backing) as backing from disk group by device),
            edge as materialized (
                select top.device as top, under.device as under
                from device top join device under
                  on under.device = top.parent or instr(' ' || top.backing || ' ', ' ' || under.device || ' ') > 0),
            stands_on(top, under) as (
                select top, under from edge
                union
                select stands_on.top, edge.under from stands_on join edge on edge.top = stands_on.under)
            select top, under from stands_on",
    },
    View {
        name: "listed_use",
        meaning: "One row for all CPUs together (subject host) and for each process or thread whose CPU use a listing prints \
                  in percent (table listed_cpu): host, subject, number, name, pid, covers, used_cpus, used_share, \
                  idle_share, iowait_share, nice_share, steal_share. Screens that cover an interval count, as their \
                  mean; without those the last listing",
        select: "
            with ranked as materialized (
                select *, case covers when 'interval' then 1 when 'recent' then 2 when 'first' then 3 else 4 end as rank from listed_cpu),
            chosen as materialized (
                select subject, min(rank) as rank from ranked group by subject),
            span as materialized (
                select r.subject, r.rank, max(r.time) as last_time, count(distinct r.time) as screens
                from chosen c join ranked r on r.subject = c.subject and r.rank = c.rank
                group by r.subject)
            select max(r.host) as host, r.subject, r.number, max(r.name) as name, max(r.pid) as pid, max(r.covers) as covers,
                   sum(r.used_cpus) / max(iif(r.rank = 1, s.screens, 1)) as used_cpus,
                   sum(r.used_share) / max(iif(r.rank = 1, s.screens, 1)) as used_share,
                   avg(r.idle_share) as idle_share, avg(r.iowait_share) as iowait_share, avg(r.nice_share) as nice_share,
                   avg(r.steal_share) as steal_share
            from span s join ranked r on r.subject = s.subject and r.rank = s.rank
            where r.rank = 1 or r.time = s.last_time
            group by r.subject, r.number",
    },
    View {
        name: "db_idle_event",
        meaning: "One row for each pattern: pattern (glob). Wait events of db_wait in which a session or process of a \
                  database has nothing to do: clients that send nothing, timers, idle servers, and events of MySQL \
                  that contain other waits",
        select: "
            select column1 as pattern from (values
                    ('SQL[*]Net message from clien*'), ('SQL[*]Net vector message*'), ('rdbms ipc message*'),
                    ('*timer'), ('*idle*'), ('Streams AQ: q*'), ('Streams AQ: wait*'), ('Streams capture:*'),
                    ('pipe get'), ('null event'), ('virtual circuit*'), ('wakeup time manager*'),
                    ('jobq slave*'), ('PX Deq*'), ('PX Idle*'), ('KSV master wait'), ('class slave wait'),
                    ('single-task message'), ('i/o slave wait'), ('gcs remote message'), ('ges remote message'),
                    ('*sleep*'), ('HS message to agent'), ('queue messages'), ('LNS ASYNC*'), ('LogMiner*'),
                    ('*wait for unread message*'), ('parallel recovery*'), ('VKTM*'), ('PL/SQL lock timer*'),
                    ('lock manager wait for remote message'), ('PING'), ('heartbeat*'), ('wait/synch/cond/*'),
                    ('wait/io/socket/*'), ('wait/io/table/*'), ('*main loop'), ('MRP redo arrival'),
                    ('OJVM: Generic'), ('AQPC*'), ('LGWR real time apply sync'))",
    },
    View {
        name: "class_total",
        meaning: "One row for each class of time: class_name, group_name, seconds, waits, tasks. Task time of the \
                  window without kernel threads",
        select: "
            select class_name, group_name, sum(seconds) as seconds, sum(waits) as waits,
                   count(distinct tid) as tasks
            from task_time where kernel_thread is not 1 group by class_name, group_name",
    },
    View {
        name: "task_total",
        meaning: "One row for each task and class: tid, start_ms, pid, name, process_name, kernel_thread, cgroup, \
                  unit, container, class_name, group_name, seconds, waits, lasting_s, last_ms. Task time of the \
                  window; lasting_s is the length of the samples in which the class took more than 1 %; names are \
                  those of the last sample",
        select: "
            select tid, start_ms, pid, name, process_name, kernel_thread, cgroup, unit, container,
                   class_name, group_name, sum(seconds) as seconds, sum(waits) as waits,
                   total(secs) filter (where seconds > 0.01 * secs) as lasting_s, max(time) as last_ms
            from task_time group by tid, start_ms, class_name",
    },
    View {
        name: "process_wait",
        meaning: "One row for each process and class of waiting: pid, class_name, process_name, cgroup, unit, \
                  wait_s, waits, each_s, threads, lasting_s. lasting_s is lasted() of its waits: how long they \
                  went on, so that many threads in one short pile-up do not count as a long one",
        select: "
            select pid, class_name, max(process_name) as process_name, max(cgroup) as cgroup, max(unit) as unit,
                   sum(seconds) as wait_s, sum(waits) as waits, ratio(sum(seconds), sum(waits)) as each_s,
                   max(threads) as threads, lasted(time, secs, seconds) as lasting_s
            from (select pid, class_name, time, max(secs) as secs, max(process_name) as process_name,
                         max(cgroup) as cgroup, max(unit) as unit, sum(seconds) as seconds, sum(waits) as waits,
                         count(distinct tid) as threads
                  from task_time where group_name = 'waiting' and kernel_thread is not 1
                  group by pid, class_name, time)
            group by pid, class_name",
    },
    View {
        name: "process_group",
        meaning: "One row for each process of the window: pid, cgroup, unit, cgroup_cpu, cgroup_memory, \
                  cgroup_io, cgroup_pids. Its last control group in the hierarchy of each controller, also for \
                  ended processes (a zombie does not count, because the kernel has moved it to the roots). With \
                  one hierarchy (v2), the group in the ledger is the group of each controller",
        select: "
            select pid, last_at(cgroup, time) as cgroup, last_at(unit, time) as unit, last_at(cgroup_cpu, time) as cgroup_cpu,
                   last_at(cgroup_memory, time) as cgroup_memory, last_at(cgroup_io, time) as cgroup_io,
                   last_at(cgroup_pids, time) as cgroup_pids
            from (select pid, time, cgroup, unit, cgroup_cpu, cgroup_memory, cgroup_io, cgroup_pids from process
                  where state is not 'Z'
                  union all
                  select pid, time, cgroup, null, cgroup, cgroup_memory, cgroup_io, cgroup_pids from ended_process
                  union all
                  select pid, null, cgroup, unit, cgroup, of_all, of_all, of_all
                  from (select pid, max(cgroup) as cgroup, max(unit) as unit,
                               case when (select total(version = 'v1') from cgroup) = 0 then max(cgroup) end as of_all
                        from task_time where cgroup is not null group by pid))
            where pid is not null
            group by pid",
    },
    View {
        name: "object_total",
        meaning: "One row for each process, class of waiting (and peer) and object: pid, class_name, \
                  process_name, cgroup, unit, object, object_kind, object_name, object_device, object_inode, \
                  seconds, waits, share. Seconds and waits of task_time over the window, divided in proportion to \
                  object_time (without it, stack); share is the part of the process's wait in the class. object \
                  is the whole disk for disk, swap and dirty-page classes, else object_name; NULL if unknown or \
                  if the class has none",
        select: "
            with whole as materialized (
                select device, max(coalesce(parent, device)) as whole from disk group by device),
            waited as materialized (
                select pid, class_name, object_kind, object_name, object_device, object_inode, seconds
                from object_time
                where seconds > 0
                union all
                select pid, class_name, iif(of_disk, iif(object_device is null, null, 'device'), object_kind),
                       iif(of_disk, object_device, object_name), object_device, iif(of_disk, null, object_inode), seconds
                from (select *, class_name glob 'disk_*' or class_name in ('mem_swap_in', 'mem_dirty') as of_disk
                      from stack
                      where kind = 'wait' and seconds > 0
                            and (class_name glob 'disk_*'
                                 or class_name in ('mem_swap_in', 'mem_dirty', 'lock_user', 'lock_kernel', 'lock_inode',
                                                   'lock_file', 'kernel_wait', 'remote_fs', 'peer')))
                where not exists (select 1 from object_time)),
            path as materialized (       -- a file has one name, however it was found
                select object_device, object_inode, max(object_name) as path
                from waited
                where object_inode is not null and object_name glob '/*'
                group by object_device, object_inode),
            named as materialized (
                select w.pid, w.class_name, w.object_kind, coalesce(p.path, w.object_name) as object_name, w.object_device,
                       max(w.object_inode) as object_inode, sum(w.seconds) as seconds
                from waited w
                     left join path p on p.object_inode = w.object_inode and p.object_device is w.object_device
                group by w.pid, w.class_name, w.object_kind, coalesce(p.path, w.object_name), w.object_device),
            part as materialized (
                select *, seconds / sum(seconds) over (partition by pid, class_name) as share from named),
            held as materialized (
                select pid, class_name, max(process_name) as process_name, max(cgroup) as cgroup, max(unit) as unit,
                       sum(seconds) as seconds, sum(waits) as waits
                from task_time
                where group_name in ('waiting', 'peer') and kernel_thread is not 1
                group by pid, class_name)
            select h.pid, h.class_name, h.process_name, h.cgroup, h.unit,
                   iif(p.object_kind = 'device', coalesce(d.whole, p.object_device), p.object_name) as object,
                   p.object_kind, p.object_name, p.object_device, p.object_inode,
                   h.seconds * coalesce(p.share, 1.0) as seconds, h.waits * coalesce(p.share, 1.0) as waits,
                   coalesce(p.share, 1.0) as share
            from held h left join part p on p.pid is h.pid and p.class_name = h.class_name
                 left join whole d on d.device = p.object_device",
    },
    View {
        name: "wait_object",
        meaning: "One row for each user task, class of waiting (and peer) and object: pid, tid, class_name, \
                  process_name, cgroup, unit, object, seconds. The seconds of task_time, divided like those of \
                  its process in object_total",
        select: "
            with held as materialized (
                select pid, tid, class_name, max(process_name) as process_name, max(cgroup) as cgroup, max(unit) as unit,
                       sum(seconds) as seconds
                from task_time
                where group_name in ('waiting', 'peer') and kernel_thread is not 1
                group by pid, tid, class_name),
            part as materialized (
                select pid, class_name, object, sum(share) as share from object_total group by pid, class_name, object)
            select h.pid, h.tid, h.class_name, h.process_name, h.cgroup, h.unit, p.object, h.seconds * p.share as seconds
            from held h join part p on p.pid is h.pid and p.class_name = h.class_name",
    },
    View {
        name: "own_io_rows",
        meaning: "Rows for own_io: process_io, or without it those rows of process whose counts include no \
                  child's I/O",
        select: "
            select time, pid, name, parent_pid, kernel_thread, cgroup, unit, exited, read_bytes, write_bytes,
                   cancelled_write_bytes, read_chars, write_chars, read_calls, write_calls
            from process_io
            union all
            select time, pid, name, parent_pid, kernel_thread, cgroup, unit, 0, read_bytes, write_bytes,
                   cancelled_write_bytes, read_chars, write_chars, read_calls, write_calls
            from process
            where coalesce(child_minor_faults, 0) = 0 and not exists (select 1 from process_io)",
    },
    View {
        name: "own_io",
        meaning: "One row for each process that read or wrote: pid, who, name, cgroup, unit, kernel_thread, \
                  parent_pid, parent_name, exited, read_bytes, write_bytes, cancelled_write_bytes, read_chars, \
                  write_chars, read_calls, write_calls. I/O of its own threads in the window, never of its \
                  children. With the ledger also ended processes; without it, from /proc/PID/io, only processes \
                  that waited for no child meanwhile. who combines processes of one program in one group: name \
                  and cgroup. parent_name is the nearest ancestor with another name; NULL for the first process",
        select: "
            with own as materialized (
                select pid, last_at(name, time) as name, last_at(cgroup, time) as cgroup, last_at(unit, time) as unit,
                       max(kernel_thread) as kernel_thread, last_at(parent_pid, time) as parent_pid, max(exited) as exited,
                       sum(read_bytes) as read_bytes, sum(write_bytes) as write_bytes,
                       sum(cancelled_write_bytes) as cancelled_write_bytes, sum(read_chars) as read_chars,
                       sum(write_chars) as write_chars, sum(read_calls) as read_calls, sum(write_calls) as write_calls
                from own_io_rows
                group by pid),
            called as materialized (
                select pid, max(name) as name, max(parent_pid) as parent_pid
                from (select pid, name, parent_pid from process union all select pid, name, parent_pid from own)
                where pid > 1 and name is not null
                group by pid)
            select o.pid, coalesce(o.name, o.pid) || coalesce(' in ' || o.cgroup, '') as who,
                   o.name, o.cgroup, o.unit, o.kernel_thread, o.parent_pid,
                   case when o.kernel_thread then null
                        when c.name <> o.name then c.name
                        when g.name <> o.name then g.name end as parent_name, o.exited,
                   o.read_bytes, o.write_bytes, o.cancelled_write_bytes, o.read_chars, o.write_chars, o.read_calls, o.write_calls
            from own o left join called c on c.pid = o.parent_pid left join called g on g.pid = c.parent_pid",
    },
    View {
        name: "disk_wait_group",
        meaning: "One row for each device, controller (memory, io) and control group below the root: \
                  object_device, controller, path, seconds, share. Share of the waits for a device by processes \
                  of the group: its limit may be the reason that the device looks slow or full",
        select: "
            with waited as materialized (
                select object_device, pid, sum(seconds) as seconds
                from object_total
                where object_kind = 'device' and object_device is not null
                group by object_device, pid),
            in_all as materialized (select object_device, sum(seconds) as seconds from waited group by object_device),
            member as materialized (
                select pid, 'memory' as controller, coalesce(cgroup_memory, cgroup) as path from process_group
                union all
                select pid, 'io', cgroup_io from process_group)
            select w.object_device, m.controller, m.path, sum(w.seconds) as seconds,
                   sum(w.seconds) / max(a.seconds) as share
            from waited w join member m on m.pid = w.pid join in_all a on a.object_device = w.object_device
            where m.path <> '/'
            group by w.object_device, m.controller, m.path",
    },
    View {
        name: "queue_group",
        meaning: "One row for each control group below the root whose tasks waited in the run queue: path, \
                  seconds, share of all run-queue waits of user tasks",
        select: "
            select path, seconds, seconds / in_all_s as share
            from (select cgroup as path, sum(seconds) as seconds, sum(sum(seconds)) over () as in_all_s
                  from task_time where class_name = 'cpu_queue' and kernel_thread is not 1 group by cgroup)
            where path <> '/' and in_all_s > 0",
    },
    View {
        name: "accounted",
        meaning: "One row for each task, class, object and finding: pid, tid, class_name, object, finding (its \
                  key), seconds. Time of task_time that the findings explain, each second once; filled only for \
                  rules with after_others, else empty",
        select: "
            select null as pid, null as tid, null as class_name, null as object, null as finding, 0.0 as seconds
            where false",
    },
    View {
        name: "examined",
        meaning: "One row: subject_kind, subject_name, focus_option. The subject of the examination: the host, or \
                  the focus, with the option that selects it",
        select: "
            select 'host' as subject_kind, max(name) as subject_name, '' as focus_option from host",
    },
    View {
        name: "recorded_wait",
        meaning: "One row for each class of waiting and source in a recording with kernel stacks; how: hung (hung \
                  tasks found by the kernel), seen (tasks that sysrq showed, within a minute), counted (lock_stat \
                  and latency_stats, since counting began). Columns: host, class_name, how, rank, tasks, shown \
                  (all waiting tasks in that minute), longest_s, waits, wait_s, share (of shown, or of all \
                  counted time), who, asker (of a lock), state (in words), amount, amount_unit, impact_kind, \
                  lasting_s, is_much: any hung task; three tasks that are half of shown; ten seconds that are a \
                  quarter of the counted time",
        select: "
            with held as materialized (
                select host, time / 60000 as minute, time, class_name, tid, name, samples, seconds, kernel_thread,
                       case when object_kind in ('lock', 'function') then object_name end as asker,
                       case when seconds is null then 'seen' when tid is null then 'counted' else 'hung' end as how
                from stack
                where kind = 'wait' and class_name is not null
                      and class_name not in ('timer', 'poll', 'accept', 'read', 'child', 'park', 'stopped', 'peer', 'unknown')),
            moment as materialized (
                select class_name, minute, max(host) as host, min(name) as who, max(asker) as asker,
                       iif(count(tid) > 0, count(distinct tid), sum(samples) / count(distinct time)) as tasks
                from held
                where how = 'seen' and kernel_thread is not 1
                group by class_name, minute),
            shown as materialized (select minute, sum(tasks) as shown from moment group by minute),
            line as materialized (       -- SQLite's max(): names are of the same row
                select max(host) as host, class_name, how, 1 as rank, count(distinct tid) as tasks, null as shown,
                       max(seconds) as longest_s, null as waits, null as wait_s, null as share, name as who, asker
                from held
                where how = 'hung'
                group by class_name
                union all
                select m.host, m.class_name, 'seen', 2, max(m.tasks), s.shown, null, null, null,
                       ratio(max(m.tasks), s.shown), m.who, m.asker
                from moment m join shown s on s.minute = m.minute
                group by m.class_name
                union all
                select max(host), class_name, how, 3, null, null, max(seconds / samples), sum(samples), sum(seconds),
                       ratio(sum(seconds), (select sum(seconds) from held where how = 'counted' and kernel_thread is not 1)),
                       null, asker
                from held
                where how = 'counted' and kernel_thread is not 1
                group by class_name)
            select host, class_name, how, rank, tasks, shown, case when how = 'hung' then longest_s end as longest_s,
                   waits, wait_s, share, who, asker,
                   case how when 'hung' then case when tasks = 1 then coalesce(who, 'a task') else tasks || ' tasks' end
                                             || ' waited ' || cast(longest_s as integer) || ' s or longer'
                            when 'seen' then tasks || ' of ' || shown || ' waiting tasks'
                            else cast(waits as integer) || ' waits of '
                                 || printf('%.1f', 1000.0 * wait_s / waits) || ' ms each'
                   end as state,
                   case how when 'hung' then longest_s when 'seen' then tasks else wait_s end as amount,
                   case how when 'hung' then 's of the recording' when 'seen' then 'tasks' else 's' end as amount_unit,
                   case how when 'hung' then 'time' else 'risk' end as impact_kind,
                   case how when 'hung' then longest_s else 0.0 end as lasting_s,
                   case how when 'hung' then 1 when 'seen' then tasks >= 3 and share >= 0.5
                            else wait_s >= 10.0 and share >= 0.25 end as is_much
            from line",
    },
    View {
        name: "code_share",
        meaning: "One row for each event, program and function of a CPU profile or of CPU samples: host, sampled (cpu; another \
                  event; empty if unknown), program, function, image, is_kernel, samples, self_share, \
                  inclusive_share (with callees), own_share, path, callers, has_stacks. Shares are of the samples of all programs without idle \
                  CPUs, by period if recorded. own_share: samples of which no function further in has a tenth of \
                  all; path: the callers of most of these, outermost first; callers: the direct ones if they \
                  differ. From stack, and from profile",
        select: "
            with sampled as materialized (
                select coalesce(kind, '') as sampled, host, pid, tid, process_name, coalesce(name, process_name) as name,
                       coalesce(user_stack, '') as user_stack, coalesce(kernel_stack, '') as kernel_stack, samples, events
                from stack
                where kind is not 'wait' and kind is not 'off-cpu' and coalesce(kind, '') not glob 'sched:*' and samples > 0
                      and tid is not 0 and not is_idle_stack(user_stack, kernel_stack)),
            program as materialized (    -- a process is called after its first thread, if it has samples
                select pid, coalesce(max(process_name), max(name) filter (where tid = pid), min(name)) as program
                from sampled
                where pid is not null
                group by pid),
            total as materialized (
                select sampled, count(events) = count(*) as has_events, total(samples) as samples, total(events) as events
                from sampled
                group by sampled),
            divided as materialized (
                select s.sampled, max(s.host) as host, coalesce(p.program, s.name) as program,
                       hot_code(s.user_stack, s.kernel_stack,
                                iif(t.has_events, ratio(s.events, t.events), ratio(s.samples, t.samples)), s.samples) as functions
                from sampled s join total t on t.sampled = s.sampled left join program p on p.pid = s.pid
                group by s.sampled, coalesce(p.program, s.name)),
            listed as materialized (
                select host, coalesce(counted, '') as sampled, time, coalesce(process_name, image_name) as program, image_name,
                       iif(function_name glob '0x*', '[' || image_name || ']', coalesce(function_name, '[' || image_name || ']'))
                           as function, self_share, iif(function_name glob '0x*', null, inclusive_share) as inclusive_share, samples,
                       code_kind(function_name) is 'idle' as is_idle
                from profile
                where function_name is not null or image_name is not null),
            busy as materialized (       -- shares of a tool are of all samples, also those of idle CPUs
                select sampled, count(distinct time) as listings,
                       count(distinct time) - total(self_share) filter (where is_idle) as busy
                from listed
                group by sampled),
            grouped as materialized (
                select l.sampled, max(l.host) as host, l.program, max(l.image_name) as image_name, l.function,
                       ratio(sum(l.self_share), max(b.busy)) as self_share, sum(l.samples) as samples,
                       ratio(sum(l.inclusive_share), max(b.busy)) as inclusive_share
                from listed l join busy b on b.sampled = l.sampled
                where not l.is_idle and b.busy > 0.0
                group by l.sampled, l.program, l.function),
            found as materialized (
                select sampled, host, program, functions, 1 as has_stacks
                from divided
                union all
                select sampled, max(host), program, hot_listed(function, self_share, inclusive_share, samples), 0
                from grouped
                group by sampled, program),
            line as materialized (
                select f.sampled, f.host, f.program, f.has_stacks, j.value as one
                from found f join json_each(f.functions) j)
            select l.sampled, l.host, l.program, l.one ->> 'function' as function, g.image_name as image,
                   iif(l.has_stacks, l.one ->> 'is_kernel',
                       g.image_name glob '*kernel*' or g.image_name glob 'vmlinu*' or g.image_name = 'unix') as is_kernel,
                   nullif(l.one ->> 'samples', 0.0) as samples,
                   iif(l.has_stacks, l.one ->> 'self_share', g.self_share) as self_share,
                   l.one ->> 'inclusive_share' as inclusive_share, l.one ->> 'own_share' as own_share,
                   l.one ->> 'path' as path, l.one ->> 'callers' as callers, l.has_stacks
            from line l left join grouped g
                 on not l.has_stacks and g.function = l.one ->> 'function' and g.sampled = l.sampled and g.program is l.program",
    },
    View {
        name: "disk_total",
        meaning: "One row for each block device: device, kind, parent, backing, mounts, secs, reads, writes, \
                  flushes, read_bytes, write_bytes, read_s, write_s, flush_s, busy_s, queue_s, read_await_s, \
                  write_await_s, busy_share, queue_depth, last_ms. Sums over the window; awaits are seconds per \
                  request",
        select: "
            select device, kind, parent, backing, mounts, sum(secs) as secs,
                   sum(reads) as reads, sum(writes) as writes, sum(flushes) as flushes,
                   sum(read_bytes) as read_bytes, sum(write_bytes) as write_bytes,
                   sum(read_s) as read_s, sum(write_s) as write_s, sum(flush_s) as flush_s,
                   sum(busy_s) as busy_s, sum(queue_s) as queue_s,
                   ratio(sum(read_s), sum(reads)) as read_await_s,
                   ratio(sum(write_s), sum(writes)) as write_await_s,
                   clamp01(ratio(sum(busy_s), sum(secs) filter (where busy_s is not null))) as busy_share,
                   ratio(sum(queue_s), sum(secs) filter (where queue_s is not null)) as queue_depth,
                   max(time) as last_ms
            from disk group by device",
    },
];

#[cfg(test)]
mod tests {
    use heldup_model::{Class, Group};

    use super::VIEWS;

    #[test]
    fn object_total_names_the_objects_of_the_classes_that_have_one() {
        let view = VIEWS.iter().find(|view| view.name == "object_total").expect("the view");
        let quoted: Vec<&str> = view.select.split('\'').skip(1).step_by(2).collect();
        for class in Class::ALL {
            let by_name = quoted.contains(&class.name()) || class.name().starts_with("disk_");
            assert_eq!(by_name, class.has_object(), "{}", class.name());
        }
    }

    #[test]
    fn recorded_wait_has_the_waiting_classes_and_no_others() {
        let view = VIEWS.iter().find(|view| view.name == "recorded_wait").expect("the view");
        let list = view.select.split("class_name not in (").nth(1).and_then(|rest| rest.split(')').next());
        let left_out: Vec<&str> =
            list.expect("a list").split(", ").map(|name| name.trim_matches('\'')).collect();
        for class in Class::ALL.into_iter().filter(|class| class.group() != Group::Running) {
            let is_left_out = left_out.contains(&class.name());
            assert_eq!(is_left_out, class.group() != Group::Waiting, "{}", class.name());
        }
    }
}
