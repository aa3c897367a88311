package import Credentials
import JSON
import Terminal

/// What a credential says, as a person reads it: type, issuer, holder's name, dates, pictures.
///
/// Nothing of it is verified until the report says so. Every text is sanitised, and bounded in length.
package struct CredentialSummary: Sendable {
    /// One line of the summary.
    package struct Row: Hashable, Sendable {
        /// What the line is about: `type`, `issuer`, `name`, `valid`, `pictures`.
        package let label: String
        /// What the credential says about it.
        package let value: String
    }

    /// The most characters of one value.
    private static let maximumLength = 120
    /// The most objects of a credential that are searched for names and pictures.
    private static let maximumObjects = 2000

    /// The lines, in the order in which they are shown; empty when the bytes hold no credential.
    package let rows: [Row]

    /// Reads what `report` found in a credential, or in the first credential of a presentation.
    package init(_ report: CredentialReport) {
        let shown = report.inner.first ?? report
        let members = Members(shown.content.claims)
        let types = shown.content.types.filter { $0 != "VerifiableCredential" && $0 != "VerifiablePresentation" }
        let isCredential = !shown.content.types.isEmpty || members.issuer != nil || shown.content.issuer != nil
        guard isCredential, report.format != .unknown else {
            rows = []
            return
        }
        var rows: [Row] = []
        func add(_ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            rows.append(Row(label: label, value: TerminalText.sanitised(value, limit: Self.maximumLength)))
        }
        add("type", types.isEmpty ? shown.content.types.first : types.joined(separator: ", "))
        add("issuer", members.issuerName ?? shown.content.issuer ?? members.issuer)
        add("name", members.holderName)
        add("valid", members.validity)
        if members.pictureCount > 0 { add("pictures", String(members.pictureCount)) }
        if report.inner.count > 1 { add("credentials", "\(report.inner.count); the first is shown") }
        self.rows = rows
    }

    /// The members of a credential's claims that people look for, in whatever format they came.
    private struct Members {
        private static let wholeNames = ["fullname", "name", "displayname"]
        private static let givenNames = ["givenname", "firstname", "givennames"]
        private static let familyNames = ["familyname", "lastname", "surname"]
        private static let pictureNames: Set<String> = ["portrait", "face", "photo", "picture", "image"]

        private let top: JSONObject
        /// Each text of the claims with its name in lower case without separators, the outer ones first.
        private var texts: [(name: String, value: String)] = []
        private(set) var pictureCount = 0

        init(_ claims: JSONValue?) {
            top = claims?.object ?? JSONObject()
            // The subject alone is searched where there is one: an issuer has a name too.
            var waiting: [JSONObject]
            if let subject = top["credentialSubject"] {
                waiting = (subject.array ?? [subject]).compactMap(\.object)
            } else {
                waiting = [top]
            }
            var index = 0
            while index < waiting.count, index < CredentialSummary.maximumObjects {
                for member in waiting[index] { take(member, &waiting) }
                index += 1
            }
        }

        private mutating func take(_ member: JSONObject.Member, _ waiting: inout [JSONObject]) {
            let name = member.name.lowercased().filter { $0.isLetter || $0.isNumber }
            if let text = Self.text(member.value) {
                if text.hasPrefix("data:image/") || (Self.pictureNames.contains(name) && text.utf8.count > 200) {
                    pictureCount += 1
                } else {
                    texts.append((name, text))
                }
            } else if let object = member.value.object {
                waiting.append(object)
            }
        }

        /// A text, or the English or else the first of a list of texts by language.
        private static func text(_ value: JSONValue) -> String? {
            if let text = value.string { return text }
            guard let list = value.array else { return nil }
            let english = list.first { ["en", "eng"].contains($0["language"]?.string ?? $0["@language"]?.string) }
            guard let entry = english ?? list.first else { return nil }
            return entry["value"]?.string ?? entry["@value"]?.string ?? entry.string
        }

        private func first(of names: [String]) -> String? {
            for name in names {
                if let text = texts.first(where: { $0.name == name })?.value { return text }
            }
            return nil
        }

        var issuer: String? { top["issuer"]?.string ?? top["issuer"]?["id"]?.string ?? top["iss"]?.string }

        var issuerName: String? {
            guard let name = top["issuer"]?["name"].flatMap(Self.text), let issuer else { return nil }
            return "\(name) (\(issuer))"
        }

        var holderName: String? {
            if let given = first(of: Self.givenNames), let family = first(of: Self.familyNames) {
                return "\(given) \(family)"
            }
            return first(of: Self.wholeNames) ?? first(of: Self.givenNames) ?? first(of: Self.familyNames)
        }

        /// From when to when; nil when the credential names neither.
        var validity: String? {
            let start = day(["validFrom", "issuanceDate", "nbf", "iat"])
            let end = day(["validUntil", "expirationDate", "exp"])
            switch (start, end) {
            case (let start?, let end?): return "\(start) to \(end)"
            case (let start?, nil): return "from \(start), without end"
            case (nil, let end?): return "until \(end)"
            case (nil, nil): return nil
            }
        }

        /// The day of the first of `names` that is there: the beginning of a date, or a count of seconds since 1970.
        private func day(_ names: [String]) -> String? {
            for name in names {
                if let text = top[name]?.string { return String(text.prefix(10)) }
                if let seconds = top[name]?.number?.double, (0..<253_402_300_800).contains(seconds) {
                    return Self.date(dayNumber: Int(seconds) / 86_400)
                }
            }
            return nil
        }

        /// The date of a day that is counted from 1970-01-01, in the Gregorian calendar.
        private static func date(dayNumber: Int) -> String {
            var (year, days) = (1970, dayNumber)
            func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
            while days >= (isLeap(year) ? 366 : 365) {
                days -= isLeap(year) ? 366 : 365
                year += 1
            }
            var month = 1
            for length in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
                guard days >= length else { break }
                days -= length
                month += 1
            }
            let digits = { (value: Int, count: Int) in
                String(repeating: "0", count: max(0, count - String(value).count)) + String(value)
            }
            return "\(digits(year, 4))-\(digits(month, 2))-\(digits(days + 1, 2))"
        }
    }
}
