//! The other end of a tunnel: it speaks the same messages as the device, with its own keys.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::NodeKey;
use firmware_core::wg_mgr::output::{Transmit, TunnelMessage};
use firmware_core::wg_mgr::wire::{
    DataSeal, Initiation, InitiationView, Response, ResponseView, SessionKey, StaticSecret,
    Timestamp, TunnelPacket, open_data,
};

use super::driver::{Core, Driver, Remote, ms};

/// A message of the protective stop inside its IP packet.
pub const HEARTBEAT: [u8; 68] = [7; 68];

/// A session as this end has it.
#[derive(Clone, Copy)]
pub struct Session {
    pub local: u32,
    pub seal: DataSeal,
}

/// One peer's tunnel.
#[derive(Clone)]
pub struct End {
    pub remote: Remote,
    secret: StaticSecret,
    device: NodeKey,
    index: u32,
    pending: Option<(u32, [u8; 32])>,
    pub session: Option<Session>,
}

impl End {
    /// The end at `remote` of its tunnel to the device.
    pub fn new(remote: &Remote, core: &Core) -> Self {
        let device = core.identity().node();
        let crypto = core.config().crypto;
        let secret = StaticSecret::compute(crypto, &remote.identity, device).expect("a real key");
        let index = u32::from(remote.number) << 16;
        Self { remote: remote.clone(), secret, device, index, pending: None, session: None }
    }

    fn next_index(&mut self) -> u32 {
        self.index += 1;
        self.index
    }

    /// An initiation, when this end's clock shows `clock`.
    pub fn initiates(&mut self, clock: Instant) -> Vec<u8> {
        let sender = self.next_index();
        let ephemeral = [self.remote.number ^ 0x33; 32];
        self.pending = Some((sender, ephemeral));
        let initiator = self.remote.identity.node();
        let message = Initiation { sender, ephemeral, initiator, timestamp: Timestamp::at(clock) };
        message.encode(self.device, &self.secret).to_vec()
    }

    /// The device's initiation, if the packet is one for this end.
    pub fn opens(&self, packet: &[u8]) -> Option<Initiation> {
        let view = InitiationView::parse(packet)?;
        let us = self.remote.identity.node();
        assert!(view.mac1_holds(us), "the device knows whom it writes to");
        view.open(&self.secret)
    }

    /// The answer to the device's initiation.
    pub fn answers(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let theirs = self.opens(packet)?;
        let sender = self.next_index();
        let ephemeral = [self.remote.number ^ 0x44; 32];
        let response = Response { sender, receiver: theirs.sender, ephemeral };
        let key = SessionKey::derive(&self.secret, &theirs.ephemeral, &ephemeral);
        let seal = DataSeal { key, from_initiator: false, receiver: theirs.sender, counter: 0 };
        self.session = Some(Session { local: sender, seal });
        Some(response.encode(self.device, &self.secret, &theirs.ephemeral).to_vec())
    }

    /// Takes the device's answer to this end's initiation; whether it was one.
    pub fn completes(&mut self, packet: &[u8]) -> bool {
        let Some((local, ours)) = self.pending else { return false };
        let Some(view) = ResponseView::parse(packet) else { return false };
        assert!(view.mac1_holds(self.remote.identity.node()));
        let Some(response) = view.open(&self.secret, &ours) else { return false };
        let key = SessionKey::derive(&self.secret, &ours, &response.ephemeral);
        let seal = DataSeal { key, from_initiator: true, receiver: response.sender, counter: 0 };
        self.session = Some(Session { local, seal });
        true
    }

    /// The next data packet in the session.
    pub fn says(&mut self, payload: &[u8]) -> Vec<u8> {
        let session = self.session.as_mut().expect("there is a session");
        let packet = packet_of(&session.seal, payload);
        session.seal.counter += 1;
        packet
    }

    /// The data packet with a chosen number.
    pub fn numbers(&self, counter: u64, payload: &[u8]) -> Vec<u8> {
        let session = self.session.expect("there is a session");
        packet_of(&DataSeal { counter, ..session.seal }, payload)
    }

    /// What a data packet of the device says in the present session.
    pub fn reads(&self, packet: &[u8]) -> Option<Vec<u8>> {
        let session = self.session?;
        let TunnelPacket::Data { receiver, .. } = TunnelPacket::parse(packet) else { return None };
        let ours = receiver == session.local;
        let text = open_data(packet, &session.seal.key, !session.seal.from_initiator)?;
        ours.then(|| text.to_vec())
    }

    /// The way of a packet from this end through the relay.
    pub fn relayed(&self) -> Via {
        Via::Derp(self.remote.identity.node())
    }
}

fn packet_of(seal: &DataSeal, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; DataSeal::packet_len(payload.len())];
    seal.write(payload, &mut packet).expect("the buffer has the packet's length");
    packet
}

/// The bytes of a packet that the device sent.
pub fn bytes(transmit: &Transmit) -> Vec<u8> {
    let mut packet = vec![0; transmit.message.len(HEARTBEAT.len())];
    transmit.message.write(&HEARTBEAT, &mut packet).expect("the buffer has the packet's length");
    packet
}

/// The last packet of the kind that `wanted` chooses.
pub fn last(driver: &Driver, wanted: impl Fn(&TunnelMessage) -> bool) -> Transmit {
    let sent = driver.transmits.iter().rev().find(|(_, it)| wanted(&it.message));
    sent.expect("such a packet was sent").1.clone()
}

/// Whether a message is an initiation.
pub fn is_initiation(message: &TunnelMessage) -> bool {
    matches!(message, TunnelMessage::Initiation(_))
}

/// Whether a message is a response.
pub fn is_response(message: &TunnelMessage) -> bool {
    matches!(message, TunnelMessage::Response(_))
}

/// A session that the remote starts, and confirms with one packet; the device is its responder.
pub fn device_responds(driver: &mut Driver, remote: &Remote, via: Via) -> End {
    let mut end = End::new(remote, &driver.core);
    let clock = driver.now;
    driver.tunnel_comes(clock, &end.initiates(clock), via);
    driver.run_until(driver.now.after(ms(30)));
    assert!(end.completes(&bytes(&last(driver, is_response))));
    driver.tunnel_comes(driver.now, &end.says(&HEARTBEAT), via);
    driver.run_until(driver.now.after(ms(30)));
    end
}

/// A session that the device started with its last initiation; the remote answers it.
pub fn device_initiated(driver: &mut Driver, remote: &Remote, via: Via) -> End {
    let mut end = End::new(remote, &driver.core);
    let answer = end.answers(&bytes(&last(driver, is_initiation))).expect("it is for this end");
    driver.tunnel_comes(driver.now, &answer, via);
    driver.run_until(driver.now.after(ms(30)));
    end
}
