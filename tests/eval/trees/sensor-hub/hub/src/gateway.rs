//! Listens to the radio.

use crate::decode;
use crate::radio::receive;

pub fn frames() -> Vec<Vec<u8>> {
    receive().into_iter().filter(|frame| decode::parse(frame).is_some()).collect()
}
