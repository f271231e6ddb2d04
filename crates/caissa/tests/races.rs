//! Data races: for each kind of edge a program that has it and is silent, and one that lacks it and races.

#[path = "support/racing.rs"]
mod racing;

#[path = "races/asynchronous.rs"]
mod asynchronous;
#[path = "races/atomics.rs"]
mod atomics;
#[path = "races/cells.rs"]
mod cells;
#[path = "races/channels.rs"]
mod channels;
#[path = "races/locks.rs"]
mod locks;
#[path = "races/owners.rs"]
mod owners;
#[path = "races/promotion.rs"]
mod promotion;
#[path = "races/tasks.rs"]
mod tasks;
#[path = "races/words.rs"]
mod words;
