import ByteCoding
import CryptoSuite
import Determinism

/// Checks the signature of a code by the certificates of a pinned list.
///
/// The certificate is chosen by its identifier where the code names one; otherwise all of the list are tried. Its
/// validity counts at the time of signing, which the code states.
package struct SignerListSignature {
    private let purpose: PinnedSigners.Purpose
    private let request: VerificationRequest

    /// Makes the check of codes of a kind.
    package init(_ purpose: PinnedSigners.Purpose, _ request: VerificationRequest) {
        self.purpose = purpose
        self.request = request
    }

    /// Records the checks of algorithm, key, trust and signature, and returns the signer's certificate.
    ///
    /// Records `credential.key-unresolved` when no list is for the kind, none has the named certificate, or none of its
    /// certificates verifies a code that names none; `credential.sig-invalid` when the named one does not verify it.
    ///
    /// - Parameters:
    ///   - identifier: the first bytes of the certificate's SHA-256; nil for a code that names no signer.
    ///   - signedAt: the time of signing; nil where the code states none, and the request's time counts.
    package func check(
        _ signature: [UInt8], over message: [UInt8], by algorithm: SignatureAlgorithm, identifier: [UInt8]?,
        signedAt: WallTime?, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) -> Certificate? {
        for kind in [CredentialCheck.Kind.chain, .keyPurpose, .issuer] { list.exclude(kind) }
        let lists = request.trust.signerLists.filter { $0.purposes.contains(purpose) }
        guard !lists.isEmpty else {
            list.fail(
                .keyUnresolved, "The trust file has no entry signers for \(purpose.rawValue).")
            return nil
        }
        let candidates = lists.flatMap { entry in
            (identifier.map { entry.signers(named: $0) } ?? entry.signers).map { (entry: entry, signer: $0) }
        }
        let found = candidates.first { candidate in
            guard let key = try? VerificationKey(candidate.signer.certificate.publicKey) else { return false }
            return (try? key.verify(signature, over: message, algorithm: algorithm)) != nil
        }
        guard let (entry, signer) = found ?? (identifier == nil ? nil : candidates.first) else {
            let what = identifier.map { "has the identifier \(Base64.encode($0))" } ?? "signed this code"
            list.fail(
                .keyUnresolved,
                "None of the \(lists.reduce(0) { $0 + $1.signers.count }) certificates for \(purpose.rawValue) in the trust file \(what)."
            )
            return nil
        }
        record(signer.certificate, algorithm, isValid: found != nil, into: &list, &content)
        checkPeriod(of: signer.certificate, at: signedAt ?? request.time, into: &list)
        list.pass(.trust, "The trust file has the certificate of the signer.")
        content.authority = .root(entry.path)
        content.issuerName = entry.name
        return signer.certificate
    }

    private func record(
        _ certificate: Certificate, _ algorithm: SignatureAlgorithm, isValid: Bool,
        into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        list.pass(.key, "The certificate of the signer is known.")
        let isFit = (try? VerificationKey(certificate.publicKey))?.algorithms.contains(algorithm) == true
        if isFit {
            list.pass(.algorithm, "\(algorithm.rawValue) fits the key.")
        } else {
            list.fail(.algMismatch, "\(algorithm.rawValue) is not an algorithm of the signer's key.")
        }
        if isValid {
            list.pass(.signature, "The signature fits the key and the signed bytes.")
        } else if isFit {
            list.fail(.sigInvalid, "The signature does not fit the key and the signed bytes.")
        }
        content.signatures.append(
            CredentialContent.Signature(
                key: certificate.subject.description, algorithm: algorithm.rawValue, covers: "the whole code",
                isValid: isValid))
    }

    private func checkPeriod(of certificate: Certificate, at time: WallTime, into list: inout CredentialCheckList) {
        let tolerance = Int64(request.policy.toleranceSeconds * 1000)
        guard !certificate.isValid(at: time, toleranceMilliseconds: tolerance) else { return }
        let isEarly = time.millisecondsSinceEpoch < certificate.notBefore.millisecondsSinceEpoch
        list.fail(
            isEarly ? .x5NotYet : .x5Expired,
            "The certificate of the signer was not valid when the code was signed.", in: .key)
    }
}
