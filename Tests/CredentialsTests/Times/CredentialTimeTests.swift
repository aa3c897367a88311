import Determinism
import JSON
import Testing

@testable import Credentials

@Suite struct CredentialTimeTests {
    private func seconds(_ text: String) -> Double? { try? CredentialTime.seconds(dateTime: text, "A time") }

    @Test func `a date and time with a zone is read to its fraction of a second`() {
        #expect(seconds("1970-01-01T00:00:00Z") == 0)
        #expect(seconds("2025-01-01T00:00:00Z") == 1_735_689_600)
        #expect(seconds("2025-01-01T05:30:00+05:30") == 1_735_689_600)
        #expect(seconds("2025-01-01T14:00:00+14:00") == 1_735_689_600)
        #expect(seconds("2024-12-31T24:00:00Z") == 1_735_689_600)
        #expect(seconds("2024-12-31T24:00:00.000Z") == 1_735_689_600)
        #expect(seconds("2025-01-01T00:00:00.5Z") == 1_735_689_600.5)
        #expect(seconds("2025-01-01T00:00:00.1234567890123456789Z") != nil)
        #expect(seconds("2024-02-29T00:00:00Z") == 1_709_164_800)
        #expect(seconds("1900-03-01T00:00:00Z") == -2_203_891_200)
        #expect(seconds("0001-01-01T00:00:00Z") == -62_135_596_800)
    }

    @Test(arguments: [
        "", "2025-01-01", "2025-01-01T00:00:00", "2025-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2025-13-01T00:00:00Z",
        "2025-01-01T25:00:00Z", "2025-01-01T24:00:01Z", "2025-01-01T00:60:00Z", "2025-01-01T00:00:60Z",
        "2025-01-01 00:00:00Z", "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00+14:01", "2024-12-31T24:00:00.1Z",
        "2025-01-01T00:00:00z",
        "2025-01-01T00:00:00Zx", "25-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "2025-01-01T00:00:00+0530",
    ]) func `a date and time without zone, or that no calendar has, is refused`(_ text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func `a numeric date of any size within a double is read, and other JSON values are refused`() throws {
        #expect(try CredentialTime.seconds(numeric: .int(254_172_941_000), "exp") == 254_172_941_000)
        #expect(try CredentialTime.seconds(numeric: .number(JSONNumber(-1.5) ?? JSONNumber(0)), "exp") == -1.5)
        let huge = try #require(JSONNumber(text: "1e400"))
        #expect((try? CredentialTime.seconds(numeric: .number(huge), "exp")) == nil)
        #expect((try? CredentialTime.seconds(numeric: "1", "exp")) == nil)
    }

    @Test func `the clock tolerance extends a credential's validity at both ends, and not a second more`() {
        func isGood(from start: Double?, to end: Double?) -> Bool {
            let request = VerificationRequest.sample(at: 1000, TrustStore())
            return (try? CredentialTime.check(from: start, to: end, request, "It")) != nil
        }
        #expect(isGood(from: 1060, to: nil))
        #expect(!isGood(from: 1061, to: nil))
        #expect(isGood(from: nil, to: 941))
        #expect(!isGood(from: nil, to: 940))
        #expect(!isGood(from: 990, to: 980))
    }
}
