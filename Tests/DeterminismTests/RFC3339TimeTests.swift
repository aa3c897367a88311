import Determinism
import Testing

@Suite struct RFC3339TimeTests {
    /// The examples of RFC 3339, section 5.8, and of xsd:dateTime.
    @Test(
        arguments: [
            ("1985-04-12T23:20:50.52Z", 482_196_050, "52"), ("1996-12-19T16:39:57-08:00", 851_042_397, ""),
            ("1990-12-31T23:59:60Z", 662_688_000, ""), ("1990-12-31T15:59:60-08:00", 662_688_000, ""),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_173, "87"), ("2002-10-10T12:00:00+05:00", 1_034_233_200, ""),
            ("2002-10-09T24:00:00Z", 1_034_208_000, ""), ("0000-01-01T00:00:00Z", -62_167_219_200, ""),
            ("9999-12-31T23:59:59Z", 253_402_300_799, ""), ("1970-01-01T00:00:00-00:00", 0, ""),
            ("1970-01-01T00:00:00+23:59", -86_340, ""),
        ] as [(String, Int, String)])
    func `RFC 3339 times with a zone are read as seconds and the digits of their fraction`(
        text: String, seconds: Int, fraction: String
    ) throws {
        let time = try #require(RFC3339Time(text))
        #expect(time.secondsSinceEpoch == seconds)
        #expect(String(Substring(time.fraction)) == fraction)
        #expect(time.isXMLDateTime)
    }

    @Test(arguments: [
        "1970-01-01t00:00:00Z", "1970-01-01 00:00:00Z", "1970-01-01T00:00:00z", "1970-01-01T00:00:00+0000",
        "1970-01-01T00:00:00",
    ])
    func `RFC 3339 times that xsd:dateTime does not allow are read and marked`(text: String) throws {
        let time = try #require(RFC3339Time(text))
        #expect(time.secondsSinceEpoch == 0)
        #expect(!time.isXMLDateTime)
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T", "1970-01-01T00:00", "1970-01-01T00:00Z", "197-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "1970-1-01T00:00:00Z", "1970-00-01T00:00:00Z",
        "1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-32T00:00:00Z", "1970-02-29T00:00:00Z",
        "1970-01-01T25:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00,5Z", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+00:60", "1970-01-01T00:00:00+1",
        "1970-01-01T00:00:00+01:", "1970-01-01T00:00:00+01", "1970-01-01T00:00:00ZZ", "1970-01-01T00:00:00Z ",
        " 1970-01-01T00:00:00Z", "1970-01-01_00:00:00Z", "1970-01-01T00:00:00\u{0}", "１970-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z\u{301}", "19700101T000000Z",
    ])
    func `text that is not entirely an RFC 3339 time is refused`(text: String) {
        #expect(RFC3339Time(text) == nil)
    }
}
