//! A compile with as many jobs as CPUs.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::needs::{Need, cpus};
use crate::quiet::{Load, QuietCase, SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase =
    QuietCase { name: "compile", needs: &[Need::Tool("cc"), Need::Tool("make")], seconds: SECONDS, make };

/// Source files, and functions in each: about a tenth of a CPU-second to compile one.
const FILES: usize = 60;
const FUNCTIONS: usize = 150;

fn make() -> Result<Load> {
    let scratch = Scratch::new("compile")?;
    for file in 0..FILES {
        fs::write(scratch.path().join(format!("part{file}.c")), source(file))?;
    }
    // `-B` builds all of them again, as often as the window asks for.
    let rules = "all: $(patsubst %.c,%.o,$(wildcard part*.c))\n\n%.o: %.c\n\tcc -O1 -c -o $@ $<\n";
    fs::write(scratch.path().join("Makefile"), rules)?;
    let script = format!("while make -s -B -j{} all; do :; done", cpus());
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(scratch.path());
    let mut compile = Running::start(command)?;
    let first = scratch.path().join("part0.o");
    until("the first object", || {
        compile.still_runs()?;
        Ok(first.exists())
    })?;
    Ok(vec![Box::new(compile), Box::new(scratch)])
}

fn source(file: usize) -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for number in 0..FUNCTIONS {
        let _ = writeln!(
            text,
            "double part{file}_{number}(const double *values, int count) {{\n    double sum = {number};\n    \
             for (int i = 0; i < count; i++)\n        sum = sum * 0.5 + values[i] * values[(i * {number} + {file}) % count];\n    \
             printf(\"%f\\n\", sum);\n    return sum;\n}}"
        );
    }
    text
}
