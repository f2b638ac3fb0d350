//! Numbers that chance would draw, the same for the same seed.

/// A sequence of pseudo-random numbers: SplitMix64 of Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A fair coin.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// From 0 to 1, without its ends.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the authors' own program with the seed 1234567.
    #[test]
    fn numbers_are_those_of_the_authors() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_coin_is_fair() {
        let mut random = Random::new(3);
        let heads = (0..10_000).filter(|_| random.coin()).count();
        // Five standard deviations of 50 each.
        assert!((4_750..5_250).contains(&heads), "{heads}");
    }
}
