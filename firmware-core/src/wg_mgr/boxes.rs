//! NaCl boxes: DISCO's sealing and opening, real or modelled.
//!
//! ```text
//!   our secret ─┐
//!               ├─ X25519 ─► HSalsa20 ─► SharedBox ── seal / open (XSalsa20-Poly1305, tag first)
//!   their key ──┘   (X)                              (S)
//! ```
//!
//! The shared secret is kept as its 32 bytes, so that a cache can hold it and a checker can store
//! the cache. That is why the box is put together here from the two halves that `crypto_box` is
//! made of, X25519 and `crypto_secretbox`; a test holds the result against `crypto_box` itself.
//!
//! The modelled box gives the same verdicts for the price of comparing keys: its secret is made of
//! the two public keys, its tag is a checksum. It hides nothing and exists so that long runs under
//! virtual time need not compute curves.
use core::fmt;

use crypto_secretbox::aead::AeadInPlace;
use crypto_secretbox::{Kdf, KeyInit, XSalsa20Poly1305};

use super::config::Crypto;
use super::keys::{DiscoKey, Identity, KEY_LEN};

/// Length of a box's nonce in bytes.
pub const NONCE_LEN: usize = 24;
/// Length of a box's tag in bytes.
pub const TAG_LEN: usize = 16;

/// What two key holders share: enough to seal and open without another Diffie-Hellman.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SharedBox {
    peer: DiscoKey,
    secret: [u8; KEY_LEN],
    crypto: Crypto,
}

/// A box that does not open: forged, damaged, or for another pair of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forged;

impl SharedBox {
    /// Computes the shared box of `identity` and `peer`; with [`Crypto::Real`] this is the one
    /// X25519 that budgets exist for.
    pub fn compute(crypto: Crypto, identity: &Identity, peer: DiscoKey) -> Self {
        let secret = match crypto {
            Crypto::Real => {
                let shared = identity.disco_shared(peer);
                XSalsa20Poly1305::kdf(&shared.into(), &[0; 16].into()).into()
            }
            Crypto::Modelled => modelled_secret(identity.disco(), peer),
        };
        Self { peer, secret, crypto }
    }

    /// The other holder's key.
    pub fn peer(&self) -> DiscoKey {
        self.peer
    }

    /// Encrypts `text` in place and returns its tag.
    pub fn seal(&self, nonce: &[u8; NONCE_LEN], text: &mut [u8]) -> [u8; TAG_LEN] {
        match self.crypto {
            Crypto::Real => self
                .cipher()
                .encrypt_in_place_detached(nonce.into(), b"", text)
                .expect("a packet is far below the cipher's length limit")
                .into(),
            Crypto::Modelled => checksum(&self.secret, nonce, text),
        }
    }

    /// Decrypts `text` in place.
    ///
    /// # Errors
    /// [`Forged`] when the tag does not fit; `text` is then not to be used.
    pub fn open(
        &self,
        nonce: &[u8; NONCE_LEN],
        tag: &[u8; TAG_LEN],
        text: &mut [u8],
    ) -> Result<(), Forged> {
        match self.crypto {
            Crypto::Real => self
                .cipher()
                .decrypt_in_place_detached(nonce.into(), b"", text, tag.into())
                .map_err(|_| Forged),
            Crypto::Modelled if checksum(&self.secret, nonce, text) == *tag => Ok(()),
            Crypto::Modelled => Err(Forged),
        }
    }

    fn cipher(&self) -> XSalsa20Poly1305 {
        XSalsa20Poly1305::new(&self.secret.into())
    }
}

/// The same value from either side; a key of low order gives one that anybody can compute, as the
/// real arithmetic does.
fn modelled_secret(own: DiscoKey, peer: DiscoKey) -> [u8; KEY_LEN] {
    if peer.is_low_order() || own.is_low_order() {
        return [0; KEY_LEN];
    }
    core::array::from_fn(|i| own.0[i] ^ peer.0[i])
}

/// Four multiply-and-mix lanes over everything that a real tag covers.
pub(super) fn checksum(
    secret: &[u8; KEY_LEN],
    nonce: &[u8; NONCE_LEN],
    text: &[u8],
) -> [u8; TAG_LEN] {
    let mut sums = [0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f];
    for chunk in secret.chunks(8).chain(nonce.chunks(8)).chain(text.chunks(8)) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56;
        sums[0] = (sums[0] ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29);
        sums[1] = (sums[1] ^ sums[0]).wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(31);
    }
    let mut tag = [0; TAG_LEN];
    tag[..8].copy_from_slice(&sums[0].to_le_bytes());
    tag[8..].copy_from_slice(&sums[1].to_le_bytes());
    tag
}

impl fmt::Debug for SharedBox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SharedBox({:?})", self.peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: [u8; NONCE_LEN] = [5; NONCE_LEN];

    fn pair(crypto: Crypto) -> (SharedBox, SharedBox) {
        let (ours, theirs) =
            (Identity::from_secrets([1; 32], [2; 32]), Identity::from_secrets([3; 32], [4; 32]));
        (
            SharedBox::compute(crypto, &ours, theirs.disco()),
            SharedBox::compute(crypto, &theirs, ours.disco()),
        )
    }

    #[test]
    fn a_box_opens_for_the_other_holder_and_for_nobody_after_a_changed_bit() {
        for crypto in [Crypto::Real, Crypto::Modelled] {
            let (ours, theirs) = pair(crypto);
            let mut text = *b"fourteen bytes";
            let tag = ours.seal(&NONCE, &mut text);
            for bit in 0..text.len() * 8 {
                let mut damaged = text;
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(
                    theirs.open(&NONCE, &tag, &mut damaged),
                    Err(Forged),
                    "{crypto:?} {bit}"
                );
            }
            assert_eq!(theirs.open(&[6; NONCE_LEN], &tag, &mut text.clone()), Err(Forged));
            assert_eq!(theirs.open(&NONCE, &tag, &mut text), Ok(()));
            assert_eq!(&text, b"fourteen bytes");
        }
    }

    /// The independent half: a box of ours opens in `crypto_box`, and one of its opens here.
    #[test]
    fn real_boxes_are_those_of_the_nacl_library() {
        use crypto_box::aead::AeadInPlace;
        let (ours, _) = pair(Crypto::Real);
        let our_key = Identity::from_secrets([1; 32], [2; 32]).disco();
        let theirs = crypto_box::SalsaBox::new(
            &crypto_box::PublicKey::from(our_key.0),
            &crypto_box::SecretKey::from([4; 32]),
        );
        let mut text = *b"from us to them";
        let tag = ours.seal(&NONCE, &mut text);
        let opened = theirs.decrypt_in_place_detached(&NONCE.into(), b"", &mut text, &tag.into());
        assert!(opened.is_ok());
        assert_eq!(&text, b"from us to them");
        let tag = theirs.encrypt_in_place_detached(&NONCE.into(), b"", &mut text).expect("short");
        assert_eq!(ours.open(&NONCE, &tag.into(), &mut text), Ok(()));
        assert_eq!(&text, b"from us to them");
    }

    /// Cites WG-DISCO-2 (PF-95): with a low-order key the shared secret is everybody's.
    #[test]
    fn a_box_from_an_all_zero_key_can_be_made_without_any_secret() {
        for crypto in [Crypto::Real, Crypto::Modelled] {
            let zero = DiscoKey([0; 32]);
            let ours = Identity::from_secrets([1; 32], [2; 32]);
            let attacker = Identity::from_secrets([8; 32], [9; 32]);
            let mut text = *b"anyone";
            let tag = SharedBox::compute(crypto, &attacker, zero).seal(&NONCE, &mut text);
            let opener = SharedBox::compute(crypto, &ours, zero);
            assert_eq!(opener.open(&NONCE, &tag, &mut text), Ok(()), "{crypto:?}");
        }
    }
}
