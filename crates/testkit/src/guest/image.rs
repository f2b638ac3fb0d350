//! Writes a guest's first file system: busybox, what is asked for with its libraries, the
//! modules, and the program that takes orders as the first process.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::guest::archive::Archive;
use crate::guest::{Copied, Disk, Options, init, kernel_modules};
use crate::loop_device::said;
use crate::search_path::in_search_path;

/// The program of the test kit that is the first process there.
const INIT: &str = "guest-init";
/// The shell and all small programs in one file without libraries.
const BUSYBOX: &str = "busybox";

/// Writes the image to a file.
pub(super) fn write(options: &Options, path: &Path) -> Result<()> {
    let file = File::create(path).with_context(|| format!("create {}", path.display()))?;
    let mut image = Image { archive: Archive::new(BufWriter::new(file)), there: BTreeSet::new() };
    for folder in ["/dev", "/proc", "/sys", "/tmp", "/run", "/var/tmp", "/root"] {
        image.archive.folder(Path::new(folder))?;
    }
    // Before anything is mounted: whoever starts a program gives it this as its input.
    image.archive.device(Path::new("/dev/null"), (1, 3))?;
    image.program(&Copied::new(built(INIT)?, "/init"))?;
    image.busybox()?;
    for tool in &options.tools {
        let path = in_search_path(tool).with_context(|| format!("no program {tool} here"))?;
        image.program(&Copied::new(&path, &path))?;
    }
    for file in &options.files {
        image.program(file)?;
    }
    image.modules(options)?;
    image.mounts(options)?;
    image.archive.file(Path::new("/etc/passwd"), b"root:x:0:0:root:/root:/bin/sh\n")?;
    image.archive.file(Path::new("/etc/os-release"), &fs::read("/etc/os-release").unwrap_or_default())?;
    image.archive.finish()?;
    Ok(())
}

struct Image<W: Write> {
    archive: Archive<W>,
    there: BTreeSet<PathBuf>,
}

impl<W: Write> Image<W> {
    /// A file and, where it is a program with libraries, these.
    fn program(&mut self, file: &Copied) -> Result<()> {
        for library in libraries(&file.from)? {
            self.add(&Copied::new(&library, &library))?;
        }
        self.add(file)
    }

    fn add(&mut self, file: &Copied) -> Result<()> {
        if self.there.insert(file.to.clone()) {
            let content = without_debug_sections(&file.from)?;
            self.archive.file(&file.to, &content)?;
        }
        Ok(())
    }

    /// busybox, and its programs as links to it; what `tools` name is found before them.
    fn busybox(&mut self) -> Result<()> {
        let path = in_search_path(BUSYBOX).context("no busybox here")?;
        self.program(&Copied::new(&path, "/bin/busybox"))?;
        for name in said(Command::new(&path).arg("--list"))?.lines().filter(|name| *name != BUSYBOX) {
            self.archive.link(&Path::new("/bin").join(name), Path::new(BUSYBOX))?;
        }
        Ok(())
    }

    /// Modules, named in the order in which they are to be loaded, with their parameters.
    fn modules(&mut self, options: &Options) -> Result<()> {
        let words = |module: &str| {
            let (name, parameters) = module.split_once(' ').unwrap_or((module, ""));
            (name.to_owned(), parameters.to_owned())
        };
        let wanted: Vec<(String, String)> = options.all_modules().map(words).collect();
        let names: Vec<String> = wanted.iter().map(|(name, _)| name.clone()).collect();
        for (at, path) in kernel_modules::in_order(&options.kernel.modules, &names)?.iter().enumerate() {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let place = Path::new(init::MODULES).join(format!("{at:03}-{name}.ko"));
            self.archive.file(&place, &fs::read(path)?)?;
            let parameters = wanted.iter().find(|(wanted, _)| *wanted == name).map(|(_, words)| words);
            if let Some(parameters) = parameters.filter(|words| !words.is_empty()) {
                self.archive.file(&place.with_extension(init::PARAMETERS), parameters.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Which disk is mounted where.
    fn mounts(&mut self, options: &Options) -> Result<()> {
        let mut lines = String::new();
        for (number, disk) in options.disks.iter().enumerate() {
            if let Some(place) = disk.mounted_at {
                lines += &format!("/dev/{} {place}\n", Disk::name(number));
            }
        }
        self.archive.file(Path::new(init::MOUNTS), lines.as_bytes())
    }
}

/// A program of this package: it lies above the test that runs, or beside the program that does.
fn built(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let places = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    places.into_iter().find(|path| path.exists()).with_context(|| format!("{name} is not built"))
}

/// The libraries that the dynamic linker would load for a program, itself included; none
/// for what is no program or needs none.
fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    if !fs::read(program)?.starts_with(b"\x7fELF") {
        return Ok(Vec::new());
    }
    let output = Command::new("ldd").arg(program).output().context("run ldd")?;
    // For a program without libraries it fails and says so.
    let text = String::from_utf8_lossy(&output.stdout);
    let mut libraries = Vec::new();
    for line in text
        .lines()
        .filter(|line| output.status.success() && line.contains('/') || line.contains("not found"))
    {
        if line.contains("not found") {
            bail!("{}: {}", program.display(), line.trim());
        }
        let words = line.split_whitespace();
        libraries.extend(words.filter(|word| word.starts_with('/')).take(1).map(PathBuf::from));
    }
    Ok(libraries)
}

/// A file without what only a debugger reads: most of a test program, and every byte costs
/// the guest time. As it is where there is no `strip`.
fn without_debug_sections(path: &Path) -> Result<Vec<u8>> {
    let content = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    if !content.starts_with(b"\x7fELF") || in_search_path("strip").is_none() {
        return Ok(content);
    }
    let stripped = crate::scratch::Scratch::new("strip")?;
    let target = stripped.path().join("program");
    match said(Command::new("strip").args(["--strip-debug", "-o"]).arg(&target).arg(path)) {
        Ok(_) => Ok(fs::read(target)?),
        Err(_) => Ok(content),
    }
}
