//! How much threads enter the same waits together.
//!
//! Ten threads that wait for one commit of a journal are seen in it, all or none: the error
//! of their sum is ten times that of one, not the root of ten times. Each pass over the threads
//! adds up by how much each departs from its own shares so far. Threads that have nothing to
//! do with each other cancel out; what remains beyond that is a factor that rows carry, so
//! that errors may simply be added up as squares.

use heldup_model::Class;

/// Departures of one class.
#[derive(Clone, Copy, Debug, Default)]
struct Wave {
    /// Sum over the threads of this pass.
    now: f64,
    /// Squares of that sum, over all passes.
    together: f64,
    /// The same if threads were independent.
    apart: f64,
}

/// Departures of all classes.
#[derive(Debug)]
pub(super) struct Waves([Wave; Class::ALL.len()]);

impl Waves {
    pub(super) fn new() -> Waves {
        Waves([Wave::default(); Class::ALL.len()])
    }

    /// A thread departed from its share of the class; `variance` is p(1-p) of that share.
    pub(super) fn add(&mut self, class: Class, departure: f64, variance: f64) {
        let wave = &mut self.0[class as usize];
        wave.now += departure;
        wave.apart += variance;
    }

    /// A pass over all threads has ended.
    pub(super) fn end_of_pass(&mut self) {
        for wave in &mut self.0 {
            wave.together += std::mem::take(&mut wave.now).powi(2);
        }
    }

    /// How much larger the variance of a class is than that of independent threads; at least 1.
    pub(super) fn factor(&self, class: Class) -> f64 {
        let wave = &self.0[class as usize];
        if wave.apart > 0.0 { (wave.together / wave.apart).max(1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_in_step_have_a_larger_error() {
        let (mut together, mut apart) = (Waves::new(), Waves::new());
        for pass in 0..1000 {
            for thread in 0..10 {
                let departure = |inside: bool| if inside { 0.5 } else { -0.5 };
                together.add(Class::DiskSync, departure(pass % 2 == 0), 0.25);
                apart.add(Class::DiskSync, departure((pass + thread) % 2 == 0), 0.25);
            }
            together.end_of_pass();
            apart.end_of_pass();
        }
        assert!((together.factor(Class::DiskSync) - 10.0).abs() < 1e-9);
        assert!((apart.factor(Class::DiskSync) - 1.0).abs() < 1e-9);
        assert!((apart.factor(Class::LockUser) - 1.0).abs() < 1e-9);
    }
}
