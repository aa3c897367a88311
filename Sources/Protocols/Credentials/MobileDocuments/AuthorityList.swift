import CBOR
import CryptoSuite

/// A list of issuing authorities (VICAL, ISO/IEC 18013-5, annex C): their certificates and what they may issue.
struct AuthorityList {
    /// Whether its time to be replaced has passed.
    let isStale: Bool
    private let entries: [(certificate: Certificate, types: [String])]

    /// The certificates of the authorities that may issue documents of a type.
    func certificates(for type: String) -> [Certificate] {
        entries.filter { $0.types.containsExactly(type) }.map(\.certificate)
    }

    /// Reads a list and checks its signature, its signer and its times.
    ///
    /// An entry whose fields are not those of its certificate is left out. Throws the codes of the first rule that is
    /// broken: those of the readers, of certificates and signatures, `credential.md-form`, `credential.md-version` and
    /// `credential.time-expired`.
    init(_ pinned: PinnedAuthorityList, _ request: VerificationRequest) throws(CredentialError) {
        let limits = request.policy.limits
        let object = try COSESign1(try CBORInput.value(pinned.bytes, limits), limits)
        let payload = try object.attachedPayload()
        try Self.checkSigner(object, payload, root: pinned.root, request)
        let list = try CBORInput.encoded(payload, limits)
        guard let version = list["version"]?.text, let infos = list["certificateInfos"]?.array,
            let date = list["date"], list["vicalProvider"]?.text != nil
        else { throw CredentialError(.mdForm, "The list lacks a part.") }
        guard version == "1.0" else { throw CredentialError(.mdVersion, "The list is of a version that is not known.") }
        let made = try MobileSecurityObject.time(date, "The date of the list")
        var end: Double?
        if let value = list["notAfter"] { end = try MobileSecurityObject.time(value, "The end of the list") }
        try CredentialTime.check(from: made, to: end, request, "The list")
        var next: Double?
        if let value = list["nextUpdate"] { next = try MobileSecurityObject.time(value, "The time of the next list") }
        isStale = next.map { $0 < request.seconds - request.policy.toleranceSeconds } ?? false
        entries = infos.compactMap { Self.entry($0, request) }
    }

    private static func checkSigner(
        _ object: COSESign1, _ payload: CBORValue, root: [UInt8], _ request: VerificationRequest
    ) throws(CredentialError) {
        try object.headers.checkCritical()
        let algorithm = try object.headers.algorithm()
        guard let chain = try object.headers.certificates(request.policy.limits) else {
            throw CredentialError(.x5Chain, "The list brings no certificates.")
        }
        let checks = try CertificateChecks(chain)
        let anchors = try CertificateChecks([root]).certificates
        var found = CheckList()
        _ = checks.check(anchors: anchors, purpose: .authorityList, signedAt: nil, request, into: &found)
        let failed = found.checks(of: []).first { $0.outcome != .passed }
        if let failed, let code = failed.code { throw CredentialError(code, failed.reason) }
        try object.verify(payload.bytes ?? [], by: try checks.key(), algorithm: algorithm)
    }

    /// An entry that is valid now and says of its certificate what the certificate says itself; nil for another.
    private static func entry(
        _ info: CBORValue, _ request: VerificationRequest
    ) -> (certificate: Certificate, types: [String])? {
        guard let der = info["certificate"]?.bytes, let certificate = try? Certificate(der: der),
            let types = info["docType"]?.array?.map(\.text), !types.contains(nil),
            isNumber(info["serialNumber"], certificate.serialNumber), let identifier = info["ski"]?.bytes,
            let expected = certificate.extensions.subjectKeyIdentifier,
            // A list in use has the identifier with the head of its OCTET STRING.
            identifier == expected || identifier == [0x04, UInt8(expected.count & 0xFF)] + expected,
            isBytes(info["subject"], certificate.subject.der), isBytes(info["issuer"], certificate.issuer.der),
            isWithin(info, request), info["issuingCountry"].map({ $0.text == certificate.subject.country }) ?? true
        else { return nil }
        return (certificate, types.compactMap { $0 })
    }

    /// True when the time lies between the ends that the entry states, in whichever it has.
    private static func isWithin(_ info: CBORValue, _ request: VerificationRequest) -> Bool {
        do throws(CredentialError) {
            let ends = try ["notBefore", "notAfter"].map { name throws(CredentialError) in
                try info[name].map { value throws(CredentialError) in
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

    private static func isNumber(_ value: CBORValue?, _ expected: [UInt8]) -> Bool {
        guard let (tag, content) = value?.tagged, tag == 2, let bytes = content.bytes else { return false }
        return Array(bytes.drop { $0 == 0 }) == Array(expected.drop { $0 == 0 })
    }
}
