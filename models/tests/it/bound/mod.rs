//! The worst case by formula.
mod bench;
mod certificate;
mod hand;
mod monotone;
mod paths;
mod question;
mod read;
