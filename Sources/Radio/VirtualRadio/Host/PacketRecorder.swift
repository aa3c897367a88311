import Bluetooth
import Determinism
import Radio

/// Records the packets between host and controller, for a capture.
struct PacketRecorder: Sendable {
    private let tap: (any PacketTap)?
    private let timekeeper: any MonotonicClock
    private let clock: TapClock

    init(_ tap: (any PacketTap)?, _ timekeeper: any MonotonicClock) {
        self.tap = tap
        self.timekeeper = timekeeper
        clock = TapClock(at: timekeeper.now())
    }

    func record(
        _ content: TappedPacket.Content, _ direction: TappedPacket.Direction, link: UInt64, peer: DeviceAddress
    ) {
        guard let tap else { return }
        tap.record(
            TappedPacket(
                microsecondsSinceEpoch: clock.microseconds(at: timekeeper.now()), direction: direction,
                linkNumber: link, peer: peer, content: content))
    }
}
