import Bluetooth
import ByteCoding
import Tuvali

/// A capture made by hand: a wallet finds a verifier, discovers two characteristics, writes one, and is answered on the
/// other.
package enum SampleCapture {
    private static let writer = BTSnoopWriter()
    private static let start: Int64 = 1_700_000_000_000_000

    /// The bytes of the capture file, with 7 records and 7 events.
    package static func bytes() -> [UInt8] {
        let peer = DeviceAddress(staticRandom: 0x1234_5678_9ABC)
        let report = AdvertisementReport(
            address: peer, kind: .connectable, rssi: -50, data: Hex.decode(SampleInvitation.advertisement) ?? [])
        let parameters = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let declarations = ATTPDU.readByTypeResponse([declaration(3, .identify), declaration(5, .reportResponse)])
        return BTSnoopWriter.header + writer.advertisement(report, at: start)
            + writer.connected(64, peer: peer, isCentral: true, parameters, at: start + 10_000)
            + pdu(.readByTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(0x2803 as UInt16)), false, 20_000)
            + pdu(declarations, true, 35_000) + pdu(.writeRequest(handle: 3, value: [1, 2, 3]), false, 50_000)
            + pdu(.handleValueNotification(handle: 5, value: [1, 0, 0]), true, 65_000)
            + writer.disconnected(64, reason: 0x13, at: start + 80_000)
    }

    private static func declaration(_ handle: UInt16, _ characteristic: TuvaliCharacteristic) -> ATTPDU.HandleValue {
        var value: [UInt8] = [0x0C]
        value.appendLittleEndian(handle)
        value += WireProfile.tuvali05.uuid(of: characteristic).littleEndian
        return ATTPDU.HandleValue(handle: handle - 1, value: value)
    }

    private static func pdu(_ pdu: ATTPDU, _ isReceived: Bool, _ time: Int64) -> [UInt8] {
        writer.attribute(pdu.bytes, connection: 64, isReceived: isReceived, at: start + time)
    }
}
