import ByteCoding
import CryptoSuite
import Determinism
import Testing

@testable import Herald

@Suite struct PayloadSupplierTests {
    private func supplier(_ schedule: SimplePayloadCalendar = SimplePayloadCalendar()) throws -> SimplePayloadSupplier {
        let chain = try SimpleKeyChain(
            secret: Secret(copying: [UInt8](repeating: 0, count: 2048)), schedule: schedule)
        return SimplePayloadSupplier(chain: chain, country: 826, state: 4)
    }

    private func time(_ schedule: SimplePayloadCalendar, plus milliseconds: Int64) -> WallTime {
        WallTime(millisecondsSinceEpoch: schedule.epoch.millisecondsSinceEpoch + milliseconds)
    }

    @Test func `the simple payload changes every six minutes and states until when it is valid`() throws {
        let schedule = SimplePayloadCalendar()
        var supplier = try supplier()
        let first = try supplier.payload(at: schedule.epoch)
        #expect(Hex.encode(first.bytes) == "103a030400e2cfbeb32de932c9171c658b5f57a337")
        #expect(first.validUntil == time(schedule, plus: 360_000))
        let again = try supplier.payload(at: time(schedule, plus: 359_999))
        #expect(again == first)
        let second = try supplier.payload(at: time(schedule, plus: 360_000))
        #expect(Hex.encode(second.bytes) == "103a030400d7f8ef992e35091fed00b9c47dcfe398")
        let nextDay = try supplier.payload(at: time(schedule, plus: 86_400_000))
        #expect(Hex.encode(nextDay.bytes.suffix(16)) == "2e41c6b74864db2420f646a157a2b808")
    }

    @Test func `a supplier whose day keys are used up fails, and never serves zeros`() throws {
        var supplier = try supplier(.reference)
        let expiry = supplier.expiry
        let last = try supplier.payload(at: WallTime(millisecondsSinceEpoch: expiry.millisecondsSinceEpoch - 1))
        #expect(last.bytes.suffix(16).contains { $0 != 0 })
        #expect(last.validUntil == expiry)
        #expect(throws: HeraldError(.chainExpired, "")) { try supplier.payload(at: expiry) }
        let before = time(.reference, plus: -1)
        #expect(throws: HeraldError(.chainNotBegun, "")) { try supplier.payload(at: before) }
    }

    @Test func `joined payloads are split by the length of our own one, and an incomplete rest is dropped`() throws {
        let supplier = try supplier()
        #expect(supplier.split([UInt8](repeating: 1, count: 63)).map(\.count) == [21, 21, 21])
        #expect(supplier.split([UInt8](repeating: 1, count: 62)).map(\.count) == [21, 21])
        #expect(supplier.split([UInt8](repeating: 1, count: 20)) == [])
        let fixed = try FixedPayloadSupplier([1, 2])
        #expect(fixed.split([1, 2, 3, 4, 5]) == [[1, 2], [3, 4]])
        #expect(PayloadSplitting.pieces(of: [1], length: 0) == [])
    }

    @Test func `a fixed payload has 1 to 510 bytes`() throws {
        let supplier = try FixedPayloadSupplier([UInt8](repeating: 3, count: 510))
        #expect(supplier.payload(at: SimplePayloadCalendar.defaultEpoch).validUntil == nil)
        #expect(throws: HeraldError(.payloadTooLong, "")) {
            try FixedPayloadSupplier([UInt8](repeating: 3, count: 511))
        }
        #expect(throws: HeraldError(.payloadMalformed, "")) { try FixedPayloadSupplier([]) }
    }

    @Test func `a beacon supplier serves the beacon's location`() throws {
        let supplier = try BeaconPayloadSupplier(
            BeaconPayload(country: 0xDDEE, state: 0x11FF, locationCode: 0xAABB_CCDD))
        let payload = supplier.payload(at: SimplePayloadCalendar.defaultEpoch)
        #expect(Hex.encode(payload.bytes) == "30eeddff11ddccbbaa")
        #expect(supplier.split(payload.bytes + payload.bytes).count == 2)
    }

    @Test func `a payload that states its validity is refused before and after it`() throws {
        let start = SimplePayloadCalendar.defaultEpoch
        let end = WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + 360_000)
        let beacon = BeaconPayload(
            country: 1, state: 1, locationCode: 1,
            extendedData: ExtendedData(PayloadFreshness.entries(from: start, until: end)))
        let bytes = try beacon.encoded()
        let rule = PayloadFreshness(tolerance: .seconds(60))
        func admits(_ milliseconds: Int64) -> Bool {
            rule.admits(bytes, at: WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + milliseconds))
        }
        #expect(admits(-60_000))
        #expect(!admits(-60_001))
        #expect(admits(420_000))
        #expect(!admits(420_001))
        let open = try BeaconPayload(
            country: 1, state: 1, locationCode: 1,
            extendedData: ExtendedData([PayloadFreshness.entries(from: start, until: end)[1]])
        ).encoded()
        #expect(rule.admits(open, at: WallTime(millisecondsSinceEpoch: .min)))
        #expect(!rule.admits(open, at: WallTime(millisecondsSinceEpoch: .max)))
        #expect(rule.admits([1, 2, 3], at: start))
        #expect(!PayloadFreshness(requiresTimes: true).admits([1, 2, 3], at: start))
    }
}
