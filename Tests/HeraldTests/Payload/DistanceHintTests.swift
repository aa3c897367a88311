import ByteCoding
import TestSupport
import Testing

@testable import Herald

/// Tests of the data in a Herald payload that help to estimate distances.
@Suite struct DistanceHintTests {
    private let hints = ExtendedData([
        .init(.areaText, "SW1A"), .init(.sonarRange, [150, 0]), .init(.sonarError, [12]), .init(.rssiKind, [1]),
        .init(.rssi, [0xC8]), .init(.rssiError, [6]), .init(.transmitPower, [8]), .init(.model, "Pixel 2"),
    ])

    @Test(.shows("HP-46"))
    func `payload entries for area, sound distance, readings, power and model have the published codes`() throws {
        #expect(
            try Hex.encode(hints.encoded())
                == "050453573141" + "03029600" + "04010c" + "010101" + "4001c8" + "020106" + "410108"
                + "4207506978656c2032")
    }

    @Test(.shows("HP-46")) func `a payload's entries about distance all arrive at its reader`() throws {
        let sent = SimplePayload(
            country: 826, state: 4, identifier: [UInt8](repeating: 9, count: 16), extendedData: hints)
        var reader = try Stage()
        let supplier = try FixedPayloadSupplier(sent.encoded())
        let served = try #require(try Stage(supplier: supplier, seed: 2).node.ownPayload)
        reader.peers[.test(1)] = Stage.Peer(payload: served)
        reader.hear(.test(1), Adverts.current)
        let read = reader.events.compactMap { if case .read(_, let payload, .link) = $0 { payload } else { nil } }
        guard case .simple(let payload) = HeraldPayload(parsing: try #require(read.first)) else {
            Issue.record("a simple payload was served")
            return
        }
        #expect(payload.extendedData == hints)
        #expect(payload.extendedData.text(of: .areaText) == "SW1A")
        #expect(payload.extendedData.number(of: .sonarRange) == 150)
        #expect(payload.extendedData.number(of: .sonarError) == 12)
        #expect(payload.extendedData.value(of: .rssi).map { Int8(bitPattern: $0[0]) } == -56)
        #expect(payload.extendedData.number(of: .rssiError) == 6)
        #expect(payload.extendedData.number(of: .transmitPower) == 8)
        #expect(payload.extendedData.text(of: .model) == "Pixel 2")
    }
}
