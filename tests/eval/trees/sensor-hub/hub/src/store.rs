//! Keeps readings.

use crate::decode::Reading;

#[derive(Default)]
pub struct Store {
    readings: Vec<Reading>,
}

impl Store {
    pub fn keep(&mut self, reading: Reading) {
        self.readings.push(reading);
    }
}
