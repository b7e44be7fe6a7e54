//! The things in the world: the manager's task, the receive tasks and the network stack's, the
//! relay's task, peers and their tunnels, floods, heartbeats, the protective stop and the control
//! plane.
pub mod control_plane;
pub mod flood;
pub mod heartbeat;
pub mod peer;
pub mod peer_tunnel;
pub mod pstop;
pub mod receive;
pub mod relay;
pub mod tcpip;
pub mod wg_mgr;
