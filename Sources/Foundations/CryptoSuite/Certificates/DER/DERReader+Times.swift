import Determinism

extension DERReader {
    /// Reads a UTCTime or GeneralizedTime in the one form of RFC 5280, section 4.1.2.5: seconds, `Z`, no fraction.
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
        guard let date = CivilDate(year: year, month: field(0), day: field(1)), field(2) < 24, field(3) < 60,
            field(4) < 60
        else { throw start.fault("the calendar has no such time") }
        let seconds = ((date.daysSinceEpoch * 24 + field(2)) * 60 + field(3)) * 60 + field(4)
        return WallTime(millisecondsSinceEpoch: Int64(seconds) * 1000)
    }
}
