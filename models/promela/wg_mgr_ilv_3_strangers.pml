/* wg_mgr_ilv_3_strangers
 * The budget loop of the manager: stages of a pass, queues of two, budgets and drains.
 * `opened`, `added`, `sent` count in this pass; `drained`: the tunnel queue was seen
 * empty in it; `..._since`: an item was served and the queue not drained since.
 *
 * Generated: a test holds it against the machine.
 */

#define place_asleep 0
#define place_pass_start 1
#define place_updates 2
#define place_after_add 3
#define place_store_flush 4
#define place_broadcast 5
#define place_disco 6
#define place_after_open 7
#define place_pass_end 8
#define place_timers 9
#define place_stopped 10
#define disco_none 0
#define disco_unknown 1
#define disco_known 2
#define disco_next_none 0
#define disco_next_unknown 1
#define disco_next_known 2
#define update_none 0
#define update_add 1
#define update_remove 2
#define update_next_none 0
#define update_next_add 1
#define update_next_remove 2

/* Never true: the number stands in Spin's message. */
#define BROKEN(claim) (claim == 99)

byte place = 0;  /* 0..10 */
byte tunnel = 0;  /* 0..2 */
byte disco = 0;  /* 0..2 */
byte disco_next = 0;  /* 0..2 */
byte update = 0;  /* 0..2 */
byte update_next = 0;  /* 0..2 */
byte opened = 0;  /* 0..5 */
byte added = 0;  /* 0..5 */
byte sent = 0;  /* 0..3 */
byte untold = 3;  /* 0..3 */
bit dirty = 0;  /* 0..1 */
bit drained = 0;  /* 0..1 */
bit flushed = 0;  /* 0..1 */
bit opened_since = 0;  /* 0..1 */
bit added_since = 0;  /* 0..1 */
bit shutdown = 0;  /* 0..1 */

active proctype machine() {
    do
    :: d_step { /* wake */
        ((place == place_asleep) && (shutdown == 0)) ->
        opened = 0;
        added = 0;
        sent = 0;
        drained = 0;
        flushed = 0;
        opened_since = 0;
        added_since = 0;
        place = 1;
    }
    :: d_step { /* stop */
        ((place == place_asleep) && (shutdown == 1)) ->
        place = 10;
    }
    :: d_step { /* timers done */
        (place == place_timers) ->
        place = 0;
    }
    :: d_step { /* pass_start takes a packet */
        ((place == place_pass_start) && !(tunnel == 0)) ->
        tunnel = (tunnel - 1);
    }
    :: d_step { /* pass_start over */
        (((place == place_pass_start) && (tunnel == 0)) && true) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 2;
    }
    :: d_step { /* after_add takes a packet */
        ((place == place_after_add) && !(tunnel == 0)) ->
        tunnel = (tunnel - 1);
    }
    :: d_step { /* after_add over */
        (((place == place_after_add) && (tunnel == 0)) && (added < 4)) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 2;
    }
    :: d_step { /* after_add over, budget spent */
        (((place == place_after_add) && (tunnel == 0)) && !(added < 4)) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 4;
    }
    :: d_step { /* after_open takes a packet */
        ((place == place_after_open) && !(tunnel == 0)) ->
        tunnel = (tunnel - 1);
    }
    :: d_step { /* after_open over */
        (((place == place_after_open) && (tunnel == 0)) && true) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 6;
    }
    :: d_step { /* pass_end takes a packet */
        ((place == place_pass_end) && !(tunnel == 0)) ->
        tunnel = (tunnel - 1);
    }
    :: d_step { /* pass_end over, timers due */
        (((place == place_pass_end) && (tunnel == 0)) && true) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 9;
    }
    :: d_step { /* pass_end over */
        (((place == place_pass_end) && (tunnel == 0)) && true) ->
        drained = 1;
        opened_since = 0;
        added_since = 0;
        place = 0;
    }
    :: d_step { /* add a peer */
        ((place == place_updates) && (update == update_add)) ->
        /* WG-ADD-1: at most 4 peers are added in a pass */
        assert(BROKEN(1) || (added < 4));
        /* WG-Q2: the tunnel queue is drained between two additions */
        assert(BROKEN(4) || (added_since == 0));
        /* WG-ORD-1: the tunnel queue is served before the others */
        assert(BROKEN(5) || (drained == 1));
        update = update_next;
        update_next = 0;
        added = (((added + 1) < 5) -> (added + 1) : 5);
        dirty = 1;
        added_since = 1;
        place = 3;
    }
    :: d_step { /* remove a peer */
        ((place == place_updates) && (update == update_remove)) ->
        /* WG-ORD-1: the tunnel queue is served before the others */
        assert(BROKEN(5) || (drained == 1));
        update = update_next;
        update_next = 0;
    }
    :: d_step { /* no more updates */
        ((place == place_updates) && (update == update_none)) ->
        place = 4;
    }
    :: d_step { /* write flash */
        ((place == place_store_flush) && (dirty == 1)) ->
        /* WG-NVS-1: flash is written once a pass at most */
        assert(BROKEN(6) || (flushed == 0));
        dirty = 0;
        flushed = 1;
        place = 5;
    }
    :: d_step { /* flash not due */
        (place == place_store_flush) ->
        place = 5;
    }
    :: d_step { /* tell a peer */
        ((place == place_broadcast) && (!(untold == 0) && (sent < 2))) ->
        /* WG-CMM-1: at most 2 peers are told in a pass */
        assert(BROKEN(2) || (sent < 2));
        untold = (untold - 1);
        sent = (((sent + 1) < 3) -> (sent + 1) : 3);
    }
    :: d_step { /* broadcast over */
        ((place == place_broadcast) && !(!(untold == 0) && (sent < 2))) ->
        place = 6;
    }
    :: d_step { /* open of an unknown key */
        ((place == place_disco) && ((opened < 4) && (disco == disco_unknown))) ->
        /* WG-DISCO-1: at most 4 boxes are opened in a pass */
        assert(BROKEN(0) || (opened < 4));
        /* WG-Q2: the tunnel queue is drained between two opens */
        assert(BROKEN(3) || (opened_since == 0));
        /* WG-ORD-1: the tunnel queue is served before the others */
        assert(BROKEN(5) || (drained == 1));
        disco = disco_next;
        disco_next = 0;
        opened = (((opened + 1) < 5) -> (opened + 1) : 5);
        opened_since = 1;
        place = 7;
    }
    :: d_step { /* open of a known key */
        ((place == place_disco) && ((opened < 4) && (disco == disco_known))) ->
        /* WG-ORD-1: the tunnel queue is served before the others */
        assert(BROKEN(5) || (drained == 1));
        disco = disco_next;
        disco_next = 0;
    }
    :: d_step { /* DISCO over */
        ((place == place_disco) && (!(opened < 4) || (disco == disco_none))) ->
        place = 8;
    }
    :: d_step { /* environment sends a tunnel packet */
        (!(place == place_stopped) && (tunnel < 2)) ->
        tunnel = (tunnel + 1);
    }
    :: d_step { /* environment sends from an unknown key */
        (!(place == place_stopped) && (disco == disco_none)) ->
        disco = 1;
    }
    :: d_step { /* environment sends from an unknown key behind */
        (!(place == place_stopped) && !(disco == disco_none) && (disco_next == disco_next_none)) ->
        disco_next = 1;
    }
    :: d_step { /* environment adds a peer */
        (!(place == place_stopped) && (update == update_none)) ->
        update = 1;
    }
    :: d_step { /* environment adds a peer behind */
        (!(place == place_stopped) && !(update == update_none) && (update_next == update_next_none)) ->
        update_next = 1;
    }
    :: d_step { /* environment shuts down */
        (!(place == place_stopped) && (shutdown == 0)) ->
        shutdown = 1;
    }
    od
}

never everything { do :: true od }

/* WG-Q1: a tunnel packet is served some day */
ltl claim_7 { [] (!(!(tunnel == 0)) || <> (((place == place_pass_start) || (place == place_after_add) || (place == place_after_open) || (place == place_pass_end) || (place == place_stopped)))) }

/* WG-SHUT-1: a shutdown is followed some day */
ltl claim_8 { [] (!((shutdown == 1)) || <> ((place == place_stopped))) }
