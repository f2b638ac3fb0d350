//! Settings with value, default and who set them.

use heldup_model::SettingsAnswer;
use heldup_tune::{Catalogue, OutlivedSystem, SetBy, Standing, System, Tunable};

use super::machine::Machine;
use super::setting_page::answer;
use crate::error::{EngineError, Result};

/// Which settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsRequest {
    /// An area, or a part of an id; all of them without it.
    pub text: Option<String>,
    /// Only what a file sets, what is not its known default, and where files disagree.
    pub changed: bool,
}

/// A setting, and how its files stand; none where nobody looked.
type Listed<'a> = (&'a Tunable, Option<Vec<Standing>>);

/// The ids of settings that a misspelt one may mean; one that is known is alone.
pub fn settings_like(name: &str) -> Vec<String> {
    let catalogue = Catalogue::builtin();
    match catalogue.named(name) {
        Some(_) => vec![name.to_owned()],
        None => catalogue.close_to(name).into_iter().map(Into::into).collect(),
    }
}

/// Settings, and how they stand on this machine.
pub fn settings(request: &SettingsRequest) -> Result<SettingsAnswer> {
    let machine = Machine::read();
    let listed = listed(&machine, request)?;
    Ok(answer(&machine, &listed))
}

/// The setting of a name, and how it stands on this machine.
pub fn setting(name: &str) -> Result<SettingsAnswer> {
    let machine = Machine::read();
    let (tunable, standings) = named(&machine, name)?;
    let standings = is_here(tunable, &standings).then_some(standings);
    Ok(answer(&machine, &[(tunable, standings)]))
}

fn listed<'a>(machine: &'a Machine, request: &SettingsRequest) -> Result<Vec<Listed<'a>>> {
    let wanted = |tunable: &&Tunable| {
        request.text.as_deref().is_none_or(|text| tunable.area == text || tunable.id.contains(text))
    };
    let tunables: Vec<&Tunable> = machine.catalogue.tunables.iter().filter(wanted).collect();
    if tunables.is_empty() {
        return Err(EngineError::unknown_name(format!(
            "no setting has the area `{0}` or `{0}` in its id; areas: {1}",
            request.text.as_deref().unwrap_or_default(),
            areas(&machine.catalogue).join(", ")
        )));
    }
    let one = |tunable: &'a Tunable| {
        let mut standings = tunable.is_machines().then(|| machine.standings(tunable));
        if request.changed {
            standings.as_mut()?.retain(|standing| !is_silent(standing));
            standings.as_ref().filter(|standings| !standings.is_empty())?;
        }
        Some((tunable, standings))
    };
    Ok(tunables.into_iter().filter_map(one).collect())
}

/// Whether nobody set it, as far as is known.
fn is_silent(standing: &Standing) -> bool {
    matches!(standing.set_by, SetBy::Kernel | SetBy::Unknown) && !standing.is_disputed()
}

fn areas(catalogue: &Catalogue) -> Vec<&str> {
    let mut areas: Vec<&str> = catalogue.tunables.iter().map(|tunable| tunable.area.as_str()).collect();
    areas.sort_unstable();
    areas.dedup();
    areas
}

/// The setting of a name, and how its files stand: where the name is that of one file, only that.
fn named<'a>(machine: &'a Machine, name: &str) -> Result<(&'a Tunable, Vec<Standing>)> {
    let exact = machine.catalogue.find(name);
    let tunable =
        machine.catalogue.named(name).ok_or_else(|| EngineError::unknown_name(unknown(machine, name)))?;
    if let Some(instances) = tunable.owned_instances(&machine.host, name) {
        let standings = instances?.into_iter().map(|instance| machine.standing(tunable, instance));
        return Ok((tunable, standings.collect()));
    }
    let mut standings = machine.standings(tunable);
    let is_named = |standing: &Standing| standing.instance.key == name || standing.instance.path == name;
    // The name may be that of a former place, of which nothing is here.
    if exact.is_none() && (standings.iter().any(is_named) || tunable.id.contains('*')) {
        standings.retain(is_named);
    }
    Ok((tunable, standings))
}

/// Why there is no setting of a name, and which are like it.
fn unknown(machine: &Machine, name: &str) -> String {
    if let Some(gone) = gone(machine, name) {
        return format!("unknown setting `{name}`: {gone}");
    }
    let close = machine.catalogue.close_to(name);
    let hint = if close.is_empty() { String::new() } else { format!("; did you mean {}?", close.join(", ")) };
    format!("unknown setting `{name}`{hint} (see `heldup tune list`)")
}

/// Why there is no setting of a name any more.
fn gone(machine: &Machine, name: &str) -> Option<String> {
    let release = machine.release?.to_string().parse().ok()?;
    OutlivedSystem::builtin(System::Linux)?.find(name)?.gone_in(&release)
}

/// Whether how it stands can be told: not of what only a call sets that this program does not make.
fn is_here(tunable: &Tunable, standings: &[Standing]) -> bool {
    tunable.path.is_some() || tunable.is_machines() || !standings.is_empty()
}
