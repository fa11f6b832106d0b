//! Frames to readings.

pub struct Reading {
    pub probe: u8,
    pub celsius: f32,
}

pub fn parse(frame: &[u8]) -> Option<Reading> {
    (frame.len() >= 11).then(|| Reading { probe: frame[0], celsius: f32::from(frame[1]) })
}
