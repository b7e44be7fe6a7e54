//! Sockets and TLS sessions in the firmware: who opened which, whether a command has claimed it, and
//! what a reset of the C64 leaves of them.
//!
//! ```text
//!   free ──open──► Session ──01, 05, CLOSE, RELEASE──► free
//!                     └──reset, and reset does not close──► Leaked (nobody can name it)
//! ```
//!
//! A handle is the number of a socket, lowest free one first; the firmware holds some itself.
use std::collections::VecDeque;

/// Sockets there can be at most.
pub const POOL_MAX: u8 = 16;
/// TLS sessions there can be at most.
pub const TLS_MAX: usize = 2;

/// What a socket number stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Free,
    /// The firmware's own.
    Firmware,
    /// Opened by a program before a reset that did not close it.
    Leaked,
    Session(Session),
}

/// A socket or TLS session of the running program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// Whether it is a TLS session.
    pub tls: bool,
    /// Whether a command came after the one that opened it; RELEASE closes only what none has.
    pub claimed: bool,
    /// The status line that every READ answers once the session has died.
    pub sticky: Option<Vec<u8>>,
    /// Plaintext of an engine step that did not fit the READ it was fetched for.
    pub rest: VecDeque<u8>,
}

/// Every socket number and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sessions {
    places: Vec<Place>,
}

/// Why no session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpenRefused {
    /// Every socket is taken.
    NoSocket,
    /// Both TLS sessions are taken.
    NoTlsSession,
}

impl Sessions {
    /// A table of `pool` sockets, of which the firmware takes the first `used_by_firmware` itself;
    /// no more than [`POOL_MAX`].
    pub fn new(pool: u8, used_by_firmware: u8) -> Self {
        let place = |number| if number < used_by_firmware { Place::Firmware } else { Place::Free };
        Self { places: (0..pool.min(POOL_MAX)).map(place).collect() }
    }

    /// Opens a session and gives its handle.
    ///
    /// # Errors
    /// When the table it needs a place in is full.
    pub fn open(&mut self, tls: bool) -> Result<u8, OpenRefused> {
        if tls && self.iter().filter(|(_, session)| session.tls).count() >= TLS_MAX {
            return Err(OpenRefused::NoTlsSession);
        }
        let free = (0..).zip(&mut self.places).find(|(_, place)| **place == Place::Free);
        let (handle, place) = free.ok_or(OpenRefused::NoSocket)?;
        *place =
            Place::Session(Session { tls, claimed: false, sticky: None, rest: VecDeque::new() });
        Ok(handle)
    }

    /// The program's session with this handle; the firmware's own and leaked sockets are none.
    pub fn get_mut(&mut self, handle: u8) -> Option<&mut Session> {
        match self.places.get_mut(usize::from(handle)) {
            Some(Place::Session(session)) => Some(session),
            Some(Place::Free | Place::Firmware | Place::Leaked) | None => None,
        }
    }

    /// Closes the program's session with this handle; whether there was one.
    pub fn close(&mut self, handle: u8) -> bool {
        let known = self.get_mut(handle).is_some();
        if known && let Some(place) = self.places.get_mut(usize::from(handle)) {
            *place = Place::Free;
        }
        known
    }

    /// Marks every session as claimed.
    pub fn claim_all(&mut self) {
        for place in &mut self.places {
            if let Place::Session(session) = place {
                session.claimed = true;
            }
        }
    }

    /// Closes every session that no command has claimed, and counts them.
    pub fn release(&mut self) -> u8 {
        let mut closed = 0;
        for place in &mut self.places {
            if matches!(place, Place::Session(session) if !session.claimed) {
                *place = Place::Free;
                closed += 1;
            }
        }
        closed
    }

    /// A reset of the C64. Without the change that closes them, plain sockets leak; TLS sessions
    /// stay in their table, where the next program finds them by number.
    pub fn reset(&mut self, closes: bool) {
        for place in &mut self.places {
            match place {
                Place::Session(_) if closes => *place = Place::Free,
                Place::Session(session) if !session.tls => *place = Place::Leaked,
                Place::Session(_) | Place::Free | Place::Firmware | Place::Leaked => {}
            }
        }
    }

    /// The program's sessions with their handles, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &Session)> {
        (0..).zip(&self.places).filter_map(|(handle, place)| match place {
            Place::Session(session) => Some((handle, session)),
            Place::Free | Place::Firmware | Place::Leaked => None,
        })
    }

    /// Sockets that nobody can name and nobody closes.
    pub fn leaked(&self) -> usize {
        self.places.iter().filter(|place| **place == Place::Leaked).count()
    }
}
