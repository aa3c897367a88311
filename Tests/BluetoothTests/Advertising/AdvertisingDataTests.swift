import Bluetooth
import ByteCoding
import Determinism
import Testing

@Suite struct AdvertisingDataTests {
    private static let long = BluetoothUUID("00000001-5026-444A-9E0E-D6F2450F3A77") ?? .deviceName

    private static func parse(_ hex: String) throws -> AdvertisingData {
        AdvertisingData(parsing: try #require(Hex.decode(hex)))
    }

    @Test func `the advertisement of a verifier has the bytes that deployed verifiers send`() throws {
        let key = try #require(Hex.decode("8520f00989"))
        let data = AdvertisingData([
            .flags(0x02), .services([BluetoothUUID(UInt16(1))]),
            .serviceData(BluetoothUUID(UInt16(1)), Array("OVPMOSIP_".utf8) + key),
        ])
        let hex = "020102" + "03030100" + "11160100" + "4f56504d4f5349505f8520f00989"
        #expect(Hex.encode(try data.encoded()) == hex)
        let parsed = try Self.parse(hex)
        #expect(parsed == data && parsed.problem == nil)
        #expect(parsed.flags == 2 && parsed.serviceUUIDs == [BluetoothUUID(UInt16(1))])
        #expect(parsed.serviceData(of: BluetoothUUID(UInt16(1))) == Array("OVPMOSIP_".utf8) + key)
        #expect(parsed.serviceData(of: BluetoothUUID(UInt16(2))) == nil)
    }

    @Test func `advertising data of 31 bytes is encoded and of 32 refused`() throws {
        let service = BluetoothUUID(UInt16(2))
        let full = AdvertisingData([.serviceData(service, [UInt8](repeating: 1, count: 27))])
        #expect(try full.encoded().count == 31)
        let over = AdvertisingData([.serviceData(service, [UInt8](repeating: 1, count: 28))])
        #expect(throws: BluetoothFormatError(.advertisingTooLong, "")) { try over.encoded() }
        #expect(try over.encoded(limit: 32).count == 32)
    }

    @Test func `an advertising structure of 255 bytes is encoded and one of 256 refused`() throws {
        for count in [254, 255] {
            let data = AdvertisingData([.init(.completeName, [UInt8](repeating: 65, count: count))])
            if count == 254 {
                #expect(try AdvertisingData(parsing: data.encoded(limit: 400)) == data)
            } else {
                #expect(throws: BluetoothFormatError(.advertisingTooLong, "")) { try data.encoded(limit: 400) }
            }
        }
    }

    @Test func `advertising structures of every type are told apart`() throws {
        let data = AdvertisingData([
            .services([Self.long, BluetoothUUID(UInt16(5))], isComplete: false), .services([]),
            .init(.completeServices32, [1, 0, 0, 0, 2]), .serviceData(Self.long, [7]),
            .init(.serviceData32, [1, 0, 0, 0, 8]), .init(.serviceData16, [1]),
            .manufacturerData(company: 0x004C, [2, 21]), .init(.manufacturerData, [1]),
            .localName("Sym", isComplete: false), .localName("Symbolon"), .transmitPower(-8),
        ])
        let parsed = AdvertisingData(parsing: try data.encoded(limit: 255))
        #expect(parsed == data)
        #expect(parsed.serviceUUIDs == [Self.long, BluetoothUUID(UInt16(5)), BluetoothUUID(UInt32(1))])
        #expect(!parsed.hasAllServiceUUIDs)
        #expect(parsed.serviceData.map(\.uuid) == [Self.long, BluetoothUUID(UInt32(1))])
        #expect(parsed.serviceData.map(\.data) == [[7], [8]])
        #expect(parsed.manufacturerData.map(\.company) == [0x004C])
        #expect(parsed.manufacturerData.map(\.data) == [[2, 21]])
        #expect(parsed.localName == "Symbolon" && parsed.transmitPower == -8 && parsed.flags == nil)
    }

    @Test func `a shortened local name is used when there is no complete one, and empty data has no name`() {
        #expect(AdvertisingData([.localName("Sy", isComplete: false)]).localName == "Sy")
        let empty = AdvertisingData()
        #expect(empty.localName == nil && empty.transmitPower == nil && empty.hasAllServiceUUIDs)
        #expect(AdvertisingData([.init(.flags, [])]).flags == nil)
    }

    @Test func `a zero length ends advertising data, and zeros after it are padding`() throws {
        let padded = try Self.parse("020106" + "000000")
        #expect(padded.structures == [.flags(6)] && padded.problem == nil)
        let odd = try Self.parse("020106" + "000005")
        #expect(odd.structures == [.flags(6)] && odd.problem == .dataAfterEnd(offset: 3, tail: [0, 5]))
    }

    @Test func `an advertising structure longer than the data is reported, and the ones before it are kept`() throws {
        let data = try Self.parse("020106" + "0516010203")
        #expect(data.structures == [.flags(6)])
        #expect(data.problem == .lengthPastEnd(offset: 3, announced: 5, tail: [0x16, 1, 2, 3]))
        #expect(try Self.parse("05").problem == .lengthPastEnd(offset: 0, announced: 5, tail: []))
    }

    @Test func `advertising data cut short anywhere keeps the structures that are whole`() throws {
        let whole = AdvertisingData([.flags(6), .services([Self.long]), .localName("Sym")])
        let bytes = try whole.encoded()
        for count in 0...bytes.count {
            let cut = AdvertisingData(parsing: Array(bytes[..<count]))
            let boundary = [0, 3, 21, 26].lastIndex { $0 <= count } ?? 0
            #expect(cut.structures == Array(whole.structures.prefix(boundary)))
            #expect((cut.problem == nil) == [0, 3, 21, 26].contains(count))
        }
    }

    @Test func `any bytes can be read as advertising data, and whole structures are written back`() throws {
        var random = SeededRandom(seed: 3)
        var whole = 0
        for _ in 0..<20_000 {
            var bytes = random.bytes(count: random.within(0...31))
            if !bytes.isEmpty, random.chance(1, in: 2) { bytes[0] = UInt8(bytes.count - 1) }
            let data = AdvertisingData(parsing: bytes)
            let written = try data.encoded()
            #expect(bytes.starts(with: written))
            #expect(data.serviceUUIDs.count <= 16 && data.serviceData.count <= 16)
            if data.problem == nil, written.count == bytes.count { whole += 1 }
        }
        #expect(whole > 5000)
    }

    @Test func `advertising structure types have the names of the specification`() {
        #expect(AdvertisingStructure.Kind.serviceData16.description == "Service Data, 16-bit UUID")
        #expect(AdvertisingStructure.Kind(rawValue: 0x7E).description == "Type 0x7e")
        #expect(AdvertisingStructure.flags(6).byteCount == 3)
    }
}
