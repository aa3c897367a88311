import Determinism
import JSON
import TestSupport

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// A line of the manifest as a verifier reads it.
struct KitEntry: Sendable {
    let file: String
    let format: String
    /// The path of the trust file.
    let trust: String
    let result: CredentialReport.CredentialVerdict
    let check: String?
    let code: CredentialError.Code?
    /// The three answers.
    let answers: JSONValue?
    /// The facts that a person is shown; nil for cases that are not genuine.
    let shows: JSONValue?
    /// The policy of a desk, and what it decides: `accept`, `ask`, `reject`, or `malformed` for one that is refused.
    let policy: JSONValue?
    let decision: String?
    let bytes: [UInt8]
    let request: VerificationRequest

    /// The lines of the manifest in the repository.
    static func lines() throws -> [JSONValue] {
        try manifest()["cases"]?.array ?? []
    }

    /// The manifest, which is larger than what is usually read.
    static func manifest() throws -> JSONValue {
        try JSONValue(parsing: try contents(of: "manifest.json"), limits: JSONLimits(maximumBytes: 4 << 20))
    }

    /// The entries of the manifest in the repository.
    static func all() throws -> [KitEntry] {
        var requests: [String: VerificationRequest] = [:]
        return try lines().map { try KitEntry($0, &requests) }
    }

    static func contents(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Kit.folder.appending(path: path)))
    }

    /// Reads a line, and its trust file unless `requests` has it.
    init(_ value: JSONValue, _ requests: inout [String: VerificationRequest]) throws {
        file = value["file"]?.string ?? ""
        format = value["format"]?.string ?? ""
        trust = value["trust"]?.string ?? ""
        result = CredentialReport.CredentialVerdict(rawValue: value["result"]?.string ?? "") ?? .notChecked
        check = value["check"]?.string
        code = value["code"]?.string.flatMap(CredentialError.Code.init(rawValue:))
        answers = value["answers"]
        shows = value["shows"]
        policy = value["policy"]
        decision = value["decision"]?.string
        bytes = try Self.contents(of: file)
        var request: VerificationRequest
        if let known = requests[trust] {
            request = known
        } else {
            let file = try TrustFile(parsing: try Self.contents(of: trust))
            var files: [String: [UInt8]] = [:]
            for name in file.paths { files[name] = try Self.contents(of: "trust/" + name) }
            request = VerificationRequest(trust: try file.store(files: files), at: WallTime(millisecondsSinceEpoch: 0))
            try file.apply(to: &request.policy)
            requests[trust] = request
        }
        // Read without the module that is tested.
        let seconds = try Date.ISO8601FormatStyle().parse(value["time"]?.string ?? "").timeIntervalSince1970
        request.time = WallTime(millisecondsSinceEpoch: Int64(seconds * 1000))
        request.policy.nonce = value["nonce"]?.string
        request.policy.audience = value["audience"]?.string
        request.policy.types = value["type"]?.string.map { [$0] } ?? []
        // A nonce or an audience demands the proof without being told so, and the trust file may demand it too.
        let isAsked = (request.policy.nonce ?? request.policy.audience) != nil
        if !isAsked, value["holder"]?.bool == true { request.policy.requiresHolderProof = true }
        if let path = value["transcript"]?.string {
            let key = try value["reader-key"]?.string.map { try Self.contents(of: $0) }
            request.session = try MobileDocumentSession(transcript: try Self.contents(of: path), readerJWK: key)
        }
        self.request = request
    }
}

/// The meaning of a report for a person, as the manifest writes it.
enum KitAnswers {
    /// The three answers: who issued it, who presents it, and how it stands now.
    static func answers(_ report: CredentialReport) -> JSONValue {
        .object([
            "issued": .string(report.issuance.rawValue), "holder": .string(report.holder.rawValue),
            "now": .string(report.standing.rawValue),
        ])
    }

    /// The facts that a person is shown of a credential, or of the first one in a presentation.
    static func shows(_ report: CredentialReport) -> JSONValue {
        let facts = CredentialFacts(report.inner.first ?? report)
        func texts(_ list: [CredentialFacts.Text]) -> JSONValue {
            .strings(list.map { text in text.text + (text.language.map { " (\($0))" } ?? "") })
        }
        let claims = facts.claims.map { claim in
            "\(claim.path.joined(separator: "/")): \(claim.value.text)"
                + (claim.value.language.map { " (\($0))" } ?? "")
        }
        let members: KeyValuePairs<String, JSONValue?> = [
            "issuer": facts.issuer.map(JSONValue.string), "issuer-name": facts.issuerName.map(JSONValue.string),
            "types": .strings(facts.types), "from": facts.validFrom, "until": facts.validUntil,
            "names": facts.holderNames.isEmpty ? .none : .some(texts(facts.holderNames)),
            "claims": .strings(claims),
            "pictures": facts.pictures.isEmpty ? .none : .some(.int(facts.pictures.count)),
            "omitted": facts.omittedClaims == 0 ? .none : .some(.int(facts.omittedClaims)),
        ]
        return .object(JSONObject(present: members))
    }
}
