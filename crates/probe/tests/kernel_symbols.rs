//! Names of kernel functions on the running machine, against its `/proc/kallsyms`.

use heldup_hostfs::{Host, thread_cpu_ns};
use heldup_probe::{KernelSymbols, UNKNOWN_FUNCTION};

#[test]
fn names_agree_with_kallsyms() {
    let host = Host::live();
    let text = host.read_text("/proc/kallsyms").unwrap_or_default();
    // Functions with an address of their own: where two share one, either name is right.
    let mut functions: Vec<(u64, &str)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            (words.next()? == "T").then_some((address, words.next()?))
        })
        .collect();
    functions.sort_unstable();
    functions.dedup_by_key(|(address, _)| *address);
    if functions.len() < 1000 {
        return heldup_skip::skipped("/proc/kallsyms shows no addresses here; needs root");
    }
    let apart: Vec<(u64, &str)> = functions
        .windows(2)
        .filter(|pair| pair[1].0 - pair[0].0 > 64)
        .map(|pair| pair[0])
        .step_by(functions.len() / 3000 + 1)
        .collect();
    let addresses: Vec<u64> = apart.iter().map(|(start, _)| start + 8).collect();

    let mut symbols = KernelSymbols::new(&host);
    let start = thread_cpu_ns();
    let names = symbols.resolve(&addresses);
    let spent = thread_cpu_ns() - start;
    println!("{} names in {} us of CPU, start included", names.len(), spent / 1000);
    let wrong: Vec<String> = apart
        .iter()
        .zip(&names)
        .filter(|((_, expected), name)| name.split('.').next() != expected.split('.').next())
        .map(|((_, expected), name)| format!("{expected}: {name}"))
        .collect();
    // Aliases (two names for one function, such as srso_alias_untrain_ret) may answer for each other.
    assert!(wrong.len() * 100 <= names.len() * 3, "{} of {}: {:?}", wrong.len(), names.len(), wrong.first());
    assert_eq!(&*symbols.resolve(&[1])[0], UNKNOWN_FUNCTION);
}
