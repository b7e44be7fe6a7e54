//! The budget loop of the manager in Promela, written from WG-DISCO-1, WG-Q1 and WG-Q2 alone: which
//! boxes a pass may open, and where it looks at the tunnel queue in between.
use firmware_core::wg_mgr::config::{Config, OpensExempt};

/// The loop of this configuration with so many packets of each kind that may arrive. It asserts that
/// no more boxes are opened between two drains than `limit`.
pub fn budget_loop(config: &Config, known: u8, unknown: u8, limit: u16) -> String {
    let depth = config.disco_queue_depth;
    let budget = config.opens_per_pass.map_or("255".to_owned(), |opens| opens.to_string());
    let flag = |on: bool| u8::from(on);
    let strict = config.rules.known_key_drain.is_strict();
    let known_free = config.opens_exempt == OpensExempt::KnownKeys;
    format!(
        "/* the budget loop, from the clauses */\n\
         #define DEPTH {depth}\n#define BUDGET {budget}\n#define LIMIT {limit}\n\
         #define KNOWN_FREE {}\n#define DRAIN_UNKNOWN {}\n#define DRAIN_KNOWN {}\n\
         mtype = {{ known, unknown }};\n\
         chan disco = [DEPTH] of {{ mtype }};\n\
         byte known_left = {known}, unknown_left = {unknown};\n\
         byte opened = 0, left = 0, passes = 0;\n\
         active proctype environment() {{\n  do\n  \
         :: atomic {{ known_left > 0 -> known_left--;\n       \
         if :: nfull(disco) -> disco!known :: full(disco) fi }}\n  \
         :: atomic {{ unknown_left > 0 -> unknown_left--;\n       \
         if :: nfull(disco) -> disco!unknown :: full(disco) fi }}\n  \
         :: known_left == 0 && unknown_left == 0 -> break\n  od\n}}\n\
         active proctype loop() {{\n  mtype packet;\n  do\n  :: passes < 2 ->\n    passes++;\n    \
         opened = 0; /* the drain at the start of a pass */\n    left = BUDGET;\n    \
         do\n    :: left > 0 && nempty(disco) ->\n      disco?packet;\n      opened++;\n      \
         assert(opened <= LIMIT);\n      if\n      \
         :: packet == known -> left = left - (1 - KNOWN_FREE);\n        \
         if :: DRAIN_KNOWN -> opened = 0 :: else fi\n      \
         :: packet == unknown -> left--;\n        \
         if :: DRAIN_UNKNOWN -> opened = 0 :: else fi\n      fi\n    \
         :: left == 0 || empty(disco) -> break\n    od;\n    \
         opened = 0 /* the drain at its end */\n  :: passes == 2 -> break\n  od\n}}\n",
        flag(known_free),
        flag(config.interleave),
        flag(config.interleave && strict),
    )
}
