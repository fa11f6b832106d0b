//! The hub: receives frames and keeps readings.

mod decode;
mod gateway;
mod radio;
mod store;

use crate::decode::parse;
use crate::store::Store;

fn main() {
    let mut store = Store::default();
    for frame in gateway::frames() {
        if let Some(reading) = parse(&frame) {
            store.keep(reading);
        }
    }
}
