import Determinism
import Testing

@testable import Herald

@Suite struct ContactLogTests {
    private let time = WallTime(millisecondsSinceEpoch: 1_609_531_200_999)

    @Test func `contact log lines have the form of the deployed libraries`() {
        let payload: [UInt8] = [0, 0, 0] + Array("hello".utf8)
        let expected: [(ContactLog.ContactLogEntry, String)] = [
            (.detect(id: "A"), "A,1,,,,,,,"), (.read(id: "A", payload: payload), "A,,2,,,,,,aGVsbG"),
            (.measure(id: "A", rssi: -57, transmitPower: nil), "A,,,3,,,,,RSSI:-57.0"),
            (
                .measure(id: "A", rssi: -57, transmitPower: 12),
                "A,,,3,,,,,RSSI:-57.0[BLETransmitPower:12.0]"
            ),
            (.share(id: "A", payload: payload), "A,,,,4,,,,aGVsbG"), (.visit(place: "here"), ",,,,,5,,,here"),
            (.detectHerald(id: "A"), "A,,,,,,6,,"), (.delete(id: "A"), "A,,,,,,,7,"),
        ]
        let columns = ContactLog.header.split(separator: ",").count
        for (entry, rest) in expected {
            let line = ContactLog.line(entry, at: time)
            #expect(line == "2021-01-01 20:00:00,BLE," + rest)
            #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == columns)
        }
    }

    @Test func `commas and quotes do not break a contact log line`() {
        #expect(ContactLog.line(.detect(id: "a,\"b\""), at: time).hasSuffix(",\"a,\"\"b\"\"\",1,,,,,,,"))
        let line = ContactLog.line(.detect(id: "a,\u{301}b\"\u{301}"), at: time)
        #expect(Array(line.utf8).suffix(21) == Array(",\"a,\u{301}b\"\"\u{301}\",1,,,,,,,".utf8).suffix(21))
    }

    @Test func `contact log dates follow the calendar, before and after 1970 and in leap years`() {
        let dates: [(seconds: Int64, text: String)] = [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"), (951_782_400, "2000-02-29 00:00:00"),
            (1_709_164_799, "2024-02-28 23:59:59"), (1_709_164_800, "2024-02-29 00:00:00"),
            (4_107_542_399, "2100-02-28 23:59:59"), (4_107_542_400, "2100-03-01 00:00:00"),
        ]
        for (seconds, text) in dates {
            #expect(ContactLog.timestamp(WallTime(millisecondsSinceEpoch: seconds * 1000)) == text)
        }
        for extreme in [Int64.min, .max] {
            #expect(ContactLog.timestamp(WallTime(millisecondsSinceEpoch: extreme)).contains("-"))
        }
    }

    @Test func `the short name of a payload of up to three bytes has all of them`() {
        #expect(ContactLog.shortName(of: [1, 2, 3]) == "AQID")
        #expect(ContactLog.shortName(of: [1, 2, 3, 4]) == "BA==")
        #expect(ContactLog.shortName(of: []) == "")
    }
}
