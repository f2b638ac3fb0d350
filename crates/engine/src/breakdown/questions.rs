//! The questions of a breakdown: constants, whose parameters are bound.
//!
//! Each begins with the rows that it is about, `part`: `time`, `pid`, `process_name`, `class_name`, `amount`,
//! `waits`, and of what is told together how many processes it was (`together`); `by_process` is 0 where a row does not
//! say whose it is.

/// The questions to one kind of rows.
pub struct Questions {
    /// The rows themselves: what says which tables and columns are needed.
    pub part: &'static str,
    /// By program and class.
    pub programs: &'static str,
    /// Parts of the window, each with what was most in it; `:since` and `:step` are bound.
    pub parts: &'static str,
    /// Stacks as lines of frames, with microseconds; of calls how many.
    pub stacks: &'static str,
}

/// The rows of seconds by task, of the classes `:classes`.
macro_rules! seconds {
    () => {
        "select time, pid, process_name, class_name, seconds as amount, waits, 0 as together, 1 as by_process \
         from task_time where instr(:classes, ',' || class_name || ',') and kernel_thread is not 1"
    };
}

/// The same by the minute.
macro_rules! minutes {
    () => {
        "select time, pid, process_name, class_name, seconds as amount, waits, \
                coalesce(minute_processes, 0) as together, 1 as by_process \
         from task_time_minute where instr(:classes, ',' || class_name || ',') and kernel_thread is not 1"
    };
}

/// The rows of stacks, of all devices or of `:device`.
macro_rules! stacks {
    () => {
        "select time, pid, process_name, class_name, object_kind, object_name, object_device, syscall, waker_name, \
                kernel_stack, user_stack, seconds as amount, samples as waits, 0 as together, 1 as by_process \
         from stack where instr(:classes, ',' || class_name || ',') and kernel_thread is not 1 \
                      and (:device is null or object_device = :device)"
    };
}

/// The rows of system calls.
macro_rules! calls {
    () => {
        "select time, pid, name as process_name, syscall || coalesce(' ' || error_name, '') as class_name, \
                calls as amount, null as waits, 0 as together, 1 as by_process from system_call"
    };
}

/// The same of those processes that tables which say of which group they are were cut to.
macro_rules! calls_of_focus {
    () => {
        concat!(calls!(), " where pid in (select pid from task_time union select pid from process)")
    };
}

/// Calls by the minute. Who made a call seldom is told together in each: nobody knows who is the same.
macro_rules! calls_of_minutes {
    () => {
        "select time, pid, name as process_name, syscall || coalesce(' ' || error_name, '') as class_name, \
                calls as amount, null as waits, 0 as together, 0 as by_process from system_call_minute"
    };
}

/// Stacks as lines of frames with microseconds.
macro_rules! frames {
    () => {
        concat!(
            "with part as materialized (",
            stacks!(),
            ") select coalesce(process_name, '?') || ';' || class_name || coalesce(';' || nullif(user_stack, ''), '') \
                      || coalesce(';' || nullif(kernel_stack, ''), ''), \
                      cast(round(sum(amount) * 1e6) as integer) \
             from part group by 1 order by 1"
        )
    };
}

/// Programs and calls as frames, with how many calls.
macro_rules! frames_of_calls {
    ($part:expr) => {
        concat!(
            "with part as materialized (",
            $part,
            ") select process_name || ';' || class_name, cast(sum(amount) as integer) from part group by 1 order by 1"
        )
    };
}

macro_rules! questions {
    ($part:expr, $stacks:expr) => {
        Questions {
            part: $part,
            programs: concat!(
                "with part as materialized (",
                $part,
                ") select sum(amount), process_name, \
                          case when min(by_process) then count(distinct pid) + sum(together) end, \
                          class_name, sum(waits) \
                   from part group by process_name, class_name having sum(amount) > 0 order by 1 desc"
            ),
            // A sample's time is its end: one on a limit belongs to the part that ends there.
            parts: concat!(
                "with part as materialized (",
                $part,
                "), one as (select max(time - 1 - :since, 0) / :step * :step + :since as at, process_name, class_name, \
                                   sum(amount) as amount from part group by 1, 2, 3) \
                 select at, sum(amount), process_name, class_name, max(amount) \
                 from one group by at having sum(amount) > 0 order by at"
            ),
            stacks: $stacks,
        }
    };
}

/// Of tasks, by the second.
pub const SECONDS: Questions = questions!(seconds!(), frames!());
/// Of tasks, by the minute.
pub const MINUTES: Questions = questions!(minutes!(), frames!());
/// Of one device, which stacks alone name.
pub const OF_DEVICE: Questions = questions!(stacks!(), frames!());
/// Of system calls.
pub const CALLS: Questions = questions!(calls!(), frames_of_calls!(calls!()));
/// Of system calls of a focus.
pub const CALLS_OF_FOCUS: Questions = questions!(calls_of_focus!(), frames_of_calls!(calls_of_focus!()));
/// Of system calls by the minute.
pub const CALLS_OF_MINUTES: Questions =
    questions!(calls_of_minutes!(), frames_of_calls!(calls_of_minutes!()));

/// The rows of stacks themselves.
pub const STACKS: &str = stacks!();
/// By object and the function of the kernel that waited last.
pub const PLACES: &str = concat!(
    "with part as materialized (",
    stacks!(),
    ") select sum(amount), class_name, process_name, syscall, coalesce(object_name, object_device), waker_name, \
              kernel_stack \
       from part group by class_name, process_name, syscall, 5, waker_name, kernel_stack \
       having sum(amount) > 0 order by 1 desc"
);
/// All stacks with their objects, whatever they count: a flame graph sorts them by what they are.
pub const FULL_STACKS: &str = "select coalesce(process_name, name), nullif(class_name, ''), syscall, user_stack, \
            kernel_stack, coalesce(object_name, object_device), waker_name, kind, sum(seconds), sum(samples) \
     from stack where kernel_thread is not 1 and (:device is null or object_device = :device) \
     group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8";
/// Functions of listings without callers.
pub const FUNCTIONS: &str = "select process_name, image_name, function_name, sum(samples), sum(self_share), \
            count(inclusive_share) from profile \
     where counted = 'cpu' group by 1, 2, 3 order by 1, 2, 3";
