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

    static let twins: [Forgery<JWTSample>] =
        good.map { name, text in
            Forgery(0, "a time " + name, .sigInvalid, .genuine) { $0.payload["validFrom"] = .string(text) }
        } + [
            Forgery(0, "an end a part of a second before the tolerance is over", .sigInvalid, .genuine) {
                $0.payload["validUntil"] = "2025-01-01T00:01:40.9Z"
            }
        ]

    private static let good: KeyValuePairs = [
        "at 24": "2024-12-30T24:00:00Z", "on February 29 of a leap year": "2024-02-29T00:00:00Z",
        "on February 29 of a leap year of hundreds": "2000-02-29T00:00:00Z", "on April 30": "2024-04-30T00:00:00Z",
        "on December 31": "2024-12-31T00:00:00Z", "west of Greenwich": "2024-12-31T19:00:00-05:00",
        "east of Greenwich": "2025-01-01T05:00:00+05:00",
    ]

    private static let texts: KeyValuePairs = [
        "in the year 0": "0000-01-01T00:00:00Z", "in a month 13": "2024-13-01T00:00:00Z",
        "on February 30": "2024-02-30T00:00:00Z", "with no line behind its year": "202501-01T00:00:00Z",
        "with no line behind its month": "2025-0101T00:00:00Z", "with no T": "2025-01-0100:00:00Z",
        "with no colon behind its hour": "2025-01-01T0000:00Z",
        "with no colon behind its minute": "2025-01-01T00:0000Z",
        "with a minute 60": "2024-12-31T23:60:00Z", "with a second 60": "2025-01-01T00:00:60Z",
        "at half past 24": "2024-12-30T24:30:00Z", "a second past 24": "2024-12-30T24:00:01Z",
        "a part of a second past 24": "2024-12-30T24:00:00.5Z", "at 25": "2024-12-30T25:00:00Z",
        "on February 29 of a common year": "2023-02-29T00:00:00Z",
        "on February 29 of a common year of hundreds": "1900-02-29T00:00:00Z",
        "on April 31": "2024-04-31T00:00:00Z", "on December 32": "2024-12-32T00:00:00Z",
        "with a colon for a digit": "2025-01-01T00:00:0:Z",
        "with a point and no digit": "2025-01-01T00:00:00.Z", "with digits behind its zone": "2025-01-01T00:00:00Z5Z",
        "with a letter behind its zone": "2025-01-01T00:00:00Zx", "with a zone of no sign": "2025-01-01T00:00:0005:30",
        "with a zone of no colon": "2025-01-01T00:00:00+0530",
        "with a zone of a digit less": "2025-01-01T00:00:00+05:3",
        "with a zone of 60 minutes": "2025-01-01T00:00:00+05:60",
        "with a zone of 15 hours": "2025-01-01T00:00:00+15:00",
    ]
}
