import ByteCoding
public import Codes
public import Credentials
public import JSON
public import MobileDocuments
public import Presentations

/// A credential as the page shows it: the verdict, the claims and the raw data, all as text.
public struct CredentialView: Sendable {
    /// The most credentials of one payload that are shown.
    public static let maximumCredentials = 8
    private static let maximumChecks = 200

    /// The result of the whole payload.
    public let result: CredentialReport.CredentialVerdict
    /// The data for the day's list: the first holder's name, issuer and types.
    public let summary: DayListSummary
    /// The JSON of the credential that is sent to the page.
    public let json: JSONValue

    /// The data of a credential that the day's list keeps.
    public struct DayListSummary: Hashable, Sendable {
        /// The holder's name, in the first of its languages; nil where the credential has none.
        public let name: String?
        /// The issuer of the credential.
        public let issuer: String?
        /// The types of the credential.
        public let types: [String]
        /// The code of the error that decided against the credential; nil for a genuine one.
        public let code: String?
    }

    /// The way in which a credential came to the desk.
    public enum CredentialOrigin: Sendable {
        /// A wallet sent it; with the tokens in its members.
        case wallet(members: [CodeReport.MemberToken])
        /// It was in a code, or was given as a text.
        case code(CodeReport)
        /// A phone showed it.
        case phone(MobileReading)

        fileprivate var isCode: Bool {
            if case .code = self { true } else { false }
        }

        fileprivate var reading: MobileReading? {
            if case .phone(let reading) = self { reading } else { nil }
        }

        fileprivate var members: [CodeReport.MemberToken] {
            switch self {
            case .wallet(let members): members
            case .code(let report): report.members
            case .phone: []
            }
        }
    }

    /// Makes the view of a payload.
    ///
    /// - Parameters:
    ///   - reports: what verifying found, of the payload or of each presentation in it; at least one.
    ///   - answers: the claims that the station asked for, which stand above all others.
    ///   - unbound: the credential of a wallet that did not read what the station asked for; nil otherwise.
    ///   - origin: the way in which the credential came, with the tokens in its members.
    ///   - bytes: the payload, for the raw data.
    public init(
        _ reports: [CredentialReport], answers: [PresentationAnswerChecker.AnsweredClaim] = [],
        unbound: UnboundCredential? = nil, origin: CredentialOrigin = .wallet(members: []), policy: VerificationPolicy,
        bytes: [UInt8]
    ) {
        result = Self.worst(reports.map(\.result), [.genuine, .notChecked, .refused])
        let leaves = reports.flatMap { $0.inner.isEmpty ? [$0] : $0.inner }
        let facts = leaves.prefix(Self.maximumCredentials).map {
            (report: $0, facts: CredentialFacts($0))
        }
        let decisive = reports.lazy.compactMap { Self.decisive($0, policy) }.first
        let first = facts.first
        summary = DayListSummary(
            // An element that a phone was not asked to let keep is in no list (ISO/IEC 18013-5, clause 10.2.3).
            name: origin.reading == nil ? first?.facts.holderNames.first.map { DisplayText($0.text).text } : nil,
            issuer: (first?.facts.issuerName ?? first?.facts.quotedIssuer).map { DisplayText($0).text },
            types: first.map { Self.types($0.facts) } ?? [],
            code: decisive.map { $0.code?.rawValue ?? $0.kind.rawValue })
        let raw = RawPayloadText(bytes, limits: policy.limits.json)
        var freePixels = Picture.maximumPixels
        json = .object(
            JSONObject(present: [
                "result": .string(result.rawValue), "decisive": decisive.map(Self.json),
                "issued": .string(Self.worst(reports.map(\.issuance), [.genuine, .notChecked, .refused]).rawValue),
                "holder": .string(Self.worst(reports.map(\.holder), CredentialReport.HolderBinding.allCases).rawValue),
                "now": .string(
                    Self.worst(reports.map(\.standing), CredentialReport.CredentialValidity.allCases).rawValue),
                "isCode": origin.isCode ? true : nil, "phone": origin.reading.map(Self.json),
                "members": origin.members.isEmpty ? .none : .some(.array(origin.members.map(Self.json))),
                "answers": .array(Self.facts(of: answers).claims.map(Self.json)),
                "unread": unbound == nil ? nil : true, "incomplete": unbound?.isComplete == false ? true : nil,
                "lacking": unbound.map { .array($0.lacking.map(Self.path)) },
                "credentials": .array(facts.map { Self.json($0.report, $0.facts, &freePixels) }),
                "omittedCredentials": .int(max(0, leaves.count - facts.count)),
                "checks": .array(Self.checks(reports).prefix(Self.maximumChecks).map(Self.json)),
                "notes": .strings(reports.flatMap(\.content.notes).prefix(40).map { DisplayText($0, limit: 400).text }),
                "size": .int(origin.reading?.byteCount ?? bytes.count), "raw": .strings(raw.lines),
                "rawIsCut": .bool(raw.isCut),
            ]))
    }

    /// The worst of several answers; `order` has all of them from the best to the worst.
    private static func worst<Answer: Equatable>(_ answers: [Answer], _ order: [Answer]) -> Answer {
        order.last(where: answers.contains) ?? order[order.count - 1]
    }

    /// The answers as claims about a subject, so that they are read as those are.
    private static func facts(of answers: [PresentationAnswerChecker.AnsweredClaim]) -> CredentialFacts {
        var subject = JSONObject()
        for answer in answers { subject.append(answer.name, answer.value) }
        return CredentialFacts(subject: subject)
    }

    private static func decisive(_ report: CredentialReport, _ policy: VerificationPolicy) -> CredentialCheck? {
        let inner = report.inner.first { $0.result == report.result }
        return report.decisiveCheck(under: policy) ?? inner?.decisiveCheck(under: policy)
    }

    /// The checks of all credentials; for one inside a presentation the holder's check only where it failed.
    private static func checks(_ reports: [CredentialReport], isInner: Bool = false) -> [CredentialCheck] {
        reports.flatMap { report in
            report.checks.filter { !isInner || $0.kind != .holder || $0.outcome == .failed }
                + checks(report.inner, isInner: true)
        }
    }

    private static func types(_ facts: CredentialFacts) -> [String] {
        facts.types.prefix(8).map { DisplayText($0, limit: 120).text }
    }

    private static func json(_ check: CredentialCheck) -> JSONValue {
        .object(
            JSONObject(present: [
                "kind": .string(check.kind.rawValue), "outcome": .string(check.outcome.rawValue),
                "code": (check.code?.rawValue).map(JSONValue.string),
                "reason": .string(DisplayText(check.reason, limit: 600).text),
                "after": (check.after?.rawValue).map(JSONValue.string),
                "location": (check.location?.description).map { .string(DisplayText($0, limit: 200).text) },
            ]))
    }

    private static func json(
        _ report: CredentialReport, _ facts: CredentialFacts, _ freePixels: inout Int
    ) -> JSONValue {
        let pictures = facts.pictures.map { json($0, &freePixels) }
        return .object(
            JSONObject(present: [
                "result": .string(report.result.rawValue), "format": .string(report.format.rawValue),
                "types": .strings(types(facts)), "issuer": facts.quotedIssuer.map { json(DisplayText($0)) },
                "issuerNames": .array(facts.issuerName.map { [json(CredentialFacts.Text($0))] } ?? []),
                "names": .array(facts.holderNames.map(json)),
                "validFrom": facts.validFrom.map(date), "validUntil": facts.validUntil.map(date),
                "pictures": .array(pictures), "rows": .array(facts.claims.map(json)),
                "omittedRows": .int(facts.omittedClaims),
                "signatures": .array(report.content.signatures.prefix(16).map(json)),
            ]))
    }

    /// A token in a member of the credential, with its own result.
    private static func json(_ token: CodeReport.MemberToken) -> JSONValue {
        let names = token.path.map { DisplayText($0, limit: 80) }
        let policy = VerificationPolicy()
        return .object(
            JSONObject(present: [
                "path": .strings(names.map(\.text)), "result": .string(token.report.result.rawValue),
                "decisive": decisive(token.report, policy).map(json),
                "hidden": names.contains(where: \.hasHidden) ? true : nil,
            ]))
    }

    /// The facts of a reading beside its documents: the ages, and the differences from the request.
    private static func json(_ reading: MobileReading) -> JSONValue {
        func names(_ elements: [ReturnedElements.ElementOfDocument]) -> JSONValue {
            .array(elements.prefix(64).map { path($0.name.identifier) })
        }
        return [
            "isOther": .bool(reading.isFromAnotherDevice),
            "ages": .array(
                reading.returned.ages.map {
                    ["asked": .int($0.asked), "answered": .int($0.answered), "isOver": .bool($0.isOver)]
                }),
            "missing": names(reading.returned.missing), "unasked": names(reading.returned.unasked),
        ]
    }

    /// The last member of a claim's path, as the page names claims.
    private static func path(_ name: String) -> JSONValue {
        let last = DisplayText(name.parts(at: ".").last.map(String.init) ?? name, limit: 80)
        return .object(JSONObject(present: ["path": [.string(last.text)], "hidden": last.hasHidden ? true : nil]))
    }

    private static func json(_ claim: CredentialFacts.Claim) -> JSONValue {
        let names = claim.path.map { DisplayText($0, limit: 80) }
        return .object(
            JSONObject(present: [
                "path": .strings(names.map(\.text)), "value": json(claim.value), "isName": claim.isName ? true : nil,
                "hidden": names.contains(where: \.hasHidden) ? true : nil,
            ]))
    }

    private static func json(_ text: CredentialFacts.Text) -> JSONValue {
        // A tag of a language has at most 35 characters (RFC 5646, section 4.4.1); longer ones are none.
        let language = text.language.flatMap { $0.utf8.count <= 35 ? DisplayText($0, limit: 35).text : nil }
        return json(DisplayText(text.text), language: language)
    }

    private static func json(_ text: DisplayText, language: String? = nil) -> JSONValue {
        .object(
            JSONObject(present: [
                "text": .string(text.text), "language": language.map(JSONValue.string),
                "hidden": text.hasHidden ? true : nil, "cut": text.isCut ? true : nil,
            ]))
    }

    private static func date(_ value: JSONValue) -> JSONValue {
        value.string.map { .string(DisplayText($0, limit: 40).text) } ?? value
    }

    /// A picture for the page, which takes its pixels from those that are left; one that is not drawn takes none.
    private static func json(_ picture: CredentialFacts.Picture, _ freePixels: inout Int) -> JSONValue {
        do throws(Picture.Fault) {
            let picture =
                switch picture {
                case .text(let text): try Picture(text: text)
                case .bytes(let bytes): try Picture(bytes: bytes)
                }
            let pixels = picture.isDrawn ? picture.pixels : 0
            guard pixels <= freePixels else { throw Picture.Fault.tooManyTogether }
            freePixels -= pixels
            return .object(
                JSONObject(present: [
                    "type": .string(picture.mediaType), "width": .int(picture.width), "height": .int(picture.height),
                    // The page shows the size of a picture that browsers do not draw.
                    "size": .int(picture.bytes.count),
                    "data": picture.isDrawn ? .string(Base64.encode(picture.bytes)) : nil,
                ]))
        } catch { return ["fault": .string(error.rawValue)] }
    }

    private static func json(_ signature: CredentialContent.Signature) -> JSONValue {
        [
            "key": .string(DisplayText(signature.key, limit: 300).text),
            "algorithm": .string(DisplayText(signature.algorithm, limit: 60).text),
            "covers": .string(DisplayText(signature.covers, limit: 200).text), "valid": .bool(signature.isValid),
        ]
    }
}
