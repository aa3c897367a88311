import JSON

@testable import Credentials

/// Credentials whose begin is no time with a zone, each by one rule, and a time that lies in the past all the same.
enum TimeForgeries {
    static let all: [Forgery<JWTSample>] = texts.map { name, text in
        Forgery(0, "a time " + name, .timeFormat) { sample in
            sample.payload["validFrom"] = .string(text)
            sample.payload["validUntil"] = nil
        }
    }

    private static let texts: KeyValuePairs = [
        "in the year 0": "0000-01-01T00:00:00Z", "in a month 13": "2024-13-01T00:00:00Z",
        "on February 30": "2024-02-30T00:00:00Z", "with no line behind its year": "202501-01T00:00:00Z",
        "with no line behind its month": "2025-0101T00:00:00Z", "with no T": "2025-01-0100:00:00Z",
        "with no colon behind its hour": "2025-01-01T0000:00Z",
        "with no colon behind its minute": "2025-01-01T00:0000Z",
        "with a minute 60": "2024-12-31T23:60:00Z", "with a second 60": "2025-01-01T00:00:60Z",
        "at half past 24": "2024-12-30T24:30:00Z", "with a colon for a digit": "2025-01-01T00:00:0:Z",
        "with a point and no digit": "2025-01-01T00:00:00.Z", "with digits behind its zone": "2025-01-01T00:00:00Z5Z",
        "with a letter behind its zone": "2025-01-01T00:00:00Zx", "with a zone of no sign": "2025-01-01T00:00:0005:30",
        "with a zone of no colon": "2025-01-01T00:00:00+0530",
        "with a zone of a digit less": "2025-01-01T00:00:00+05:3",
        "with a zone of 60 minutes": "2025-01-01T00:00:00+05:60",
        "with a zone of 15 hours": "2025-01-01T00:00:00+15:00",
    ]
}
