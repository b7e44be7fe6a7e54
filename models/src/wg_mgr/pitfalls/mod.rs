//! The pitfalls of the manager loop, in three parts that follow their numbers.
mod latent_and_traps;
mod load_and_paths;
mod verdict_and_platform;

use crate::pitfall::Pitfall;

/// The pitfalls of the manager loop, in parts that follow each other by number.
pub const PITFALLS: [&[Pitfall]; 3] = [
    load_and_paths::LOAD_AND_PATHS,
    verdict_and_platform::VERDICT_AND_PLATFORM,
    latent_and_traps::LATENT_AND_TRAPS,
];
