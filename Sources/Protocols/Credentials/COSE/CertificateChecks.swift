import CryptoSuite
import Determinism

/// Checks a certificate chain and records the rules that it breaks.
struct CertificateChecks {
    /// The certificates as received, the leaf first.
    let certificates: [Certificate]
    /// The leaf certificate, whose key signed.
    let leaf: Certificate

    /// Reads the certificates of a chain.
    ///
    /// Throws `credential.x5-chain` for bytes that are none and when there is none, and `credential.key-curve` for one
    /// whose key is not on its curve.
    init(_ chain: [[UInt8]]) throws(CredentialError) {
        var certificates: [Certificate] = []
        for der in chain {
            do throws(CryptoError) {
                certificates.append(try Certificate(der: der))
            } catch {
                let code: CredentialError.Code = error.code == .invalidPoint ? .keyCurve : .x5Chain
                throw CredentialError(code, "A certificate cannot be read: \(error.reason).")
            }
        }
        guard let leaf = certificates.first else { throw CredentialError(.x5Chain, "There is no certificate.") }
        self.certificates = certificates
        self.leaf = leaf
    }

    /// Returns the key of the leaf; throws `credential.x5-weak` for an unsupported key.
    func key() throws(CredentialError) -> VerificationKey {
        try VerificationKey(leaf.publicKey)
    }

    /// Records every rule that the chain breaks, or that it leads to an anchor; returns the path.
    ///
    /// - Parameter isLenient: true for an anchor whose signers may break the profiles.
    func check(
        anchors: [Certificate], isLenient: (Certificate) -> Bool = { _ in false }, purpose: CertificatePath.LeafPurpose,
        signedAt: Double?, _ request: VerificationRequest, into list: inout CredentialCheckList
    ) -> CertificatePath {
        var path = CertificatePath(
            chain: certificates, anchors: anchors, purpose: purpose, time: request.time,
            signingTime: signedAt.flatMap(WallTime.init(seconds:)),
            toleranceMilliseconds: Int64(request.policy.toleranceSeconds * 1000))
        // A root says that its signers may break the profiles; under no root that is not known, and noted.
        if path.anchor.map(isLenient) ?? true { path = path.lenient }
        path.record(into: &list)
        checkRevocation(path, request, into: &list)
        return path
    }

    /// Records the revocation of each certificate below the anchor, by the trust store's revocation lists.
    ///
    /// Without a list for one, it records a note.
    private func checkRevocation(
        _ path: CertificatePath, _ request: VerificationRequest, into list: inout CredentialCheckList
    ) {
        let lists = request.trust.revocationLists.compactMap { try? RevocationList(der: $0) }
        for (index, (certificate, authority)) in zip(path.certificates, path.certificates.dropFirst()).enumerated() {
            let answers = lists.map { $0.answer(for: certificate, issuedBy: authority, at: request.time) }
            // The newest list counts: a certificate that was on hold may be good again (RFC 5280, section 5.3.1).
            let newest = zip(lists, answers).filter { $0.1 == .good || $0.1 == .revoked }.map { $0.0.thisUpdate }.max()
            if zip(lists, answers).contains(where: { $0.0.thisUpdate == newest && $0.1 == .revoked }) {
                list.fail(.x5Revoked, "Certificate \(index + 1) is on the revocation list of its issuer.")
            } else if answers.contains(.good) {
                let age = newest.map {
                    RelativeDays.words(from: Double($0.millisecondsSinceEpoch) / 1000, to: request.seconds)
                }
                list.pass(
                    .chain,
                    "Certificate \(index + 1) is not on the revocation list of its issuer, which is \(age ?? "") old.")
            } else {
                let reasons = zip(lists, answers).compactMap { revocations, answer -> String? in
                    guard revocations.issuer == certificate.issuer, case .unknown(let reason) = answer else {
                        return nil
                    }
                    let made = Double(revocations.thisUpdate.millisecondsSinceEpoch) / 1000
                    return "\(reason), and it is \(RelativeDays.words(from: made, to: request.seconds)) old"
                }
                let reason = reasons.first ?? "no list says it"
                list.pass(.chain, "Whether certificate \(index + 1) was revoked is not known: \(reason).")
            }
        }
    }
}

extension WallTime {
    /// Makes a time from seconds since 1970; nil when it is out of range.
    init?(seconds: Double) {
        guard let milliseconds = Int64(exactly: (seconds * 1000).rounded()) else { return nil }
        self.init(millisecondsSinceEpoch: milliseconds)
    }
}
