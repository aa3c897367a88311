import Determinism
import Testing

@Suite struct CivilDateTests {
    @Test(
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (19_782, 2024, 2, 29),
            (47_540, 2100, 2, 28), (47_541, 2100, 3, 1), (-25_509, 1900, 2, 28), (-25_508, 1900, 3, 1),
            (-141_428, 1582, 10, 14), (-141_427, 1582, 10, 15), (-719_162, 1, 1, 1), (-719_163, 0, 12, 31),
            (-719_468, 0, 3, 1), (-719_469, 0, 2, 29), (-719_528, 0, 1, 1), (-719_529, -1, 12, 31),
            (-865_566, -400, 2, 29), (-865_565, -400, 3, 1), (2_932_896, 9999, 12, 31), (2_932_897, 10_000, 1, 1),
        ])
    func `days since 1970 become dates of the Gregorian calendar, before its introduction too`(
        days: Int, year: Int, month: Int, day: Int
    ) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(CivilDate(daysSinceEpoch: days) == date)
        #expect(date.daysSinceEpoch == days)
    }

    @Test func `each calendar day of 800 years follows the one before it by the lengths of the months`() {
        var (year, month, day) = (-400, 3, 1)
        for days in -865_565..<(-865_565 + 2 * 146_097) {
            let date = CivilDate(daysSinceEpoch: days)
            guard date.year == year, date.month == month, date.day == day, date.daysSinceEpoch == days else {
                Issue.record("Day \(days) is \(date.text), not \(year)-\(month)-\(day).")
                return
            }
            let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
            day += 1
            guard day > [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] else { continue }
            (month, day) = (month + 1, 1)
            if month > 12 { (year, month) = (year + 1, 1) }
        }
    }

    @Test(arguments: [
        (2024, 2, 29, true), (2024, 2, 30, false), (2023, 2, 28, true), (2023, 2, 29, false), (2100, 2, 29, false),
        (2000, 2, 29, true), (0, 2, 29, true), (2025, 4, 30, true), (2025, 4, 31, false), (2025, 12, 31, true),
        (2025, 12, 32, false), (2025, 1, 0, false), (2025, 0, 1, false), (2025, 13, 1, false),
    ])
    func `a date that the calendar does not have is refused`(year: Int, month: Int, day: Int, exists: Bool) {
        #expect((CivilDate(year: year, month: month, day: day) != nil) == exists)
    }

    @Test func `a day past the end of its month counts as one of the next month`() {
        let first = CivilDate.daysSinceEpoch(year: 2023, month: 3, day: 1)
        #expect(CivilDate.daysSinceEpoch(year: 2023, month: 2, day: 29) == first)
        #expect(CivilDate.daysSinceEpoch(year: 2023, month: 2, day: 31) == first + 2)
        #expect(CivilDate.daysSinceEpoch(year: 2023, month: 2, day: 28) == first - 1)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (482_196_050, "1985-04-12T23:20:50Z"),
            (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
        ] as [(Int, String)])
    func `a calendar time is written to the second in UTC`(seconds: Int, text: String) {
        #expect(CivilDateTime(secondsSinceEpoch: seconds).text == text)
        let start = Int64(seconds) * 1000
        #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: start)).text == text)
        #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: start + 999)).text == text)
        #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: start - 1)).text != text)
    }

    @Test func `a time plus a duration is cut to milliseconds, and stays within the first and the last time`() {
        let time = WallTime(millisecondsSinceEpoch: 5)
        #expect(time.adding(.milliseconds(7) + .microseconds(900)).millisecondsSinceEpoch == 12)
        #expect(time.adding(.zero - .seconds(1)).millisecondsSinceEpoch == -995)
        let (first, last) = (WallTime(millisecondsSinceEpoch: .min), WallTime(millisecondsSinceEpoch: .max))
        #expect(last.adding(.milliseconds(1)) == last && last.adding(.zero) == last)
        #expect(first.adding(.zero - .milliseconds(1)) == WallTime(millisecondsSinceEpoch: .min))
        #expect(time.adding(.seconds(Int64.max)) == last && time.adding(.seconds(Int64.min)) == first)
    }

    @Test func `the farthest times that milliseconds can count have a calendar date`() {
        #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: .max)).text == "292278994-08-17T07:12:55Z")
        #expect(CivilDateTime(WallTime(millisecondsSinceEpoch: .min)).text == "-292275055-05-16T16:47:04Z")
        #expect(CivilDateTime(secondsSinceEpoch: .max).second < 60)
        #expect(CivilDateTime(secondsSinceEpoch: .min).second < 60)
    }
}
