import Bluetooth
import Radio

/// The records of links in both roles: their numbers, their packets and, after their end, their statistics.
struct LinkRecords {
    private let registry = LinkRegistry()
    let recorder: PacketRecorder
    let forgetter: DeviceForgetter

    init(_ recorder: PacketRecorder, forgetter: DeviceForgetter) {
        self.recorder = recorder
        self.forgetter = forgetter
    }

    /// Numbers a link that is up, and records its packets from now on.
    func connected(to peer: DeviceAddress, isCentral: Bool) -> LinkID {
        let link = registry.next()
        recorder.connected(link, peer, isCentral: isCentral)
        return link
    }

    /// Keeps the statistics of a link that has ended, for `statistics(of:)`.
    func disconnected(
        _ link: LinkID, from peer: DeviceAddress, _ reason: DisconnectReason, _ statistics: LinkStatistics
    ) {
        registry.remember(link, statistics)
        recorder.disconnected(link, peer, reason)
    }

    /// The statistics of a link that has ended; nil when they are not remembered.
    func statistics(of link: LinkID) -> LinkStatistics? { registry.statistics(of: link) }
}
