import CodedErrors
import Codes
import Determinism
import JSON

@testable import Credentials

/// One file of the kit of forgeries, with everything that a verifier is given and what it must answer.
struct KitCase {
    /// The format, by the name that reports have.
    let format: CredentialFormat
    /// The number of the recipe, such as `S12`; a good one or one beside the list has none.
    let recipe: String?
    /// The change that makes the forgery, in words.
    let name: String
    private(set) var bytes: [UInt8]
    /// True for the text of a printed code.
    private(set) var isCode = false
    let request: VerificationRequest
    /// The reader's private key of the session, as JWK.
    var readerKey: [UInt8]?
    /// The policy of a verifier's desk, and the decision that the desk must take.
    var policy: JSONValue?
    var decision: String?
    /// The transcript of the session as it is handed over; nil for that of the request.
    var transcript: [UInt8]?
    /// The names, claims, pictures and omitted claims that the report must show; nil where those do not matter.
    var shows: JSONObject?
    /// The name of the issuer that the report must show; nil where that does not matter.
    var issuerName: String?
    private(set) var result: CredentialReport.CredentialVerdict
    /// The code that must stand in the report; nil for a good credential, and for a cause without one.
    var code: CredentialError.Code?

    /// A number at the start of a name is that of the recipe.
    init(
        _ format: CredentialFormat, _ name: String, _ bytes: [UInt8], _ request: VerificationRequest,
        _ answer: MobileDocumentForgery.Answer
    ) {
        let parts = name.split(separator: ":", maxSplits: 1)
        let isNumbered = parts.count == 2 && parts[0].first?.isNumber == true
        self.format = format
        recipe = isNumbered ? Self.letter(of: format) + parts[0] : nil
        self.name = isNumbered ? String(parts[1].drop { $0 == " " }) : name
        self.bytes = bytes
        var request = request
        // A verifier of others knows no limits of ours.
        request.policy.limits = VerificationLimits()
        self.request = request
        switch answer {
        case .genuine: (result, code) = (.genuine, nil)
        case .genuineWithNote(let note): (result, code) = (.genuine, note)
        case .refused(let found): (result, code) = (.refused, found)
        case .notChecked(let found): (result, code) = (.notChecked, found)
        }
    }

    private static func letter(of format: CredentialFormat) -> String {
        switch format {
        case .linkedData: "L"
        case .jwt: "J"
        case .sdJWT: "S"
        case .mobileDocument: "M"
        case .cwt: "C"
        case .aadhaar: "A"
        case .healthCard: "H"
        case .unknown: ""
        }
    }

    /// The format in the manifest: that of the credential, or `code`.
    var kind: String { isCode ? "code" : format.rawValue }

    var report: CredentialReport {
        isCode ? CodeVerifier(request).verify(bytes).credential : CredentialVerifier(request).verify(bytes)
    }

    /// Returns the case as the text of a code; `answer` is given where a code is judged in another way.
    func coded(_ text: [UInt8], _ answer: MobileDocumentForgery.Answer? = nil) -> KitCase {
        var coded = self
        (coded.bytes, coded.isCode) = (text, true)
        guard let answer else { return coded }
        let other = KitCase(format, name, text, request, answer)
        (coded.result, coded.code) = (other.result, other.code)
        return coded
    }

    /// Returns true when a verifier's report is as the case demands.
    func isMet(by report: CredentialReport) -> Bool {
        guard report.result == result, code.map(report.carries) ?? true else { return false }
        let found = KitAnswers.shows(report)
        guard issuerName == nil || found["issuer-name"]?.string == issuerName else { return false }
        guard let shows else { return true }
        return ["names", "claims", "pictures", "omitted"].allSatisfy { shows[$0] == found[$0] }
    }

    /// The check that must find the fault: that which carries the code, here or in a credential inside.
    var check: CredentialCheck.Kind? { code.map { Self.kind(of: $0, in: report) ?? $0.kind } }

    private static func kind(of code: CredentialError.Code, in report: CredentialReport) -> CredentialCheck.Kind? {
        if let found = report.checks.first(where: { $0.code == code }) { return found.kind }
        return report.inner.lazy.compactMap { kind(of: code, in: $0) }.first
    }

    /// The reason for the answer that a verifier must give: one sentence or two.
    var why: String {
        guard let code else { return "\(result == .genuine ? "Good" : "Not checked"): \(name)." }
        return "\(result == .genuine ? "Good, with a note" : "Forged"): \(name). \(code.explanation.meaning)"
    }

    /// The name of its file below the kit's folder, without the ending.
    var stem: String {
        var words: [String] = []
        var word = ""
        for character in name.lowercased() + " " {
            if character.isASCII, character.isLetter || character.isNumber {
                word.append(character)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        let slug = words.prefix(8).joined(separator: "-")
        let prefix = result == .genuine ? "good-" : recipe.map { $0.lowercased() + "-" } ?? ""
        return "\(kind)/\(prefix)\(slug)"
    }

    /// The ending of its file.
    var suffix: String {
        if bytes.first == UInt8(ascii: "{") { return "json" }
        return bytes.allSatisfy { $0 < 0x80 && $0 >= 0x09 } ? "txt" : "cbor"
    }
}
