/* m3_read_arm_2_hole_is_data
 * The READ client, its register interface and the firmware that answers, as phases.
 * `left` bytes are unread in the block shown; the header announced `total`, `got` have
 * come. `flawed`: the reply breaks a rule. `second`: a continuation was asked for.
 *
 * Generated: a test holds it against the machine.
 */

#define phase_connected 0
#define phase_wait_idle 1
#define phase_clear 2
#define phase_push 3
#define phase_wait_first 4
#define phase_look 5
#define phase_reject 6
#define phase_first 7
#define phase_header 8
#define phase_payload 9
#define phase_block_end 10
#define phase_accept_more 11
#define phase_wait_more 12
#define phase_drain 13
#define phase_more_left 14
#define phase_text 15
#define phase_accept_last 16
#define phase_abort 17
#define phase_wait_abort 18
#define phase_judge 19
#define phase_dead 20
#define phase_finished 21
#define fpga_idle 0
#define fpga_busy 1
#define fpga_data_last 2
#define fpga_data_more 3
#define kind_nothing 0
#define kind_data 1
#define kind_idle 2
#define kind_not_ours 3
#define kind_clean 4
#define kind_without_notify 5
#define kind_sticky 6
#define reason_none 0
#define reason_not_idle 1
#define reason_late 2
#define reason_holed 3
#define reason_wedged 4
#define reason_rejected 5
#define outcome_none 0
#define outcome_data 1
#define outcome_idle 2
#define outcome_not_ours 3
#define outcome_gone 4
#define outcome_dead 5
#define outcome_hole 6
#define outcome_timed_out 7
#define outcome_rejected 8
#define outcome_wedged 9

/* Never true: the number stands in Spin's message. */
#define BROKEN(claim) (claim == 99)

byte phase = 0;  /* 0..21 */
byte fpga = 0;  /* 0..3 */
bit abort = 0;  /* 0..1 */
bit error = 0;  /* 0..1 */
byte left = 0;  /* 0..7 */
byte header = 0;  /* 0..2 */
byte total = 0;  /* 0..7 */
byte got = 0;  /* 0..6 */
byte kind = 0;  /* 0..6 */
bit second = 0;  /* 0..1 */
byte waited = 0;  /* 0..3 */
bit hole = 0;  /* 0..1 */
bit flawed = 0;  /* 0..1 */
bit faulted = 0;  /* 0..1 */
byte reason = 0;  /* 0..5 */
byte outcome = 0;  /* 0..9 */
bit closing = 0;  /* 0..1 */
bit owned = 1;  /* 0..1 */

active proctype machine() {
    do
    :: d_step { /* poll */
        (phase == phase_connected) ->
        closing = 0;
        waited = 0;
        reason = 0;
        phase = 1;
    }
    :: d_step { /* close */
        (phase == phase_connected) ->
        closing = 1;
        waited = 0;
        reason = 0;
        phase = 1;
    }
    :: d_step { /* close what has ended */
        ((phase == phase_dead) && (owned == 1)) ->
        closing = 1;
        waited = 0;
        reason = 0;
        phase = 1;
    }
    :: d_step { /* let go */
        ((phase == phase_dead) && (owned == 0)) ->
        /* S 1.6: 12, 14, 16 and 17 are always closed */
        assert(BROKEN(11) || ((kind == kind_clean) || (kind == kind_without_notify) || (kind == kind_not_ours) || (kind == kind_idle)));
        phase = 21;
    }
    :: d_step { /* idle */
        ((phase == phase_wait_idle) && (fpga == fpga_idle)) ->
        phase = 2;
    }
    :: d_step { /* clear the refusal bit */
        (phase == phase_clear) ->
        /* App. A: the refusal bit is cleared only where the matrix allows it */
        assert(BROKEN(5) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        error = 0;
        phase = 3;
    }
    :: d_step { /* push READ */
        ((phase == phase_push) && (closing == 0) && (fpga == fpga_idle)) ->
        /* App. A: a push is written only where the matrix allows it */
        assert(BROKEN(2) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        header = 0;
        got = 0;
        total = 0;
        kind = 0;
        second = 0;
        hole = 0;
        flawed = 0;
        waited = 0;
        fpga = 1;
        phase = 4;
    }
    :: d_step { /* push READ refused */
        ((phase == phase_push) && (closing == 0) && !(fpga == fpga_idle)) ->
        /* App. A: a push is written only where the matrix allows it */
        assert(BROKEN(2) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        header = 0;
        got = 0;
        total = 0;
        kind = 0;
        second = 0;
        hole = 0;
        flawed = 0;
        waited = 0;
        error = 1;
        phase = 4;
    }
    :: d_step { /* push CLOSE */
        ((phase == phase_push) && (closing == 1) && (fpga == fpga_idle)) ->
        /* App. A: a push is written only where the matrix allows it */
        assert(BROKEN(2) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        /* S 1.6 M10: 01 and 05 are never closed */
        assert(BROKEN(10) || !((outcome == outcome_gone) || (outcome == outcome_not_ours)));
        waited = 0;
        fpga = 1;
        phase = 4;
    }
    :: d_step { /* push CLOSE refused */
        ((phase == phase_push) && (closing == 1) && !(fpga == fpga_idle)) ->
        /* App. A: a push is written only where the matrix allows it */
        assert(BROKEN(2) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        /* S 1.6 M10: 01 and 05 are never closed */
        assert(BROKEN(10) || !((outcome == outcome_gone) || (outcome == outcome_not_ours)));
        waited = 0;
        error = 1;
        phase = 4;
    }
    :: d_step { /* wait_idle longer */
        (((phase == phase_wait_idle) && !(fpga == fpga_idle)) && (waited < 3)) ->
        waited = (waited + 1);
    }
    :: d_step { /* wait_idle too long */
        (((phase == phase_wait_idle) && !(fpga == fpga_idle)) && (waited == 3)) ->
        reason = 1;
        phase = 17;
    }
    :: d_step { /* wait_first longer */
        (((phase == phase_wait_first) && !(((fpga == fpga_data_last) || (fpga == fpga_data_more)) || (error == 1))) && (waited < 3)) ->
        waited = (waited + 1);
    }
    :: d_step { /* wait_first too long */
        (((phase == phase_wait_first) && !(((fpga == fpga_data_last) || (fpga == fpga_data_more)) || (error == 1))) && (waited == 3)) ->
        reason = 2;
        phase = 17;
    }
    :: d_step { /* wait_more longer */
        (((phase == phase_wait_more) && !((fpga == fpga_data_last) || (fpga == fpga_data_more))) && (waited < 3)) ->
        waited = (waited + 1);
    }
    :: d_step { /* wait_more too long */
        (((phase == phase_wait_more) && !((fpga == fpga_data_last) || (fpga == fpga_data_more))) && (waited == 3)) ->
        reason = 2;
        phase = 17;
    }
    :: d_step { /* answered */
        ((phase == phase_wait_first) && (((fpga == fpga_data_last) || (fpga == fpga_data_more)) || (error == 1))) ->
        phase = 5;
    }
    :: d_step { /* continued */
        ((phase == phase_wait_more) && ((fpga == fpga_data_last) || (fpga == fpga_data_more))) ->
        phase = 9;
    }
    :: d_step { /* abort */
        (phase == phase_abort) ->
        /* App. A: an abort is written only where the matrix allows it */
        assert(BROKEN(4) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        waited = 0;
        abort = 1;
        phase = 18;
    }
    :: d_step { /* served, go on */
        ((phase == phase_wait_abort) && ((abort == 0) && (reason == reason_not_idle))) ->
        phase = 2;
    }
    :: d_step { /* served */
        ((phase == phase_wait_abort) && ((abort == 0) && !(reason == reason_not_idle))) ->
        phase = 19;
    }
    :: d_step { /* abort pending, command not begun */
        (((phase == phase_wait_abort) && (!(abort == 0) && (reason == reason_not_idle))) && (waited < 2)) ->
        waited = (waited + 1);
    }
    :: d_step { /* wedged, command not begun */
        (((phase == phase_wait_abort) && (!(abort == 0) && (reason == reason_not_idle))) && (waited == 2)) ->
        reason = 4;
        phase = 19;
    }
    :: d_step { /* abort pending, command running */
        (((phase == phase_wait_abort) && (!(abort == 0) && !(reason == reason_not_idle))) && (waited < 1)) ->
        waited = (waited + 1);
    }
    :: d_step { /* wedged, command running */
        (((phase == phase_wait_abort) && (!(abort == 0) && !(reason == reason_not_idle))) && (waited == 1)) ->
        reason = 4;
        phase = 19;
    }
    :: d_step { /* refused */
        ((phase == phase_look) && (error == 1)) ->
        phase = 6;
    }
    :: d_step { /* not refused */
        ((phase == phase_look) && (error == 0) && (closing == 0)) ->
        phase = 7;
    }
    :: d_step { /* CLOSE not refused */
        ((phase == phase_look) && (error == 0) && (closing == 1)) ->
        phase = 13;
    }
    :: d_step { /* clear the refusal */
        (phase == phase_reject) ->
        /* App. A: the refusal bit is cleared only where the matrix allows it */
        assert(BROKEN(5) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_idle) && !(left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && !(left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && !(left == 0) && (abort == 0))));
        error = 0;
        reason = 5;
        phase = 19;
    }
    :: d_step { /* a reply */
        ((phase == phase_first) && !(left == 0)) ->
        phase = 8;
    }
    :: d_step { /* no reply */
        ((phase == phase_first) && (left == 0)) ->
        phase = 13;
    }
    :: d_step { /* no header */
        ((phase == phase_header) && (left == 0)) ->
        phase = 13;
    }
    :: d_step { /* block over */
        ((phase == phase_payload) && (left == 0)) ->
        phase = 10;
    }
    :: d_step { /* half a header */
        (((phase == phase_header) && !(left == 0)) && (header == 0)) ->
        left = (left - 1);
        header = (header + 1);
    }
    :: d_step { /* a count */
        (((phase == phase_header) && !(left == 0)) && (header == 1) && ((kind == kind_data) && !(6 < total))) ->
        left = (left - 1);
        header = (header + 1);
        phase = 9;
    }
    :: d_step { /* a count over the request */
        (((phase == phase_header) && !(left == 0)) && (header == 1) && ((kind == kind_data) && (6 < total))) ->
        left = (left - 1);
        header = (header + 1);
        phase = 9;
        hole = 1;
    }
    :: d_step { /* no count */
        (((phase == phase_header) && !(left == 0)) && (header == 1) && !(kind == kind_data)) ->
        left = (left - 1);
        header = (header + 1);
        phase = 13;
    }
    :: d_step { /* a byte */
        (((phase == phase_payload) && !(left == 0)) && ((got + 1) < ((total < 6) -> total : 6))) ->
        left = (left - 1);
        got = (got + 1);
    }
    :: d_step { /* the last byte */
        (((phase == phase_payload) && !(left == 0)) && !((got + 1) < ((total < 6) -> total : 6))) ->
        left = (left - 1);
        got = (got + 1);
        phase = 13;
    }
    :: d_step { /* continuation due */
        ((phase == phase_block_end) && ((fpga == fpga_data_more) && (second == 0) && (got == 4) && (hole == 0))) ->
        phase = 11;
    }
    :: d_step { /* accept_more on idle */
        ((phase == phase_accept_more) && (fpga == fpga_idle)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 12;
        second = 1;
        waited = 0;
    }
    :: d_step { /* accept_more on busy */
        ((phase == phase_accept_more) && (fpga == fpga_busy)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 12;
        second = 1;
        waited = 0;
    }
    :: d_step { /* accept_more on last block */
        ((phase == phase_accept_more) && (fpga == fpga_data_last)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 12;
        second = 1;
        waited = 0;
        fpga = 0;
    }
    :: d_step { /* accept_more on more */
        ((phase == phase_accept_more) && (fpga == fpga_data_more)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 12;
        second = 1;
        waited = 0;
        fpga = 1;
    }
    :: d_step { /* short */
        ((phase == phase_block_end) && !((fpga == fpga_data_more) && (second == 0) && (got == 4) && (hole == 0))) ->
        hole = 1;
        phase = 13;
    }
    :: d_step { /* drop a byte of CLOSE */
        (((phase == phase_drain) && !(left == 0)) && !(closing == 0)) ->
        left = (left - 1);
    }
    :: d_step { /* drop a byte */
        (((phase == phase_drain) && !(left == 0)) && (closing == 0)) ->
        left = (left - 1);
        hole = 1;
    }
    :: d_step { /* all read */
        ((phase == phase_drain) && (left == 0) && ((closing == 0) && (header == 2) && (kind == kind_data))) ->
        phase = 14;
    }
    :: d_step { /* nothing counted */
        ((phase == phase_drain) && (left == 0) && !((closing == 0) && (header == 2) && (kind == kind_data))) ->
        phase = 15;
    }
    :: d_step { /* more than owed */
        ((phase == phase_more_left) && (fpga == fpga_data_more)) ->
        hole = 1;
        reason = 3;
        phase = 17;
    }
    :: d_step { /* no more */
        ((phase == phase_more_left) && !(fpga == fpga_data_more)) ->
        phase = 15;
    }
    :: d_step { /* wrong end */
        ((phase == phase_text) && (!(left == 0) || (fpga == fpga_data_more))) ->
        hole = 1;
        reason = 3;
        phase = 17;
    }
    :: d_step { /* text read */
        ((phase == phase_text) && !(!(left == 0) || (fpga == fpga_data_more))) ->
        phase = 16;
    }
    :: d_step { /* accept_last on idle */
        ((phase == phase_accept_last) && (fpga == fpga_idle)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 19;
    }
    :: d_step { /* accept_last on busy */
        ((phase == phase_accept_last) && (fpga == fpga_busy)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 19;
    }
    :: d_step { /* accept_last on last block */
        ((phase == phase_accept_last) && (fpga == fpga_data_last)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 19;
        fpga = 0;
    }
    :: d_step { /* accept_last on more */
        ((phase == phase_accept_last) && (fpga == fpga_data_more)) ->
        /* ER-5: nothing is accepted over a hole */
        assert(BROKEN(0) || (!(fpga == fpga_data_more) || ((got == 4) && (got < ((total < 6) -> total : 6)) && !(6 < total) && (second == 0))));
        /* ER-5: a block is read to its end before it is accepted */
        assert(BROKEN(1) || (left == 0));
        /* App. A: an accept is written only where the matrix allows it */
        assert(BROKEN(3) || (((fpga == fpga_idle) && (left == 0) && (abort == 0)) || ((fpga == fpga_busy) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_last) && (left == 0) && (abort == 0)) || ((fpga == fpga_data_more) && (left == 0) && (abort == 0) && (got < ((total < 6) -> total : 6)))));
        left = 0;
        phase = 19;
        fpga = 1;
    }
    :: d_step { /* READ wedged */
        ((phase == phase_judge) && (closing == 0) && (reason == reason_wedged)) ->
        outcome = 9;
        phase = 21;
    }
    :: d_step { /* READ rejected */
        ((phase == phase_judge) && (closing == 0) && (reason == reason_rejected)) ->
        outcome = 8;
        phase = 20;
    }
    :: d_step { /* a hole as data */
        ((phase == phase_judge) && (closing == 0) && (!((reason == reason_wedged) || (reason == reason_rejected)) && (hole == 1) && !((header == 2) && ((kind == kind_idle) || (kind == kind_not_ours))))) ->
        /* ER-5: data are all that was announced, of a reply without a flaw that stays */
        assert(BROKEN(6) || ((got == total) && ((flawed == 0) || (faulted == 1))));
        outcome = 1;
        phase = 0;
    }
    :: d_step { /* a hole without a count */
        ((phase == phase_judge) && (closing == 0) && (!((reason == reason_wedged) || (reason == reason_rejected)) && (hole == 1) && ((header == 2) && ((kind == kind_idle) || (kind == kind_not_ours))))) ->
        /* S:2012-2013: a whole reply is never refused */
        assert(BROKEN(7) || ((flawed == 1) || (faulted == 1)));
        outcome = 6;
        phase = 20;
        owned = 0;
    }
    :: d_step { /* given up */
        ((phase == phase_judge) && (closing == 0) && ((reason == reason_late) && (hole == 0))) ->
        outcome = 7;
        phase = 20;
    }
    :: d_step { /* CLOSE rejected */
        ((phase == phase_judge) && (closing == 1) && (reason == reason_rejected)) ->
        phase = 20;
    }
    :: d_step { /* CLOSE wedged */
        ((phase == phase_judge) && (closing == 1) && (reason == reason_wedged)) ->
        phase = 21;
    }
    :: d_step { /* closed */
        ((phase == phase_judge) && (closing == 1) && !((reason == reason_wedged) || (reason == reason_rejected))) ->
        owned = 0;
        phase = 21;
    }
    :: d_step { /* data */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && (header == 2) && (kind == kind_data)) ->
        /* ER-5: data are all that was announced, of a reply without a flaw that stays */
        assert(BROKEN(6) || ((got == total) && ((flawed == 0) || (faulted == 1))));
        outcome = 1;
        owned = 1;
        phase = 0;
    }
    :: d_step { /* no whole header */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && !(header == 2)) ->
        outcome = 5;
        owned = 1;
        phase = 20;
    }
    :: d_step { /* nothing yet */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && (header == 2) && (kind == kind_idle)) ->
        /* ER-7: only the exact line is idle */
        assert(BROKEN(8) || (kind == kind_idle));
        outcome = 2;
        owned = 1;
        phase = 0;
    }
    :: d_step { /* not ours */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && (header == 2) && (kind == kind_not_ours)) ->
        outcome = 3;
        owned = 0;
        phase = 20;
    }
    :: d_step { /* gone */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && (header == 2) && ((kind == kind_clean) || (kind == kind_without_notify))) ->
        /* ER-12: an empty reply is not an end */
        assert(BROKEN(9) || ((kind == kind_clean) || (kind == kind_without_notify)));
        outcome = 4;
        owned = 0;
        phase = 20;
    }
    :: d_step { /* dead and ours */
        (((phase == phase_judge) && (closing == 0) && ((reason == reason_none) || (reason == reason_not_idle)) && (hole == 0)) && (header == 2) && (kind == kind_sticky)) ->
        outcome = 5;
        owned = 1;
        phase = 20;
    }
    :: d_step { /* environment shows OneByte Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        total = 1;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows OneByte Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        total = 1;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows OneByte Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        total = 1;
        kind = 1;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment shows OneByte Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        total = 1;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows OneByte Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 4;
        total = 1;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows OneByte Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 4;
        total = 1;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows HalfBlock Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        total = 2;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows HalfBlock Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        total = 2;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows HalfBlock Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 4;
        total = 2;
        kind = 1;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment shows HalfBlock Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 4;
        total = 2;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows HalfBlock Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 2;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows HalfBlock Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 2;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlock Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 4;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlock Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 4;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlock Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 4;
        kind = 1;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlock Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 4;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlock Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 4;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlock Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 4;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlockAndOne Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 5;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlockAndOne Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 5;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlockAndOne Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 5;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlockAndOne Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 5;
        kind = 1;
        flawed = 0;
        fpga = 3;
    }
    :: d_step { /* environment shows FullBlockAndOne Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 5;
        kind = 1;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment shows FullBlockAndOne Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 5;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows AllAsked Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 6;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows AllAsked Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 6;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows AllAsked Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 6;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows AllAsked Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 6;
        kind = 1;
        flawed = 0;
        fpga = 3;
    }
    :: d_step { /* environment shows AllAsked Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 6;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows AllAsked Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 6;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows OneOverAsked Short Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows OneOverAsked Short More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 5;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows OneOverAsked Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows OneOverAsked Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 6;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment shows OneOverAsked Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment shows OneOverAsked Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 7;
        total = 7;
        kind = 1;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says Nothing Nothing Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 0;
        kind = 0;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says Nothing Nothing More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 0;
        kind = 0;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says HalfHeader Nothing Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 1;
        kind = 0;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says HalfHeader Nothing More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 1;
        kind = 0;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says NoCount Idle Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 2;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says NoCount Idle More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 2;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says NoCount NotOurs Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 3;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says NoCount NotOurs More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 3;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says NoCountAndByte Idle Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 2;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment says NoCountAndByte Idle More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 2;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says NoCountAndByte NotOurs Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 3;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment says NoCountAndByte NotOurs More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 3;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says End Clean Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 4;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says End Clean More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 4;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says End WithoutNotify Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 5;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says End WithoutNotify More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 5;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says End Sticky Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 6;
        flawed = 0;
        fpga = 2;
    }
    :: d_step { /* environment says End Sticky More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 2;
        kind = 6;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says EndAndByte Clean Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 4;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment says EndAndByte Clean More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 4;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says EndAndByte WithoutNotify Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 5;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment says EndAndByte WithoutNotify More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 5;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment says EndAndByte Sticky Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 6;
        flawed = 1;
        fpga = 2;
    }
    :: d_step { /* environment says EndAndByte Sticky More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 0)) ->
        left = 3;
        kind = 6;
        flawed = 1;
        fpga = 3;
    }
    :: d_step { /* environment continues Short Last */
        (((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) && !((total - ((total < 4) -> total : 4)) == 0)) ->
        left = ((total - ((total < 4) -> total : 4)) - 1);
        fpga = 2;
        flawed = 1;
    }
    :: d_step { /* environment continues Short More */
        (((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) && !((total - ((total < 4) -> total : 4)) == 0)) ->
        left = ((total - ((total < 4) -> total : 4)) - 1);
        fpga = 3;
        flawed = 1;
    }
    :: d_step { /* environment continues Exact Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) ->
        left = (total - ((total < 4) -> total : 4));
        fpga = 2;
    }
    :: d_step { /* environment continues Exact More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) ->
        left = (total - ((total < 4) -> total : 4));
        fpga = 3;
        flawed = 1;
    }
    :: d_step { /* environment continues Long Last */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) ->
        left = ((total - ((total < 4) -> total : 4)) + 1);
        fpga = 2;
        flawed = 1;
    }
    :: d_step { /* environment continues Long More */
        ((fpga == fpga_busy) && (abort == 0) && (closing == 0) && (second == 1)) ->
        left = ((total - ((total < 4) -> total : 4)) + 1);
        fpga = 3;
        flawed = 1;
    }
    :: d_step { /* environment answers CLOSE */
        (((fpga == fpga_busy) && (abort == 0) && (closing == 1) && (second == 0)) || ((fpga == fpga_busy) && (abort == 0) && (closing == 1) && (second == 1))) ->
        left = 0;
        fpga = 2;
    }
    :: d_step { /* environment serves the abort */
        (abort == 1) ->
        left = 0;
        fpga = 0;
        abort = 0;
    }
    :: d_step { /* environment fault resets the block */
        (!(left == 0) && (abort == 0) && (faulted == 0)) ->
        left = 0;
        fpga = 0;
        faulted = 1;
    }
    :: d_step { /* environment fault shows what nobody asked for */
        (((phase == phase_clear) || (phase == phase_push)) && (fpga == fpga_idle) && (faulted == 0)) ->
        left = 1;
        faulted = 1;
        fpga = 2;
    }
    od
}

never everything { do :: true od }

/* ER-1: every wait ends */
ltl claim_12 { [] (!(((phase == phase_wait_idle) || (phase == phase_wait_first) || (phase == phase_wait_more) || (phase == phase_wait_abort))) || <> (!((phase == phase_wait_idle) || (phase == phase_wait_first) || (phase == phase_wait_more) || (phase == phase_wait_abort)))) }

/* S 1.6: what has ended is over some day */
ltl claim_13 { [] (!((phase == phase_dead)) || <> ((phase == phase_finished))) }
