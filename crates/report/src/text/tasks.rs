//! Who: tasks named so that an administrator knows them.

use heldup_model::TaskShare;

use crate::quantity::{count, seconds};

/// Name under which the ledger sums up the tasks beyond its first 20.
pub(crate) const OTHERS: &str = "(others)";

/// Tasks of one name taken together: name, number of tasks, seconds; largest first.
pub(crate) fn by_name(tasks: &[TaskShare]) -> Vec<(String, usize, f64)> {
    let mut merged: Vec<(String, usize, f64)> = Vec::new();
    for task in tasks {
        let spent = task.seconds.unwrap_or(0.0);
        match merged.iter_mut().find(|(name, ..)| *name == task.name) {
            Some((_, tasks, sum)) => {
                *tasks += 1;
                *sum += spent;
            }
            None => merged.push((task.name.clone(), 1, spent)),
        }
    }
    // What is left over comes last, however much it is: it is nobody.
    merged.sort_by(|a, b| (a.0 == OTHERS).cmp(&(b.0 == OTHERS)).then(b.2.total_cmp(&a.2)));
    merged
}

/// Up to `most` tasks as `fio (4410, build.service) 2.8 s, cp (4411)`, and how many more.
pub(crate) fn list(tasks: &[TaskShare], most: usize) -> String {
    let mut named: Vec<String> = Vec::new();
    let merged = by_name(tasks);
    for (name, number, spent) in merged.iter().take(most) {
        named.push(one(tasks, name, *number, *spent));
    }
    let left = merged.len().saturating_sub(most);
    if left > 0 {
        named.push(format!("{} more", count(left as i64)));
    }
    named.join(", ")
}

/// One name with what tells it from others of that name.
fn one(tasks: &[TaskShare], name: &str, number: usize, spent: f64) -> String {
    let of_name = || tasks.iter().filter(|task| task.name == name);
    let mut details: Vec<String> = Vec::new();
    if number > 1 {
        details.push(format!("{}\u{a0}tasks", count(number as i64)));
    } else if let Some(id) = of_name().find_map(|task| task.tid.or(task.pid)) {
        details.push(id.to_string());
    }
    if let Some(home) = shared_home(of_name().collect()) {
        details.push(home);
    }
    let mut text = name.to_owned();
    if !details.is_empty() && name != OTHERS {
        text += &format!(" ({})", details.join(", "));
    }
    if spent > 0.0 {
        text += &format!(" {}", seconds(spent));
    }
    if let Some(role) = of_name().find_map(|task| task.role.as_ref()) {
        text += &format!(" {role}");
    }
    text
}

/// The unit, or else the last part of the control group, when all the tasks share it.
fn shared_home(tasks: Vec<&TaskShare>) -> Option<String> {
    let home = |task: &TaskShare| {
        task.unit.clone().or_else(|| {
            let group = task.cgroup.as_deref()?.trim_end_matches('/');
            group.rsplit('/').next().filter(|leaf| !leaf.is_empty()).map(str::to_owned)
        })
    };
    let first = home(tasks.first()?)?;
    tasks.iter().all(|task| home(task).as_deref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, tid: i64, cgroup: &str, seconds: f64) -> TaskShare {
        let (tid, cgroup) = (Some(tid), Some(cgroup.to_owned()));
        TaskShare { name: name.to_owned(), tid, cgroup, seconds: Some(seconds), ..TaskShare::default() }
    }

    #[test]
    fn tasks_of_a_name_are_one() {
        let tasks = [
            task("pg", 1, "/a/pg.service", 1.0),
            task(OTHERS, 0, "/", 9.0),
            task("fio", 4, "/", 2.5),
            task("pg", 2, "/a/pg.service", 1.0),
        ];
        assert_eq!(
            list(&tasks, 2).replace('\u{a0}', " "),
            "fio (4) 2.5 s, pg (2 tasks, pg.service) 2 s, 1 more"
        );
        assert_eq!(by_name(&tasks)[2].0, OTHERS);
    }

    #[test]
    fn a_role_says_what_it_did() {
        let mut one = task("fio", 4, "", 0.0);
        one.role = Some("900 creates a second".to_owned());
        assert_eq!(list(&[one], 3), "fio (4) 900 creates a second");
    }
}
