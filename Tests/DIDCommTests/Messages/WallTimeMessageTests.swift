import DIDComm
import Determinism
import Testing

@Suite struct WallTimeMessageTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2023-11-14T22:13:20Z", 1_700_000_000_000),
            ("2024-12-31T23:59:59Z", 1_735_689_599_000), ("2100-03-01T00:00:00Z", 4_107_542_400_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func `message times are written and read back`(text: String, milliseconds: Int64) {
        #expect(WallTime(message: text) == WallTime(millisecondsSinceEpoch: milliseconds))
        #expect(WallTime(millisecondsSinceEpoch: milliseconds).messageText == text)
    }

    @Test(
        arguments: [
            ("2023-11-14 22:13:20Z", 0), ("2023-11-14t22:13:20z", 0), ("2023-11-14T22:13:20", 0),
            ("2023-11-14T22:13:20.5Z", 500),
            ("2023-11-14T22:13:20.123456Z", 123), ("2023-11-15T00:13:20+02:00", 0), ("2023-11-14T17:13:20-0500", 0),
            ("2023-11-14T22:12:60Z", -20_000), ("2023-11-14T22:13:20.123456789Z", 123),
            ("2023-11-15T22:12:20+23:59", 0),
        ] as [(String, Int64)])
    func `other spellings of a message time are read`(text: String, more: Int64) {
        #expect(WallTime(message: text) == WallTime(millisecondsSinceEpoch: 1_700_000_000_000 + more))
    }

    @Test(arguments: [
        "", "now", "2023", "2023-11-14", "2023-13-14T00:00:00Z", "2023-00-14T00:00:00Z", "2023-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2023-04-31T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T00:60:00Z",
        "2023-11-14T00:00:61Z", "2023-11-14T00:00:00.Z", "2023-11-14T00:00:00Zx", "2023-11-14T00:00:00+2",
        "1969-12-31T23:59:59Z", "2023-11-14T00:00:00+24:00", "2023-11-14T00:00:00+00:60",
        "2023-11-14T00:00:00.1234567890Z", "２０２３-11-14T00:00:00Z",
    ])
    func `text that is no time is refused as a message time`(text: String) {
        #expect(WallTime(message: text) == nil)
    }

    @Test func `every date is written and read back unchanged`() {
        for day in stride(from: Int64(0), to: 60_000, by: 13) {
            let time = WallTime(millisecondsSinceEpoch: day * 86_400_000)
            #expect(WallTime(message: time.messageText) == time)
        }
        #expect(WallTime(millisecondsSinceEpoch: -5).messageText == "1970-01-01T00:00:00Z")
    }
}
