import Bluetooth
import Determinism
import Radio

/// The radio's state of one of its links as peripheral; only the radio accesses it.
final class PeripheralLinkState {
    let id: LinkID
    let path: String
    let peer: DeviceAddress
    private var phase = LinkPhase.up

    private(set) var statistics = LinkStatistics(mtu: ATTPDU.minimumMTU, droppedByHost: 0)

    /// The time of the last pushed value.
    private(set) var pushedAt: MonotonicInstant?

    /// The object of the characteristic that the central wrote last.
    private(set) var lastWritten: String?

    /// True once a value went to the central as a raw packet.
    ///
    /// The next ones go the same way if they may: one through bluetoothd would be overtaken by a raw one behind it.
    private(set) var getsRaw = false

    /// The central's read that the application owes an answer to, and where it begins.
    private var waitingRead: (call: SystemBus.IncomingBusCall, offset: Int)?

    init(id: LinkID, path: String, peer: DeviceAddress) {
        self.id = id
        self.path = path
        self.peer = peer
    }

    var mtu: Int { statistics.mtu }

    var isOver: Bool { phase == .over }

    /// True once this side has begun to end the link, or the link has ended.
    var isDown: Bool { phase.isDown }

    /// Records that this side ends the link; the first reason stays.
    func beginClosing(_ reason: DisconnectReason) { phase.beginClosing(reason) }

    /// Records the end of the link.
    ///
    /// - Returns: The reason for the consumer, see `LinkPhase.finish`.
    func finish(_ reported: DisconnectReason?) -> DisconnectReason { phase.finish(reported) }

    /// Records the ATT MTU; false when it is the same as before.
    func record(mtu: Int) -> Bool {
        guard mtu != self.mtu else { return false }
        statistics.mtu = mtu
        return true
    }

    /// Keeps a read for the application; refuses one that waits already, which a client of ATT does not bring about.
    func keep(_ call: SystemBus.IncomingBusCall, from offset: Int) {
        waitingRead?.call.fail(DBusError("org.bluez.Error.Failed", "another read came before the answer"))
        waitingRead = (call, offset)
    }

    /// Answers the read that waits with the part of `value` that it asks for.
    func answerRead(_ value: [UInt8]) {
        guard let read = waitingRead else { return }
        waitingRead = nil
        guard (0...value.count).contains(read.offset) else {
            return read.call.fail(DBusError("org.bluez.Error.InvalidOffset", "the value is shorter"))
        }
        read.call.reply([.bytes(Array(value[read.offset...]))])
    }

    /// Counts ATT PDUs.
    func count(sent: Int = 0, received: Int = 0) {
        statistics.pdusSent += sent
        statistics.pdusReceived += received
    }

    /// Counts an event that was dropped, because the consumer is too far behind.
    func countDropped() { statistics.droppedByHost = (statistics.droppedByHost ?? 0) + 1 }

    /// Records that a value was pushed.
    func pushed(at now: MonotonicInstant) { pushedAt = now }

    /// Records that values go to the central as raw packets.
    func startRaw() { getsRaw = true }

    /// Records that the central wrote to a characteristic.
    func wrote(to object: String) { lastWritten = object }
}
