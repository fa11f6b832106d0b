//! The radio.

pub fn receive() -> Vec<Vec<u8>> {
    Vec::new()
}
