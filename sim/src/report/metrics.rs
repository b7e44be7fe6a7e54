//! Every metric that a report may hold: its stable name, its unit and what it means.
//!
//! Scenarios, `--format json` and scripts use the names; they do not change. A figure that a run
//! has no ground for (no heartbeat was served, so none waited) is absent from its report.
use std::fmt;

/// What a metric counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// How often something happened.
    Count,
    /// How often per virtual second.
    PerSecond,
    /// Virtual milliseconds.
    Milliseconds,
    /// Virtual seconds.
    Seconds,
    /// A share of a hundred.
    Percent,
    /// A share of one.
    Ratio,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// The sign behind a figure; empty for counts and ratios.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Count | Self::Ratio => "",
            Self::PerSecond => "/s",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Percent => "%",
            Self::Bytes => "B",
        }
    }

    /// The unit in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::PerSecond => "per virtual second",
            Self::Milliseconds => "virtual milliseconds",
            Self::Seconds => "virtual seconds",
            Self::Percent => "percent",
            Self::Ratio => "share of one",
            Self::Bytes => "bytes",
        }
    }
}

/// Declares the metrics from one list, so that names, units and meanings cannot drift apart.
macro_rules! metrics {
    ($($variant:ident $name:literal $unit:ident $meaning:literal,)+) => {
        /// A figure of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = $meaning] $variant,)+
        }

        impl Metric {
            /// Every metric, in the order of reports.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// What it counts in.
            pub const fn unit(self) -> Unit {
                match self {
                    $(Self::$variant => Unit::$unit),+
                }
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning),+
                }
            }
        }
    };
}

metrics! {
    VirtualSeconds "virtual_s" Seconds
        "Virtual time that the run covered.",
    Passes "passes" Count
        "Passes of the loop that ended.",
    LoopPassMsMax "loop_pass_ms_max" Milliseconds
        "The longest pass, its sleep not counted.",
    Core0BusyRatio "core0_busy_ratio" Ratio
        "Share of the time in which core 0 was occupied.",
    Core1BusyRatio "core1_busy_ratio" Ratio
        "Share of the time in which core 1, the loop's, was occupied.",
    DiscoReceived "disco_received" Count
        "DISCO packets that reached the receive tasks.",
    DiscoShed "disco_shed" Count
        "DISCO packets dropped because the DISCO queue was full.",
    DiscoShedPercent "disco_shed_percent" Percent
        "Share of the received DISCO packets that was dropped at the queue.",
    DiscoOpenedUnknown "disco_opened_unknown" Count
        "Boxes from unknown keys that the loop tried to open.",
    DiscoOpenedKnown "disco_opened_known" Count
        "Boxes from known keys that the loop tried to open.",
    DiscoOpensPerSecond "disco_opens_per_s" PerSecond
        "Opens of boxes from unknown keys per virtual second.",
    DiscoForged "disco_forged" Count
        "Boxes that did not open.",
    DiscoRescued "disco_rescued" Count
        "Peers recognised by their node key after their DISCO key changed.",
    TunnelReceived "wg_rx_received" Count
        "Packets put into the tunnel queue, or dropped before it.",
    TunnelShed "wg_rx_shed" Count
        "Tunnel packets dropped because the tunnel queue was full.",
    MailboxShed "mailbox_shed" Count
        "Datagrams dropped because the socket's mailbox was full.",
    HeartbeatsSent "heartbeats_sent" Count
        "Heartbeats of the protective stop that were sent to the device.",
    HeartbeatsServed "heartbeats_served" Count
        "Heartbeats that the loop handed on, each counted once.",
    HeartbeatLost "heartbeat_lost" Count
        "Heartbeats of which no copy was handed on.",
    HeartbeatWaitMsP50 "heartbeat_wait_ms_p50" Milliseconds
        "Median wait of a heartbeat, from its arrival to being served.",
    HeartbeatWaitMsP99 "heartbeat_wait_ms_p99" Milliseconds
        "99th percentile of the heartbeats' waits.",
    HeartbeatWaitMsMean "heartbeat_wait_ms_mean" Milliseconds
        "Mean of the heartbeats' waits.",
    HeartbeatWaitMsMax "heartbeat_wait_ms_max" Milliseconds
        "The longest wait of a heartbeat.",
    HeartbeatGapMsMax "heartbeat_gap_ms_max" Milliseconds
        "The longest time between two heartbeats served one after the other.",
    TunnelCopies "tunnel_copies" Count
        "Tunnel packets recognised as the second copy of one already seen.",
    TunnelMalformed "tunnel_malformed" Count
        "Packets in the tunnel queue that are no tunnel packet.",
    PingsSent "pings_sent" Count
        "DISCO pings that the device sent.",
    PingsSkipped "pings_skipped" Count
        "DISCO pings that were due but held back by a limit.",
    PongsSent "pongs_sent" Count
        "DISCO pongs that the device sent.",
    PongsMatched "pongs_matched" Count
        "Pongs received that answer a pending probe.",
    PongsUnmatched "pongs_unmatched" Count
        "Pongs received that answer no pending probe.",
    PongRttMsP50 "pong_rtt_ms_p50" Milliseconds
        "Median time from a ping to its pong.",
    PongRttMsMax "pong_rtt_ms_max" Milliseconds
        "The longest time from a ping to its pong.",
    CallMeMaybeSent "call_me_maybe_sent" Count
        "CallMeMaybe messages that the device sent.",
    CallMeMaybeReceived "call_me_maybe_received" Count
        "CallMeMaybe messages that the device opened.",
    ProbesPeak "probes_peak" Count
        "The most pending probes at one time.",
    PingsUntracked "pings_untracked" Count
        "Pings sent while the probe table was full: their pongs count for nothing.",
    PathsUp "paths_up" Count
        "Direct paths that became usable.",
    PathsLostTrust "paths_lost_trust" Count
        "Direct paths given up because no pong renewed their trust.",
    PathsLostSilent "paths_lost_silent" Count
        "Direct paths given up because the priority peer was silent.",
    HeartbeatPings "heartbeat_pings" Count
        "Pings sent to keep a direct path trusted.",
    HeartbeatPingsPerTickMax "heartbeat_pings_per_tick_max" Count
        "The most heartbeat pings in one DISCO tick.",
    UpgradePings "upgrade_pings" Count
        "Pings sent in search of a direct path.",
    PriorityUpgradeGapMsMax "priority_upgrade_gap_ms_max" Milliseconds
        "The longest time between two upgrade pings to the priority peer.",
    PeersAdded "peers_added" Count
        "Peers that entered the table.",
    PeersRefused "peers_refused" Count
        "Peers for which the table had no slot.",
    PeersActive "peers_active" Count
        "Peers in the table at the end of the run.",
    PeersWithTunnel "peers_with_tunnel" Count
        "Peers that also have a slot in the tunnel's own table at the end.",
    AddsPerPassMax "adds_per_pass_max" Count
        "The most peers added in one pass.",
    IngestMs "ingest_ms" Milliseconds
        "Time from the first peer update to the last peer added.",
    NvsWrites "nvs_writes" Count
        "Writes of the peer cache to flash.",
    NvsBytes "nvs_bytes" Bytes
        "Bytes that those writes held together.",
    NvsFirstWriteMs "nvs_first_write_ms" Milliseconds
        "When the first write of the peer cache began.",
    NvsGapMsMin "nvs_gap_ms_min" Milliseconds
        "The shortest time between two writes of the peer cache.",
    FlashStallMs "flash_stall_ms" Milliseconds
        "Time in which flash writes held both cores.",
    PriorityUpgradeGapMsMean "priority_upgrade_gap_ms_mean" Milliseconds
        "The mean time between two upgrade pings to the priority peer.",
    HandshakesSent "handshakes_sent" Count
        "Handshake initiations that the device sent.",
    HandshakesRetried "handshakes_retried" Count
        "Those of them that repeat one nobody answered.",
    HandshakesReceived "handshakes_received" Count
        "Handshake initiations that the device answered.",
    HandshakeLastMs "handshake_last_ms" Milliseconds
        "When the device sent its last handshake initiation.",
    HandshakeBurstMsMax "handshake_burst_ms_max" Milliseconds
        "The longest run of initiations without a look into the tunnel queue between them.",
    HandshakeMs "handshake_ms" Milliseconds
        "Time that handshakes took on core 1 altogether.",
    X25519Total "x25519_total" Count
        "X25519 operations that the manager was charged.",
    SessionsUp "sessions_up" Count
        "Sessions that became ready for use.",
    SessionsDown "sessions_down" Count
        "Sessions that came to their end.",
    SessionsActive "sessions_active" Count
        "Sessions that stand at the end of the run.",
    PeersDirect "peers_direct" Count
        "Peers with a direct path at the end of the run.",
    ActiveCleared "active_cleared" Count
        "Peers without a session whose initiations were ended.",
    HandshakesGivenUp "handshakes_given_up" Count
        "Peers whose initiations ended by a time-out.",
    Demotions "demotions" Count
        "Direct paths given up, each with an initiation through the relay.",
    DemotionsPerPassMax "demotions_per_pass_max" Count
        "The most direct paths given up in one pass.",
    PathBackoffs "path_backoffs" Count
        "Times that a flapping path was left alone for a while.",
    PathsKept "paths_kept" Count
        "Pongs from another endpoint that changed nothing.",
    NetworkLockMsMax "network_lock_ms_max" Milliseconds
        "The longest time that one task had the network stack's lock.",
    OutboundWaitMsMax "outbound_wait_ms_max" Milliseconds
        "The longest time from an application's send to the packet's encryption.",
    RelayConnects "relay_connects" Count
        "Times that a relay was connected.",
    RelayEvicted "relay_evicted" Count
        "Frames pushed out of the relay's send queues, or without a place there.",
    RelayEvictedStop "relay_evicted_stop" Count
        "Those of them that held a message of the protective stop.",
    RelayTornDown "relay_torn_down" Count
        "Frames lost with the connection to the home relay.",
    RelayUnroutable "relay_unroutable" Count
        "Frames for which no connected relay reaches their peer.",
    LinkLost "link_lost" Count
        "Packets that links lost.",
    LinkDuplicated "link_duplicated" Count
        "Packets that links doubled.",
    LinkReordered "link_reordered" Count
        "Packets that links held back.",
    LinkCorrupted "link_corrupted" Count
        "Packets of which links flipped a bit.",
    StopSent "stop_sent" Count
        "Messages that the protective stop's remote sent.",
    StopReplies "stop_replies" Count
        "Replies that it read.",
    StopReplyLossPercent "stop_reply_loss_percent" Percent
        "Share of the remote's messages whose reply it never read.",
    StopAccepted "stop_accepted" Count
        "Messages that its machine accepted.",
    StopRejected "stop_rejected" Count
        "Messages that its machine rejected.",
    Bonds "bonds" Count
        "Sessions of the protective stop that were begun, the first included.",
    Rebonds "rebonds" Count
        "Sessions of the protective stop that the remote gave up for silence.",
    MachineTimeouts "machine_timeouts" Count
        "Times that the machine dropped the remote for silence.",
    Stops "stops" Count
        "Times that the machine's verdict went from OK to STOP.",
    StopRttMsP50 "stop_rtt_ms_p50" Milliseconds
        "Median round trip of the protective stop, as the remote's telemetry reads it.",
    StopRttMsMax "stop_rtt_ms_max" Milliseconds
        "The longest round trip of the protective stop.",
    CachedKeys "cached_keys" Count
        "Shared keys in the cache at the end of the run.",
    PriorityPongsSentToUs "priority_pongs_sent_to_us" Count
        "Pongs that the priority peer sent to the device.",
    PriorityPongsShed "priority_pongs_shed" Count
        "Pongs of the priority peer dropped at the DISCO queue.",
    PriorityPongsShedRatio "priority_pongs_shed_ratio" Ratio
        "Share of the priority peer's pongs that was dropped at the DISCO queue.",
    FirstFalseDemotionMs "first_false_demotion_ms" Milliseconds
        "When the priority peer's direct path was first given up although the peer answered.",
    UpdatesDropped "updates_dropped" Count
        "Peer updates that the control plane dropped because the queue stayed full.",
    LowTaskGapMsMax "low_task_gap_ms_max" Milliseconds
        "The longest time in which a task below the loop's priority was not served.",
    WatchdogResets "watchdog_resets" Count
        "Resets by the task watchdog: 1 ends the run.",
    PageSeconds "page_s" Seconds
        "From the start of the stopwatch to the last byte of the body.",
    Reads "reads" Count
        "READ commands that the client pushed.",
    ReadsIdle "reads_idle" Count
        "READ commands that found nothing.",
    Pushes "pushes" Count
        "Commands that the client pushed.",
    PushesRejected "pushes_rejected" Count
        "Pushes that were refused because the interface was not idle.",
    ReadRttMsP50 "read_rtt_ms_p50" Milliseconds
        "Median time from the push of a READ that brought data to its first block being seen.",
    IdleRttMsP50 "idle_rtt_ms_p50" Milliseconds
        "Median time from the push of a READ that found nothing to its reply being seen.",
    ReadWholeMsP50 "read_whole_ms_p50" Milliseconds
        "Median time of a whole READ that brought data, fences and copying included.",
    DeliveredBytes "delivered_bytes" Bytes
        "Bytes of body that the consumer took.",
    BodyIntact "body_intact" Count
        "Whether the body is complete and its CRC is that of what was sent: 1 or 0.",
    ForeignBytes "foreign_bytes" Bytes
        "Bytes of body that the consumer took and that are not what was sent at their place.",
    ReadEnd "read_end" Count
        "How the last READ ended, as a number: `preflash explain` lists them as read ends.",
    Aborts "aborts" Count
        "Aborts that the client wrote, the startup's not counted.",
    Closes "closes" Count
        "CLOSE commands that the client pushed, those of the startup not counted.",
    StatusCode "status_code" Count
        "The two digits of the last command's status line, a CLOSE after an error set aside.",
    HttpStatus "http_status" Count
        "The status of the HTTP response.",
    HttpCarry "http_carry" Count
        "C as the HTTP layer returns it: 0 calls the body complete, 1 does not.",
    Framing "framing" Count
        "What the head says: 0 it is unfinished, 1 Content-Length, 2 chunked, 3 neither.",
    ChunkState "chunk_state" Count
        "Where the chunk parser is: 0 size, 1 its line, 2 payload, 3 its line, 4 behind the last.",
    ViewerEntered "viewer_entered" Count
        "Whether the screen shows the body, which it does whatever C says: 1 or 0.",
    NetTcpState "net_tcp_state" Count
        "The client's connection: 0 closed, 1 connected, 2 broken (and then closed), 3 not opened.",
    Draws "draws" Count
        "Fetches that a search drew.",
    DrawsEnds "draws_ends" Count
        "Different states that the draws of a search ended in.",
    DrawsReproducing "draws_reproducing" Count
        "Draws that end like the open finding.",
    DrawsUnexplained "draws_unexplained" Count
        "Draws that end like the open finding and belong to no hypothesis.",
    DrawsSplitLine "draws_split_line" Count
        "Draws with a size line across two READs and nothing else wrong.",
    DrawsSplitReproducing "draws_split_reproducing" Count
        "Draws with nothing but such a size line that end like the open finding.",
    HypothesesReproducing "hypotheses_reproducing" Count
        "Hypotheses of the open finding with at least one draw that ends like it.",
    EofCode "eof_code" Count
        "How the stream ended as the client noted it: 0 not at all, 1 with a notification, 5 without.",
    LastError "last_error" Count
        "The client's last error as a number: 0 is none.",
    StillConnected "still_connected" Count
        "Whether the client holds a connection at the end: 1 or 0.",
    BusReads "bus_reads" Count
        "Reads of registers, the deadline clock's included.",
    BusWrites "bus_writes" Count
        "Writes of registers.",
    WriteRulesBroken "write_rules_broken" Count
        "Writes that broke a rule: while an abort was pending, with bytes left, or two at once.",
    InvariantsBroken "invariants_broken" Count
        "Steps after which an invariant of the core did not hold.",
}

impl Metric {
    /// The metric of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name() == name)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again_and_is_snake_case() {
        for metric in Metric::ALL {
            assert_eq!(Metric::parse(metric.name()), Some(*metric), "{metric}");
            let snake =
                |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
            assert!(metric.name().chars().all(snake), "{metric}");
        }
    }

    #[test]
    fn a_name_with_a_unit_says_the_unit_that_the_metric_has() {
        for metric in Metric::ALL {
            let name = metric.name();
            let named = |part: &str| name.ends_with(part) || name.contains(&format!("{part}_"));
            assert_eq!(named("_ms"), metric.unit() == Unit::Milliseconds, "{name}");
            assert_eq!(named("_percent"), metric.unit() == Unit::Percent, "{name}");
            assert_eq!(named("_ratio"), metric.unit() == Unit::Ratio, "{name}");
            assert_eq!(named("_bytes"), metric.unit() == Unit::Bytes, "{name}");
            assert_eq!(named("_per_s"), metric.unit() == Unit::PerSecond, "{name}");
        }
    }

    #[test]
    fn every_meaning_is_one_sentence() {
        for metric in Metric::ALL {
            assert!(metric.meaning().ends_with('.'), "{metric}");
            assert!(!metric.meaning().contains(". "), "{metric}");
        }
    }
}
