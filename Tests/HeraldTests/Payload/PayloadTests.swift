import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct PayloadTests {
    private static let identifier = Hex.decode("e2cfbeb32de932c9171c658b5f57a337") ?? []

    @Test func `a simple payload has the deployed bytes, and the documented ones on request`() throws {
        let payload = SimplePayload(country: 826, state: 4, identifier: Self.identifier)
        #expect(try Hex.encode(payload.encoded()) == "103a030400e2cfbeb32de932c9171c658b5f57a337")
        #expect(try Hex.encode(payload.encoded(order: .documented)) == "10033a0004e2cfbeb32de932c9171c658b5f57a337")
        for order in PayloadByteOrder.allCases {
            #expect(try SimplePayload(parsing: payload.encoded(order: order), order: order) == payload)
        }
    }

    @Test func `a beacon payload has the deployed bytes`() throws {
        let payload = BeaconPayload(country: 0xDDEE, state: 0x11FF, locationCode: 0xAABB_CCDD)
        #expect(try Hex.encode(payload.encoded()) == "30eeddff11ddccbbaa")
        #expect(try BeaconPayload(parsing: payload.encoded()) == payload)
        #expect(try Hex.encode(payload.encoded(order: .documented)) == "30ddee11ffaabbccdd")
    }

    @Test func `a payload cut short is read only where an entry ends, and one followed by more is refused`() throws {
        let area = ExtendedData([.init(.areaText, "SW1A"), .init(.rssi, [0xC8])])
        let simple = try SimplePayload(country: 1, state: 2, identifier: Self.identifier, extendedData: area).encoded()
        let beacon = try BeaconPayload(country: 1, state: 2, locationCode: 3, extendedData: area).encoded()
        let extended = try area.encoded()
        // After the fixed part and after each entry a shorter message is a whole one.
        #expect(DecoderVerifier.acceptedTruncations(of: simple) { SimplePayload(parsing: $0) } == [21, 27])
        #expect(DecoderVerifier.acceptedTruncations(of: beacon) { BeaconPayload(parsing: $0) } == [9, 15])
        #expect(DecoderVerifier.acceptedTruncations(of: extended) { try ExtendedData(parsing: $0) } == [0, 6])
        #expect(DecoderVerifier.acceptedExtensions(of: simple) { SimplePayload(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: beacon) { BeaconPayload(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: extended) { try ExtendedData(parsing: $0) } == [])
    }

    @Test func `a payload is read by its version, and kept as opaque bytes when it does not fit`() throws {
        let simple = SimplePayload(country: 826, state: 4, identifier: Self.identifier)
        #expect(try HeraldPayload(parsing: simple.encoded()) == .simple(simple))
        let beacon = BeaconPayload(country: 826, state: 4, locationCode: 9)
        #expect(try HeraldPayload(parsing: beacon.encoded()) == .beacon(beacon))
        for bytes: [UInt8] in [[], [0x10], [0x30, 1, 2, 3], [0x80, 1], [0x18] + Self.identifier] {
            #expect(HeraldPayload(parsing: bytes) == .opaque(bytes))
            #expect(try HeraldPayload.opaque(bytes).encoded() == bytes)
        }
    }

    @Test(.shows("HP-73", "HP-77"))
    func `payloads of every version, known or not, are reported and served unchanged`() throws {
        for version in UInt8.min...UInt8.max {
            let payload = [version, 0x3A, 0x03, 0xFF]
            var stage = try Stage(payload: payload)
            #expect(stage.node.ownPayload == payload)
            stage.peers[.test(1)] = Stage.Peer(payload: payload.reversed() + payload)
            stage.hear(.test(1), Adverts.current)
            #expect(stage.events.contains(.read(TargetID(1), payload: payload.reversed() + payload, .link)))
        }
    }

    @Test(.shows("HP-73")) func `the version of a payload is passed on unchanged`() throws {
        for version in UInt8(0x10)...0x17 {
            let payload = SimplePayload(country: 1, state: 2, identifier: Self.identifier, version: version)
            #expect(try SimplePayload(parsing: payload.encoded())?.header.version == version)
        }
    }

    @Test(.shows("HP-76")) func `a payload of 510 bytes is encoded and one of 511 refused`() throws {
        let most = [UInt8](repeating: 1, count: 510)
        #expect(try HeraldPayload.opaque(most).encoded() == most)
        #expect(throws: HeraldError(.payloadTooLong, "")) { try HeraldPayload.opaque(most + [1]).encoded() }
        let entries = [ExtendedData.ExtendedDataEntry(.areaText, [UInt8](repeating: 65, count: 255))]
        let rest = ExtendedData.ExtendedDataEntry(.model, [UInt8](repeating: 65, count: 489 - 257 - 2))
        var payload = SimplePayload(
            country: 1, state: 2, identifier: Self.identifier, extendedData: ExtendedData(entries + [rest]))
        #expect(try SimplePayload(parsing: payload.encoded()) == payload)
        payload.extendedData.entries[1].value.append(65)
        #expect(throws: HeraldError(.payloadTooLong, "")) { try payload.encoded() }
    }

    @Test func `an extended data entry has 1 to 255 bytes`() throws {
        for count in [1, 255] {
            let data = ExtendedData([.init(.url, [UInt8](repeating: 7, count: count))])
            #expect(try ExtendedData(parsing: data.encoded()) == data)
        }
        for count in [0, 256] {
            let data = ExtendedData([.init(.url, [UInt8](repeating: 7, count: count))])
            #expect(throws: HeraldError(.extendedDataWrongLength, "")) { try data.encoded() }
        }
        #expect(throws: HeraldError(.extendedDataWrongLength, "")) { try ExtendedData(parsing: [5, 0]) }
        #expect(throws: HeraldError(.extendedDataMalformed, "")) { try ExtendedData(parsing: [5]) }
        #expect(throws: HeraldError(.extendedDataMalformed, "")) { try ExtendedData(parsing: [5, 2, 1]) }
    }

    @Test func `text in extended data is counted in UTF-8 bytes, and numbers have one to four bytes`() throws {
        let data = ExtendedData([
            .init(.premises, "Café"), .init(.start, [1, 2, 0, 0]), .init(.model, [1, 2, 3, 4, 5]),
        ])
        #expect(try data.encoded().prefix(2) == [0x10, 5])
        #expect(data.text(of: .premises) == "Café")
        #expect(data.number(of: .start) == 513)
        #expect(data.number(of: .start, order: .documented) == 0x0102_0000)
        #expect(data.number(of: .model) == nil)
        #expect(data.number(of: .end) == nil)
    }

    @Test func `a contact identifier has sixteen bytes`() {
        for count in [15, 17] {
            let payload = SimplePayload(country: 1, state: 2, identifier: [UInt8](repeating: 0, count: count))
            #expect(throws: HeraldError(.payloadMalformed, "")) { try payload.encoded() }
        }
    }
}
