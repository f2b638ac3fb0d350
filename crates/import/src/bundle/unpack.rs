//! Goes through the given files, down to the single files: folders, archives, pressed files,
//! and texts that are made of several files. Nothing is written to a disk; names are labels.

use std::io::{Cursor, Read, Seek};
use std::path::Path;

use heldup_hostfs::{HostError, RecordedFile, RecordedFolder};
use heldup_model::Flaw;
use zip::ZipReadOptions;
use zip::read::{Config, ZipFileEntry};
use zip::unstable::read::ZipIterable;

use super::beginning::Begun;
use super::fenced::Fence;
use super::limits::{Budget, Limits};
use super::packed::{self, Packing};
use super::sections::{self, Sections};
use crate::text::civil::INSTANTS_MS;

/// Where a file stands among the given files, as a path from there: `a.tar.xz/var/log/sa/sa15`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// What a reader of the answer finds it by.
    pub label: String,
    /// The command whose output it is, or the file whose content, where a text says so.
    pub title: Option<String>,
    /// When it was last written, milliseconds since 1970-01-01 UTC.
    pub modified_ms: i64,
}

impl Place {
    /// The file alone, where the place is a section of it.
    pub fn file_label(&self) -> &str {
        let title = self.title.as_deref();
        let file = title.and_then(|title| self.label.strip_suffix(title)?.strip_suffix(": "));
        file.unwrap_or(&self.label)
    }

    fn below(&self, name: &str, modified_ms: i64) -> Place {
        let name = name.trim_start_matches("./").trim_start_matches('/');
        let name = &name[..name.floor_char_boundary(LONGEST_NAME)];
        Place { label: format!("{}/{name}", self.label), title: None, modified_ms }
    }
}

/// Letters of a name: none of a kernel or of a tool has as many, and every name is held.
const LONGEST_NAME: usize = 1024;

/// Who takes the files.
pub trait Taker {
    /// Whether it wants a file that holds no other; what is not wanted is not read.
    fn wants(&self, place: &Place) -> bool;
    /// A file that holds no other.
    fn file(&mut self, place: &Place, input: Begun<'_>);
    /// A symbolic link.
    fn link(&mut self, place: &Place, target: &str);
    /// Something that could not be read.
    fn flaw(&mut self, flaw: Flaw);
    /// Something to be known of the whole.
    fn note(&mut self, note: String);
    /// Whether it has all that it looks for.
    fn is_done(&self) -> bool {
        false
    }
}

/// Goes through a file or folder.
pub fn unpack(path: &Path, limits: &Limits, taker: &mut dyn Taker) -> Result<(), HostError> {
    let label = path.display().to_string();
    if path.is_dir() {
        return folder(path, &label, limits, taker);
    }
    let file = RecordedFile::at(path)?;
    let place = Place { label, title: None, modified_ms: instant_or_none(file.modified_ms()) };
    one(file, &place, limits, taker);
    Ok(())
}

/// A file of the disk: a zip file is found through from its end.
fn one(mut file: RecordedFile, place: &Place, limits: &Limits, taker: &mut dyn Taker) {
    let is_zip = packed::look(Begun::of(&mut file).beginning()) == Some(Packing::Zip);
    if file.rewind().is_err() {
        taker.flaw(flaw(place, "cannot be read from its start".to_owned()));
        return;
    }
    // The files of a zip file may overlap, and then the same bytes are read again and again.
    let size = if is_zip { RecordedFile::bytes(&file) } else { u64::MAX };
    let budget = Budget::of(*limits, size);
    let mut file = budget.packed(file);
    let mut unpacker = Unpacker { taker, budget };
    if is_zip {
        unpacker.zip(place, file, 1);
    } else {
        unpacker.take(place, &mut file, 0);
    }
}

fn folder(path: &Path, label: &str, limits: &Limits, taker: &mut dyn Taker) -> Result<(), HostError> {
    let listed = RecordedFolder::at(path)?;
    let top = Place { label: label.trim_end_matches('/').to_owned(), ..Place::default() };
    for error in &listed.unreadable {
        taker.flaw(flaw(&top, error.to_string()));
    }
    if listed.is_cut {
        taker.note(format!("{label}: too many files or nested folders; the first were read"));
    }
    if listed.not_opened > 0 {
        let what = "pipes, sockets, devices or mounted folders";
        taker.note(format!("{label}: {} {what} were not opened", listed.not_opened));
    }
    for (name, target) in &listed.links {
        taker.link(&top.below(name, 0), target);
    }
    for file in &listed.files {
        if taker.is_done() {
            break;
        }
        let place = top.below(&file.name, instant_or_none(file.modified_ms));
        match file.open() {
            Ok(opened) => one(opened, &place, limits, taker),
            Err(error) => taker.flaw(flaw(&place, error.to_string())),
        }
    }
    Ok(())
}

/// When a file was last written; 0 where what stands there can be no time.
fn instant_or_none(ms: i64) -> i64 {
    if INSTANTS_MS.contains(&ms) { ms } else { 0 }
}

fn flaw(place: &Place, what: String) -> Flaw {
    Flaw { place: place.label.clone(), what }
}

/// Bytes that a file takes in its archive of tar: of one with holes they are fewer than its own.
fn packed_bytes<R: Read>(entry: &tar::Entry<'_, R>) -> u64 {
    let told = entry.header().entry_size().unwrap_or(0);
    let bytes = if entry.header().entry_type().is_gnu_sparse() { told } else { told.max(entry.size()) };
    bytes.saturating_add(511)
}

struct Unpacker<'t> {
    taker: &'t mut dyn Taker,
    budget: Budget,
}

impl Unpacker<'_> {
    /// One file, whatever it holds.
    fn take(&mut self, place: &Place, input: &mut dyn Read, depth: usize) {
        let begun = Begun::of(input);
        let packing = packed::look(begun.beginning());
        match packing {
            Some(packing) if depth >= self.budget.limits().depth => {
                let most = self.budget.limits().depth;
                let what = format!("{} in {depth} others; expected at most {most} deep", packing.name());
                self.taker.flaw(flaw(place, what));
            }
            Some(Packing::Tar) => self.tar(place, begun, depth + 1),
            Some(Packing::Zip) => self.held_zip(place, begun, depth + 1),
            Some(packing) => self.pressed(place, packing, begun, depth + 1),
            None if sections::is_one(begun.beginning()) => self.sections(place, begun, depth),
            None if self.taker.wants(place) => self.taker.file(place, begun),
            None => {}
        }
    }

    fn pressed(&mut self, place: &Place, packing: Packing, input: Begun<'_>, depth: usize) {
        match packing.decoder(input) {
            Some(Ok(decoder)) => {
                let mut decoder = self.budget.unpacked(decoder);
                self.take(place, &mut decoder, depth);
            }
            Some(Err(error)) => self.taker.flaw(flaw(place, format!("{}: {error}", packing.name()))),
            None => {}
        }
        self.say_exceeded(place, depth);
    }

    /// A bound that was reached is said once, of the file that was given.
    fn say_exceeded(&mut self, place: &Place, depth: usize) {
        if let Some(why) = self.budget.exceeded().filter(|_| depth == 1) {
            self.taker.flaw(flaw(place, format!("{why}; the rest is not read")));
        }
    }

    fn is_over(&self) -> bool {
        self.taker.is_done() || self.budget.exceeded().is_some()
    }

    fn tar(&mut self, place: &Place, input: impl Read, depth: usize) {
        let fence = Fence::first();
        let mut archive = tar::Archive::new(fence.around(input));
        let mut behind = place.label.clone();
        match archive.entries() {
            Ok(entries) => {
                for entry in entries {
                    let entry = match entry {
                        Ok(entry) => entry,
                        Err(error) if self.budget.exceeded().is_none() => {
                            let what =
                                format!("tar, behind {behind}: {error}; expected the header of a file");
                            self.taker.flaw(flaw(place, what));
                            break;
                        }
                        Err(_) => break,
                    };
                    fence.describes(packed_bytes(&entry));
                    if !self.budget.enter() || self.is_over() {
                        break;
                    }
                    behind = self.tar_entry(place, entry, depth);
                }
            }
            Err(error) => self.taker.flaw(flaw(place, format!("tar: {error}"))),
        }
        self.say_exceeded(place, depth);
    }

    /// One entry; its name.
    fn tar_entry<R: Read>(&mut self, place: &Place, mut entry: tar::Entry<'_, R>, depth: usize) -> String {
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let modified_s = entry.header().mtime().ok().and_then(|s| i64::try_from(s).ok());
        let modified_ms = modified_s.and_then(|s| s.checked_mul(1000)).map_or(0, instant_or_none);
        let kind = entry.header().entry_type();
        let below = place.below(&name, modified_ms);
        if kind.is_symlink() || kind.is_hard_link() {
            let target = entry.link_name_bytes().map(|target| String::from_utf8_lossy(&target).into_owned());
            // A hard link is to a file that the archive has too, at its own place.
            if let Some(target) = target.filter(|target| kind.is_symlink() && target.len() <= LONGEST_NAME) {
                self.taker.link(&below, &target);
            }
        } else if kind.is_gnu_sparse() {
            // Its holes cost the archive nothing.
            self.take(&below, &mut self.budget.clone().unpacked(entry), depth);
        } else if kind.is_file() || kind.is_contiguous() {
            self.take(&below, &mut entry, depth);
        }
        name
    }

    /// A zip file that comes through another: it is held whole.
    fn held_zip(&mut self, place: &Place, input: Begun<'_>, depth: usize) {
        let most = self.budget.limits().held_bytes;
        let mut held = Vec::new();
        match input.take(most + 1).read_to_end(&mut held) {
            Ok(_) if held.len() as u64 > most => {
                let what =
                    format!("a zip file in another file, larger than {most} bytes; unpack the outer one");
                self.taker.flaw(flaw(place, what));
            }
            Ok(_) => self.zip(place, Cursor::new(held), depth),
            Err(error) => self.taker.flaw(flaw(place, format!("zip: {error}"))),
        }
    }

    /// The files of a zip file, one after the other as the list at its end has them: as a whole that list may be
    /// larger than memory.
    fn zip<R: Read + Seek>(&mut self, place: &Place, input: R, depth: usize) {
        let mut archive = match ZipIterable::try_new(input, Config::default()) {
            Ok(archive) => archive,
            Err(error) => return self.zip_flaw(place, &error),
        };
        match archive.files() {
            Ok(files) => {
                let mut number = 0;
                while let Some(entry) = files.next() {
                    number += 1;
                    if !self.budget.enter() || self.is_over() {
                        break;
                    }
                    match entry {
                        Ok(entry) => self.zip_entry(place, entry, files.reader_mut(), number, depth),
                        Err(error) => self.zip_flaw(place, &error),
                    }
                }
            }
            Err(error) => self.zip_flaw(place, &error),
        }
        self.say_exceeded(place, depth);
    }

    fn zip_flaw(&mut self, place: &Place, error: &dyn std::error::Error) {
        self.taker.flaw(flaw(place, format!("zip: {error}; expected a list of its files at its end")));
    }

    fn zip_entry<R: Read + Seek>(
        &mut self,
        place: &Place,
        entry: ZipFileEntry<'static>,
        archive: &mut R,
        number: usize,
        depth: usize,
    ) {
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if !entry.is_file() {
            return;
        }
        match entry.with_reader(archive, ZipReadOptions::new()) {
            Ok(file) => {
                // Times in a zip file have no zone: that of the file itself is taken.
                let below = place.below(&name, place.modified_ms);
                let mut file = self.budget.unpacked(file);
                self.take(&below, &mut file, depth);
            }
            Err(error) => {
                let what = format!("zip, file {number}: {error}; expected one that is stored or deflated");
                self.taker.flaw(flaw(place, what));
            }
        }
    }

    /// A text that is made of several files and outputs of commands.
    fn sections(&mut self, place: &Place, input: Begun<'_>, depth: usize) {
        let mut sections = Sections::of(input);
        loop {
            match sections.next() {
                Ok(Some(title)) => {
                    let label = format!("{}: {title}", place.label);
                    let below = Place { label, title: Some(title), modified_ms: place.modified_ms };
                    self.take(&below, &mut sections.content(), depth);
                }
                Ok(None) => break,
                Err(error) => {
                    self.taker.flaw(flaw(place, format!("{error}; the rest is not read")));
                    break;
                }
            }
            if self.is_over() {
                break;
            }
        }
    }
}
