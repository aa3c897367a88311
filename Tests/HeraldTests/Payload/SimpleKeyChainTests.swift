import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct SimpleKeyChainTests {
    private static let day: Int64 = 86_400_000

    private func chain(filledWith byte: UInt8 = 0, lastDay: Int = 2000) throws -> SimpleKeyChain {
        let secret = Secret(copying: [UInt8](repeating: byte, count: 2048))
        return try SimpleKeyChain(
            secret: secret,
            schedule: SimplePayloadCalendar(epoch: SimplePayloadCalendar.reference.epoch, lastDay: lastDay))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `all 2,651 published contact identifiers are reproduced`() throws {
        let rows = try PublishedVectors.rows(of: "contactIdentifier")
        #expect(rows.count == 2651)
        let chain = try chain()
        var days: [Int: DayIdentifiers] = [:]
        for row in rows {
            let (day, period) = (try #require(Int(row[0])), try #require(Int(row[1])))
            let identifiers = try days[day] ?? chain.identifiers(ofDay: day)
            days[day] = identifiers
            #expect(identifiers[period] == Base64.decode(row[6]), "day \(day) period \(period)")
            if period == 0 { #expect(try chain.matchingKey(ofDay: day) == Base64.decode(row[3])) }
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `all 2,001 published day keys and seeds are reproduced`() throws {
        let rows = try PublishedVectors.rows(of: "matchingKey")
        #expect(rows.count == 2001)
        let chain = try chain()
        for row in rows {
            let day = try #require(Int(row[0]))
            #expect(Base64.decode(row[1]) == chain.seed(ofDay: day), "day \(day)")
            #expect(try Base64.decode(row[2]) == chain.matchingKey(ofDay: day), "day \(day)")
        }
    }

    @Test func `the key chain values of the reference libraries are reproduced`() throws {
        let chain = try chain()
        let expected: [(day: Int, period: Int, text: String)] = [
            (0, 0, "e2cfbeb32de932c9171c658b5f57a337"), (0, 1, "d7f8ef992e35091fed00b9c47dcfe398"),
            (0, 123, "92b50d80cd55a813ae3e93a97c5e4670"), (0, 239, "8c9a22759b2a87ff41a9391e8d390f35"),
            (10, 123, "61c5f264112de80fe9629e33c6056b17"), (1999, 0, "841832105d7a5e864dfeefc00f58a001"),
            (2000, 0, "a8e35281f2c3c97642248c4ea20301c3"),
        ]
        for (day, period, text) in expected {
            #expect(try chain.identifiers(ofDay: day)[period].map(Hex.encode) == text)
        }
        let other = try self.chain(filledWith: 1).identifiers(ofDay: 0)
        #expect(other[0].map(Hex.encode) == "cc92891d59bfd432c00b03567ffb207e")
    }

    @Test(arguments: [1, 2, 31, 32, 33, 64, 65, 100])
    func `a key chain with checkpoints gives the values of the whole chain for any number of days`(lastDay: Int) throws
    {
        let chain = try chain(lastDay: lastDay)
        var seed = SHA256.hash([UInt8](repeating: 0, count: 2048))
        for day in stride(from: lastDay, through: 0, by: -1) {
            #expect(chain.seed(ofDay: day) == seed, "day \(day) of \(lastDay)")
            seed = SHA256.hash(seed.prefix(16))
        }
    }

    @Test func `the last day of a key chain has keys, and the next one and the day before the first have none`() throws
    {
        let chain = try chain(lastDay: 10)
        #expect(try chain.matchingKey(ofDay: 10).count == 32)
        #expect(throws: HeraldError(.chainExpired, "")) { try chain.matchingKey(ofDay: 11) }
        #expect(try chain.matchingKey(ofDay: 0).count == 32)
        #expect(throws: HeraldError(.chainNotBegun, "")) { try chain.matchingKey(ofDay: -1) }
    }

    @Test func `a key chain's secret of 2,048 bits is accepted and one byte less refused`() throws {
        _ = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 256)))
        #expect(throws: HeraldError(.chainSecretTooShort, "")) {
            try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 255)))
        }
    }

    @Test func `a key chain day has 241 contact identifiers and no others`() throws {
        let identifiers = try chain(lastDay: 1).identifiers(ofDay: 0)
        #expect(identifiers.count == 241)
        #expect(identifiers[240] != nil)
        #expect(identifiers[241] == nil)
        #expect(identifiers[-1] == nil)
    }

    @Test func `key chain days begin in 2026 by default, and in 2020 for the reference libraries`() throws {
        let schedule = SimplePayloadCalendar()
        #expect(ContactLog.timestamp(schedule.epoch) == "2026-01-01 00:00:00")
        #expect(ContactLog.timestamp(SimplePayloadCalendar.reference.epoch) == "2020-09-24 00:00:00")
        #expect(ContactLog.timestamp(SimplePayloadCalendar.reference.end) == "2026-03-18 00:00:00")
        #expect(try schedule.slot(at: schedule.epoch) == .init(day: 0, period: 0))
        let last = WallTime(millisecondsSinceEpoch: schedule.end.millisecondsSinceEpoch - 1)
        #expect(try schedule.slot(at: last) == .init(day: 2000, period: 239))
        #expect(throws: HeraldError(.chainExpired, "")) { try schedule.slot(at: schedule.end) }
        let before = WallTime(millisecondsSinceEpoch: schedule.epoch.millisecondsSinceEpoch - 1)
        #expect(throws: HeraldError(.chainNotBegun, "")) { try schedule.slot(at: before) }
        #expect(throws: HeraldError(.chainNotBegun, "")) {
            try schedule.slot(at: WallTime(millisecondsSinceEpoch: .min))
        }
    }

    @Test func `a key chain period lasts six minutes`() throws {
        let schedule = SimplePayloadCalendar()
        for (milliseconds, period) in [(Int64(0), 0), (359_999, 0), (360_000, 1), (Self.day - 1, 239)] {
            let time = WallTime(millisecondsSinceEpoch: schedule.epoch.millisecondsSinceEpoch + milliseconds)
            #expect(try schedule.slot(at: time).period == period)
        }
    }
}
