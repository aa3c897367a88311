import Bluetooth
import TestSupport
import Testing

/// Readers that have no test of their own of what they make of a message cut short, or followed by more.
@Suite struct DecoderTests {
    @Test func `a Bluetooth UUID is decoded from 2, 4 or 16 bytes, and an address from 6`() {
        let wire = Array(UInt8(1)...16)
        #expect(DecoderVerifier.acceptedTruncations(of: wire) { BluetoothUUID(littleEndian: $0) } == [2, 4])
        #expect(DecoderVerifier.acceptedExtensions(of: wire) { BluetoothUUID(littleEndian: $0) } == [])
        let address = Array(wire.prefix(6))
        #expect(
            DecoderVerifier.acceptedTruncations(of: address) { DeviceAddress(littleEndian: $0, kind: .random) } == [])
        #expect(
            DecoderVerifier.acceptedExtensions(of: address) { DeviceAddress(littleEndian: $0, kind: .random) } == [])
    }

    @Test func `a pcap file that is cut within a record or extended is reported`() throws {
        let record: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9]
        let bytes: [UInt8] =
            [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [251, 0, 0, 0] + record
        let whole = { (bytes: [UInt8]) throws -> PacketCapture? in
            let file = try PacketCapture(parsing: bytes)
            return file.problem == nil ? file : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: bytes, by: whole) == [24])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes, by: whole) == [])
    }

    @Test func `text of a Bluetooth UUID is the full form or a short form`() {
        let text = Array("0000180F-0000-1000-8000-00805F9B34FB".utf8)
        let accepted = DecoderVerifier.acceptedTruncations(of: text) {
            BluetoothUUID(String(decoding: $0, as: UTF8.self))
        }
        #expect(accepted == [4, 8])
        #expect(
            DecoderVerifier.acceptedExtensions(of: text) { BluetoothUUID(String(decoding: $0, as: UTF8.self)) } == [])
    }

    @Test(.shows("T9")) func `advertising data cut within a structure are read up to the cut, which is reported`() {
        let bytes: [UInt8] = [2, 1, 6, 3, 3, 1, 0, 5, 0x16, 1, 0, 7, 8]
        let whole = { (bytes: [UInt8]) -> AdvertisingData? in
            let data = AdvertisingData(parsing: bytes)
            return data.problem == nil ? data : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: bytes, by: whole) == [0, 3, 7])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes, by: whole) == [0])
    }

    @Test
    func
        `a capture cut within a record is read up to the cut, which is reported; one cut within its header is refused`()
    {
        let record = BTSnoopWriter().disconnected(1, reason: 0x13, at: 0)
        let bytes = BTSnoopWriter.header + record + record
        let whole = { (bytes: [UInt8]) throws -> BTSnoopFile? in
            let file = try BTSnoopFile(parsing: bytes)
            return file.problem == nil ? file : nil
        }
        #expect(
            DecoderVerifier.acceptedTruncations(of: bytes, by: whole) == [
                BTSnoopWriter.header.count, BTSnoopWriter.header.count + record.count,
            ])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes, by: whole) == [])
    }
}
