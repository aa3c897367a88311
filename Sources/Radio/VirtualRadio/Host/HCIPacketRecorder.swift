import Bluetooth
import Determinism
import Radio

/// Records the packets between host and controller, for a capture.
struct HCIPacketRecorder: Sendable {
    private let tap: (any PacketTap)?
    private let clock: any MonotonicClock
    private let tapClock: CaptureClock

    init(_ tap: (any PacketTap)?, _ clock: any MonotonicClock) {
        self.tap = tap
        self.clock = clock
        tapClock = CaptureClock(at: clock.now())
    }

    func record(
        _ content: TappedPacket.Content, _ direction: TappedPacket.Direction, link: UInt64, peer: DeviceAddress
    ) {
        guard let tap else { return }
        tap.record(
            TappedPacket(
                microsecondsSinceEpoch: tapClock.microseconds(at: clock.now()), direction: direction,
                linkNumber: link, peer: peer, content: content))
    }
}
