//! Data races: for each kind of edge a program that has it and is silent, and one that lacks it and races.

mod asynchronous;
mod atomics;
mod cells;
mod channels;
mod locks;
mod owners;
mod promotion;
mod tasks;
mod words;
