//! The token: who has it may read.

use std::hint::black_box;

use heldup_hostfs::{HostError, random_bytes};

/// 192 bits of the kernel's random source, as 32 letters.
#[derive(Clone)]
pub struct Token(String);

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Token {
    /// A new one.
    pub fn new() -> Result<Token, HostError> {
        Ok(Token::of(&random_bytes::<24>()?))
    }

    fn of(bytes: &[u8; 24]) -> Token {
        let letters = bytes.chunks_exact(3).flat_map(|three| {
            let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
            [18, 12, 6, 0].map(|shift| char::from(LETTERS[bits >> shift & 63]))
        });
        Token(letters.collect())
    }

    /// As it stands in the address that is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is what somebody says, in a time that does not depend on where the two differ.
    pub fn is(&self, said: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differ = own.iter().zip(said).fold(0, |differ, (a, b)| black_box(differ | (a ^ b)));
        own.len() == said.len() && differ == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bits_are_in_it() {
        assert_eq!(Token::of(&[0; 24]).as_str(), "A".repeat(32));
        assert_eq!(Token::of(&[255; 24]).as_str(), "_".repeat(32));
        let mut bytes = [0; 24];
        bytes[23] = 1;
        assert_eq!(Token::of(&bytes).as_str(), format!("{}B", "A".repeat(31)));
    }

    #[test]
    fn only_the_whole_of_it_is_it() {
        let token = Token::new().expect("random bytes");
        let said = token.as_str();
        assert!(token.is(said.as_bytes()));
        for wrong in ["", &said[1..], &said[..31], &format!("{said}A"), &"A".repeat(32)] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "Token");
    }
}
