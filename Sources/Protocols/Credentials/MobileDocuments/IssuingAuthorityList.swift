import CBOR
import COSE
public import CryptoSuite
public import Determinism

/// A list of issuing authorities (VICAL, ISO/IEC 18013-5, annex C) with their certificates and document types.
struct IssuingAuthorityList {
    /// True when the list's date of replacement has passed.
    let isStale: Bool
    /// The list with its age and its next date, in one sentence for people.
    let ageSentence: String
    /// The certificates of the authorities, and the document types that each may issue.
    let entries: [(certificate: Certificate, types: [String])]

    private let provider: String
    /// The number that its provider gave it; nil where it gives none.
    private let issue: Int?
    /// The time at which it was made, in seconds since 1970.
    private let made: Double

    /// Returns true for a later list of the same provider.
    func replaces(_ other: IssuingAuthorityList) -> Bool {
        guard provider.isExactly(other.provider) else { return false }
        if let issue, let former = other.issue, issue != former { return issue > former }
        return made > other.made
    }

    /// Returns the certificates of the authorities that may issue documents of a type.
    func certificates(for type: String) -> [Certificate] {
        entries.filter { $0.types.containsExactly(type) }.map(\.certificate)
    }

    /// Reads a list of authorities, and checks its signature, its signer and its times.
    ///
    /// An entry whose fields are not those of its certificate is left out. Throws the codes of the first rule that is
    /// broken: those of the readers, of certificates and signatures, `credential.md-form`, `credential.md-version` and
    /// `credential.time-expired`.
    init(_ pinned: PinnedAuthorityList, _ request: VerificationRequest) throws(CredentialError) {
        let limits = request.policy.limits
        let object = try COSESign1(try CredentialCBORReader.value(pinned.bytes, limits), limits)
        let payload = try object.attachedPayload()
        let signer = try Self.checkSigner(object, payload, root: pinned.root, request)
        let list = try CredentialCBORReader.encoded(payload, limits)
        let times = try IssuingAuthorityListTimes(list)
        guard let version = list["version"]?.text, let infos = list["certificateInfos"]?.array,
            let date = list["date"], let provider = list["vicalProvider"]?.text
        else { throw CredentialError(.mdForm, "The list lacks a part.") }
        let minor = version.utf8.dropFirst(2)
        guard version.utf8.starts(with: "1.".utf8), !minor.isEmpty, minor.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw CredentialError(.mdVersion, "The list is of a version that is not known.")
        }
        self.provider = provider
        issue = list["vicalIssueID"]?.int
        made = try MobileSecurityObject.time(date, "The date of the list")
        try CredentialTime.check(from: made, to: times.expiresAt, request, "The list")
        isStale = times.nextUpdate.map { $0 < request.seconds - request.policy.toleranceSeconds } ?? false
        let age = RelativeDays.words(from: made, to: request.seconds)
        let next =
            switch times.nextUpdate {
            case nil: "it names no date for the next one"
            case let due? where isStale:
                "the next one was due \(RelativeDays.words(from: due, to: request.seconds)) ago"
            case let due?: "the next one is due in \(RelativeDays.words(from: request.seconds, to: due))"
            }
        ageSentence = "The list of authorities of \(provider) is \(age) old; \(next)."
        // A signer of lists for other documents alone vouches for no authority of licences.
        let isOfLicences = signer.extensions.extendedKeyUsage?.contains(.authorityListSigner) == true
        entries = infos.compactMap { Self.entry($0, request) }.map { entry in
            (
                entry.certificate,
                entry.types.filter { isOfLicences || !$0.isExactly(MobileSecurityObject.licence) }
            )
        }
    }

    private static func checkSigner(
        _ object: COSESign1, _ payload: CBORValue, root: [UInt8], _ request: VerificationRequest
    ) throws(CredentialError) -> Certificate {
        try object.headers.checkCritical()
        let algorithm = try object.headers.algorithm()
        guard let chain = try object.headers.certificates() else {
            throw CredentialError(.x5Chain, "The list brings no certificates.")
        }
        let checks = try CertificateChecks(chain)
        let anchors = try CertificateChecks([root]).certificates
        var found = CredentialCheckList()
        _ = checks.check(anchors: anchors, purpose: .authorityList, signedAt: nil, request, into: &found)
        let failed = found.checks(of: []).first { $0.outcome != .passed }
        if let failed, let code = failed.code { throw CredentialError(code, failed.reason) }
        try object.verify(payload.bytes ?? [], by: try checks.key(), algorithm: algorithm)
        return checks.leaf
    }

    /// Reads a list entry that is valid now and agrees with its certificate; nil for another.
    private static func entry(
        _ info: CBORValue, _ request: VerificationRequest
    ) -> (certificate: Certificate, types: [String])? {
        guard let der = member("certificate", of: info)?.bytes, let certificate = try? Certificate(der: der),
            let types = member("docType", of: info)?.array?.map(\.text), !types.contains(nil),
            isNumber(member("serialNumber", of: info), certificate.serialNumber),
            let identifier = member("ski", of: info)?.bytes,
            let expected = certificate.extensions.subjectKeyIdentifier,
            isIdentifier(identifier, expected),
            isBytes(member("subject", of: info), certificate.subject.der),
            isBytes(member("issuer", of: info), certificate.issuer.der), isWithin(info, request),
            member("issuingCountry", of: info).map({ $0.text == certificate.subject.country }) ?? true
        else { return nil }
        return (certificate, types.compactMap { $0 })
    }

    /// Returns a member of an entry, whose name a list in use writes with a capital.
    private static func member(_ name: String, of info: CBORValue) -> CBORValue? {
        info[name] ?? info[name.prefix(1).uppercased() + name.dropFirst()]
    }

    /// Returns true when the time is between the ends that the entry states, as far as it states them.
    private static func isWithin(_ info: CBORValue, _ request: VerificationRequest) -> Bool {
        do throws(CredentialError) {
            let ends = try ["notBefore", "notAfter"].map { name throws(CredentialError) in
                try member(name, of: info).map { value throws(CredentialError) in
                    try MobileSecurityObject.time(value, "The period of an entry")
                }
            }
            try CredentialTime.check(from: ends[0], to: ends[1], request, "The entry")
            return true
        } catch {
            return false
        }
    }

    private static func isBytes(_ value: CBORValue?, _ expected: [UInt8]) -> Bool {
        guard let value else { return true }
        return value.bytes == expected
    }

    /// Returns true for the identifier of a key as it is, and with the heads of one or two OCTET STRINGs before it.
    ///
    /// A list in use has the extension's value whole: an OCTET STRING in another one.
    private static func isIdentifier(_ found: [UInt8], _ expected: [UInt8]) -> Bool {
        guard expected.count < 126 else { return found == expected }
        let wrapped = [0x04, UInt8(expected.count)] + expected
        return [expected, wrapped, [0x04, UInt8(wrapped.count)] + wrapped].contains(found)
    }

    /// Returns true for a number as bytes with the tag of one, or as an integer, which encoders prefer below 2^64.
    private static func isNumber(_ value: CBORValue?, _ expected: [UInt8]) -> Bool {
        if case .unsigned(let number)? = value?.content {
            let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
            return Array(bytes.drop { $0 == 0 }) == Array(expected.drop { $0 == 0 })
        }
        guard let (tag, content) = value?.tagged, tag == 2, let bytes = content.bytes else { return false }
        return Array(bytes.drop { $0 == 0 }) == Array(expected.drop { $0 == 0 })
    }
}

/// Numbers of days in words.
enum RelativeDays {
    /// Returns the time from one instant to a later one in whole days, in words; the instants are seconds since 1970.
    static func words(from start: Double, to end: Double) -> String {
        let days = Int(min(max(((end - start) / 86_400).rounded(.down), 0), 1_000_000))
        return days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}

/// The authorities that a list of issuing authorities (VICAL) names, for a person who is to trust it.
public struct ListedAuthorities: Sendable {
    /// The list with its age and its next date, in one sentence.
    public let ageSentence: String
    /// The certificates of the authorities, and the document types that each may issue.
    public let entries: [(certificate: Certificate, types: [String])]

    /// Reads a list, and checks its signature under its root, its signer and its times.
    ///
    /// Throws the code of the first rule that is broken, as the verification of a document would note it.
    public init(_ pinned: PinnedAuthorityList, at time: WallTime) throws(CredentialError) {
        let list = try IssuingAuthorityList(pinned, VerificationRequest(trust: TrustStore(), at: time))
        (ageSentence, entries) = (list.ageSentence, list.entries)
    }
}

/// The times at which a list of issuing authorities ends, without a check of its signature.
struct IssuingAuthorityListTimes {
    /// The time at which the next list is due, in seconds since 1970; nil when the list does not say.
    let nextUpdate: Double?
    /// The end of the list's validity, in seconds since 1970; nil without one.
    let expiresAt: Double?
    /// The end of the signer certificate's validity; nil for a payload without its signature.
    let signerEnd: WallTime?

    /// Reads the times in the payload of a list; throws `credential.time-format`.
    init(_ list: CBORValue) throws(CredentialError) { try self.init(list, signerEnd: nil) }

    private init(_ list: CBORValue, signerEnd: WallTime?) throws(CredentialError) {
        func time(_ name: String, _ what: String) throws(CredentialError) -> Double? {
            guard let value = list[name] else { return nil }
            return try MobileSecurityObject.time(value, what)
        }
        nextUpdate = try time("nextUpdate", "The time of the next list")
        expiresAt = try time("notAfter", "The end of the list")
        self.signerEnd = signerEnd
    }

    /// Reads the times of a signed list of authorities.
    ///
    /// Throws the codes of the readers, `credential.md-form`, `credential.x5-chain` and `credential.time-format`.
    init(of bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        let object = try COSESign1(try CredentialCBORReader.value(bytes, limits), limits)
        let list = try CredentialCBORReader.encoded(try object.attachedPayload(), limits)
        guard list["vicalProvider"]?.text != nil else { throw CredentialError(.mdForm, "The list names no provider.") }
        let leaf = try object.headers.certificates()?.first
        try self.init(list, signerEnd: leaf.flatMap { try? Certificate(der: $0) }?.notAfter)
    }
}
