//! Address: the first network interface whose address is not 0.0.0.0.
use super::{Command, Done, Ended, ErrorCode, Exchange, Job, M3Read, Next};

/// Network interfaces that are asked: wired and wireless. The number is this project's reading of
/// the device; the sources only say "all".
pub(super) const INTERFACES: u8 = 2;
/// Bytes of a reply: address, mask, gateway.
const ADDRESS_REPLY_BYTES: u16 = 12;

impl M3Read {
    pub(super) fn ask_address(&mut self, interface: u8) -> Next {
        self.launch(Job::Address { interface }, Command::Address { interface })
    }

    pub(super) fn address_settled(
        &mut self,
        interface: u8,
        ended: Ended,
        exchange: &Exchange,
    ) -> Next {
        let verdict = match ended {
            Ended::Wedged | Ended::Aborted(_) => self.fail(ErrorCode::WaitTimeout),
            Ended::Rejected => self.fail(ErrorCode::CommandFailed),
            Ended::Replied => match exchange.reply() {
                (&[a, b, c, d, ..], ADDRESS_REPLY_BYTES) if [a, b, c, d] != [0; 4] => {
                    self.last_error = ErrorCode::Ok;
                    Ok([a, b, c, d])
                }
                _ if interface + 1 < INTERFACES => return self.ask_address(interface + 1),
                _ => self.fail(ErrorCode::NoAddress),
            },
        };
        self.finish(Done::Address(verdict))
    }
}
