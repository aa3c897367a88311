import Bluetooth
import ByteCoding

/// An ATT notification as packets for a raw HCI socket, for a central that has not subscribed.
///
/// bluetoothd notifies subscribers only, and most wallets in the field never subscribe. Nothing but notifications is
/// made here: an indication would be confirmed to bluetoothd, which did not ask.
enum RawHCINotification {
    /// The fewest bytes that every controller takes in one packet.
    static let minimumBuffer = 27

    /// The packets, H4 type first: the frame in pieces of at most `buffer` bytes, only the first marked as such.
    static func packets(_ value: [UInt8], attribute: UInt16, connection: UInt16, buffer: Int) -> [[UInt8]] {
        var pdu: [UInt8] = [0x1B]
        pdu.appendLittleEndian(attribute)
        let frame = L2CAPFrame(payload: pdu + value).bytes
        let size = max(minimumBuffer, buffer)
        return stride(from: 0, to: frame.count, by: size).map { start in
            let piece = Array(frame[start..<min(start + size, frame.count)])
            return HCIPacket.data(connection: connection, isFirst: start == 0, fragment: piece).bytes(isReceived: false)
        }
    }

    /// Asks a controller how many bytes of LE data it takes in one packet.
    static let readBufferSize: [UInt8] = [0x01, 0x02, 0x20, 0x00]

    /// The bytes of a packet and the number of packets in the answer to `readBufferSize`; nil when this is another
    /// packet, or a refusal.
    ///
    /// Zero bytes, which stand for "as for BR/EDR", count as the fewest that every controller takes.
    static func buffers(in packet: [UInt8]) -> (bytes: Int, count: Int)? {
        var reader = ByteReader(packet)
        guard reader.byte() == 0x04, reader.byte() == 0x0E, reader.byte() != nil, reader.byte() != nil,
            reader.littleEndian(UInt16.self) == 0x2002, reader.byte() == 0, let size = reader.littleEndian(UInt16.self),
            let count = reader.byte()
        else { return nil }
        return (max(minimumBuffer, Int(size)), Int(count))
    }
}
