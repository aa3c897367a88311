import Bluetooth
import Determinism
import Radio

/// The radio's state of one of its links as peripheral; only the radio accesses it.
final class PeripheralSession {
    let id: LinkID
    let path: String
    let peer: DeviceAddress
    var mtu = ATTPDU.minimumMTU
    var statistics = LinkStatistics(droppedByHost: 0)
    /// The time of the last pushed value.
    var pushedAt: MonotonicInstant?
    /// The end that this side began.
    var closing: DisconnectReason?
    var isOver = false
    /// The object of the characteristic that the central wrote last.
    var lastWritten: String?

    init(id: LinkID, path: String, peer: DeviceAddress) {
        self.id = id
        self.path = path
        self.peer = peer
    }
}
