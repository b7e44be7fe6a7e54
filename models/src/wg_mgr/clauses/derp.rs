//! The clauses on DERP: what its send queues keep and which region is home.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-DERP-1: two send queues.
pub(super) const DERP_1: Entry = Entry {
    id: "WG-DERP-1",
    title: "two send queues",
    level: Level::Shall,
    sentence: "A frame goes to the priority queue (12 places) when it is a WireGuard handshake \
               message or its destination is a safety peer, and else to the normal queue (16); a \
               full queue drops its own oldest frame, in at most 3 tries, and the sender empties \
               the priority queue, at most 12, before it takes at most 8 from the normal one.",
    details: &[
        "A turn of the DERP task also reads at most 4 frames per connection and sleeps 1 ms; \
         taking the home connection down empties the normal queue only.",
        "Connecting blocks this task, 20 to 40 s at worst: home first, then one auxiliary attempt \
         per turn.",
    ],
    observable: "Data and DISCO frames to bulk peers never evict a safety peer's frame, which \
                 waits for no more of them than the 8 of one turn.",
    edges: &[
        "Handshake messages to bulk peers ride the priority queue and can evict.",
        "No connection is up: the frame is dropped with a log line.",
        "Region unknown (0): the home connection carries it.",
        "The note of the preferred home goes through the normal queue and can be evicted.",
    ],
    defects: &[Defect::new(
        "PF-108",
        "DISCO frames to a safety peer share its queue and can evict its heartbeats; priority \
         frames outlive the home connection and leave stale, in order, after the next one.",
    )],
    source: "DERP task",
    mutations: &[
        Mutation::breaks("M1", "one queue for everything"),
        Mutation::breaks("M2", "drop the newest frame"),
        Mutation::breaks("M3", "empty the priority queue last"),
        Mutation::breaks("M4", "empty the priority queue with the home connection"),
        Mutation::breaks("M5", "choose the queue by message type alone"),
    ],
};

/// WG-REHOME-1: home region of DERP.
pub(super) const REHOME_1: Entry = Entry {
    id: "WG-REHOME-1",
    title: "home region of DERP",
    level: Level::Shall,
    sentence: "The home is to be the priority peer's learned region, else that of the fleet \
               server or pinned peer in question; when it is not, the region becomes home and a \
               reconnect is requested, judged whenever a pinned peer's region is learned and \
               again, for priority peer and fleet server, when more than 3000 ms have passed.",
    details: &[
        "A region set at run time (1 to 4095) overrides all this for the connection itself.",
        "Each other region of a safety peer has one auxiliary connection, 6 connections in all \
         with home; one opens per turn of the DERP task, with gaps of 5, 5, 10 and then 60 s, and \
         closes 30 s after its region was last wanted.",
    ],
    observable: "Learning another region for the priority peer raises one reconnect request and \
                 changes the home.",
    edges: &[
        "Region 0 never moves the home.",
        "A pinned peer other than the fleet server moves the home when learned but is not in the \
         periodic check: without a priority peer, two of them in different regions make the home \
         swing.",
        "No connection left: a warning, and home relays.",
    ],
    defects: &[],
    source: "loop, step 11, and peer updates",
    mutations: &[
        Mutation::breaks("M1", "follow any peer's region"),
        Mutation::breaks("M2", "close auxiliary connections by idleness"),
        Mutation::breaks("M3", "overwrite a region with 0 from a repeated map"),
        Mutation::breaks("M4", "no periodic check"),
    ],
};
