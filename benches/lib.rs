//! Shared definitions of the benchmark workloads.
