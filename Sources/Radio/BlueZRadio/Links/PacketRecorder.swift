import Bluetooth
import ByteCoding
import Determinism
import Radio

/// Records what goes over the links, for a capture: the ATT PDUs that calls stand for, as bluetoothd sends and receives
/// them.
final class PacketRecorder {
    private let tap: (any PacketTap)?
    private let clock = SystemMonotonicClock()
    private let tapClock: CaptureClock

    init(_ tap: (any PacketTap)?) {
        self.tap = tap
        tapClock = CaptureClock(at: clock.now())
    }

    /// True when packets are recorded.
    var isOn: Bool { tap != nil }

    func report(_ report: AdvertisementReport) {
        record(.report(report), .received, link: 0, peer: report.address)
    }

    func connected(_ link: LinkID, _ peer: DeviceAddress, isCentral: Bool) {
        record(.connected(isCentral: isCentral, parameters: nil), .received, link: link.number, peer: peer)
    }

    func disconnected(_ link: LinkID, _ peer: DeviceAddress, _ reason: DisconnectReason) {
        record(.disconnected(reason: reason.rawValue), .received, link: link.number, peer: peer)
    }

    func read(_ value: [UInt8], _ characteristic: RemoteCharacteristic, _ link: LinkID, _ peer: DeviceAddress) {
        guard isOn else { return }
        pdu(handlePDU(0x0A, characteristic.valueHandle), .sent, link, peer)
        pdu([0x0B] + value, .received, link, peer)
    }

    func write(
        _ value: [UInt8], _ characteristic: RemoteCharacteristic, isCommand: Bool, _ link: LinkID, _ peer: DeviceAddress
    ) {
        guard isOn else { return }
        pdu(handlePDU(isCommand ? 0x52 : 0x12, characteristic.valueHandle) + value, .sent, link, peer)
    }

    func push(
        _ value: [UInt8], handle: UInt16, isIndication: Bool, _ direction: TappedPacket.Direction, _ link: LinkID,
        _ peer: DeviceAddress
    ) {
        guard isOn else { return }
        pdu(handlePDU(isIndication ? 0x1D : 0x1B, handle) + value, direction, link, peer)
    }

    func served(_ value: [UInt8], handle: UInt16, isCommand: Bool, _ link: LinkID, _ peer: DeviceAddress) {
        guard isOn else { return }
        pdu(handlePDU(isCommand ? 0x52 : 0x12, handle) + value, .received, link, peer)
        if !isCommand { pdu([0x13], .sent, link, peer) }
    }

    private func pdu(_ pdu: [UInt8], _ direction: TappedPacket.Direction, _ link: LinkID, _ peer: DeviceAddress) {
        record(.frame(L2CAPFrame(payload: pdu).bytes), direction, link: link.number, peer: peer)
    }

    private func handlePDU(_ opcode: UInt8, _ handle: UInt16) -> [UInt8] {
        var pdu = [opcode]
        pdu.appendLittleEndian(handle)
        return pdu
    }

    private func record(
        _ content: TappedPacket.Content, _ direction: TappedPacket.Direction, link: UInt64, peer: DeviceAddress
    ) {
        guard let tap else { return }
        tap.record(
            TappedPacket(
                microsecondsSinceEpoch: tapClock.microseconds(at: clock.now()), direction: direction,
                linkNumber: link, peer: peer, content: content))
    }
}
