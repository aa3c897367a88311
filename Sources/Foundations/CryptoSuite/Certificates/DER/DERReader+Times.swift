import Determinism

extension DERReader {
    /// Takes a UTCTime or a GeneralizedTime in the one form of RFC 5280, section 4.1.2.5: seconds, `Z`, no fraction.
    ///
    /// A year of two digits below 50 is one after 2000. A GeneralizedTime before 2050 is taken too.
    mutating func readTime() throws(Fault) -> WallTime {
        let start = self
        let element = try readElement()
        let yearCount =
            switch element.tag {
            case DERTag.utcTime: 2
            case DERTag.generalizedTime: 4
            default: throw start.fault("a time has neither of the two types")
            }
        let digits = element.content.dropLast()
        guard element.content.count == yearCount + 11, element.content.last == UInt8(ascii: "Z"),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw start.fault("a time is not written to the second and with Z") }
        let values = digits.map { Int($0) - 0x30 }
        let number = { (range: Range<Int>) in values[range].reduce(0) { 10 * $0 + $1 } }
        var year = number(0..<yearCount)
        if yearCount == 2 { year += year < 50 ? 2000 : 1900 }
        let field = { (index: Int) in number((yearCount + 2 * index)..<(yearCount + 2 * index + 2)) }
        let (month, day) = (field(0), field(1))
        guard 1...12 ~= month, 1...Self.dayCount(ofMonth: month, year: year) ~= day, field(2) < 24, field(3) < 60,
            field(4) < 60
        else { throw start.fault("the calendar has no such time") }
        let seconds = ((Self.days(year, month, day) * 24 + field(2)) * 60 + field(3)) * 60 + field(4)
        return WallTime(millisecondsSinceEpoch: Int64(seconds) * 1000)
    }

    private static func dayCount(ofMonth month: Int, year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days from 1970-01-01 to a day of the Gregorian calendar; years begin in March, so that leap days end them.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let monthIndex = (month + 9) % 12
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return 365 * marchYear + leapDays + (153 * monthIndex + 2) / 5 + day - 1 - 719_468
    }
}
