import ByteCoding
import CryptoSuite
import JSON
import LinkedData

/// Checks one proof of a document: algorithm, key, purpose, time and signature.
struct ProofSignatureCheck {
    /// The result of checking a proof's signature.
    struct CheckedProof {
        let proof: LinkedDataProof
        let key: ResolvedKey
        let isValid: Bool

        /// Returns true when the signing key belongs to an issuer, or to a holder.
        func isBy(_ author: String, in store: TrustStore) -> Bool {
            (try? IssuerTrustCheck.check(issuer: author, against: key, in: store)) != nil
        }
    }

    private let proof: LinkedDataProof
    private let purpose: KeyPurpose
    private let request: VerificationRequest
    private let found: Swift.Result<ResolvedKey, CredentialError>

    /// Resolves the key of a proof, to check it for a purpose.
    init(_ proof: LinkedDataProof, for purpose: KeyPurpose, _ request: VerificationRequest) {
        self.proof = proof
        self.purpose = purpose
        self.request = request
        do throws(CredentialError) {
            found = .success(try Self.key(of: proof, for: purpose, request))
        } catch {
            found = .failure(error)
        }
    }

    /// The digest algorithm for the proof's input.
    var hash: SHA2 {
        switch found {
        case .success(let key): proof.suite.hash(for: key.key)
        case .failure: .sha256
        }
    }

    /// The decoded signature value of a proof.
    private struct WrittenProofSignature {
        let algorithm: SignatureAlgorithm
        let bytes: [UInt8]
        let jws: DetachedJWS?
        /// True when the holder selected the statements of the proof.
        var isSelection = false
    }

    /// Records every check of the proof, and returns its key once known.
    ///
    /// - Parameter inputs: what may be signed, 64 or 96 bytes each: the hash of the proof's members in one of the forms
    ///   that signers write, then that of the document. Nil when the statements of the document are not known, so that
    ///   the signature is not checked.
    func check(
        _ inputs: [SignedInputCandidate]?, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) -> CheckedProof? {
        for name in proof.unknownMembers {
            list.fail(
                .ldProofUnknownMember, "The suite of the proof does not sign the member \(name).",
                at: proof.location.appending(name))
        }
        checkTimes(into: &list)
        let known = list.attempt { () throws(CredentialError) in try located(found.get) }
        let written = list.attempt { () throws(CredentialError) in
            try located { () throws(CredentialError) in try read(known?.key) }
        }
        guard let key = known else { return nil }
        list.pass(.key, "The key \(key.identifier) is known.", at: proof.location)
        if proof.purpose == purpose.rawValue {
            list.pass(.keyPurpose, "The key may sign for this purpose.", at: proof.location)
        } else {
            list.fail(.keyPurpose, "The proof is for another purpose.", at: proof.location.appending("proofPurpose"))
        }
        guard let written else { return CheckedProof(proof: proof, key: key, isValid: false) }
        let isFit: Void? = list.attempt { () throws(CredentialError) in
            try located { () throws(CredentialError) in try checkAlgorithm(written.algorithm, key) }
        }
        guard isFit != nil, isReadable(key, into: &list) else {
            return CheckedProof(proof: proof, key: key, isValid: false)
        }
        list.pass(.algorithm, "\(written.algorithm.rawValue) fits the suite and the key.", at: proof.location)
        guard let inputs else {
            list.leave(.signature, "What the proof signs is not known.", at: proof.location)
            return CheckedProof(proof: proof, key: key, isValid: false)
        }
        let isValid = checkSignature(written, key, inputs, into: &list)
        if written.isSelection { content.notes.append("The holder may have left out members of the credential.") }
        content.signatures.append(
            CredentialContent.Signature(
                key: key.identifier, algorithm: written.algorithm.rawValue,
                covers: "the document and the proof" + (proof.previous == nil ? "" : ", and the proofs that it names"),
                isValid: isValid))
        return CheckedProof(proof: proof, key: key, isValid: isValid)
    }

    private func located<Value>(_ body: () throws(CredentialError) -> Value) throws(CredentialError) -> Value {
        do throws(CredentialError) {
            return try body()
        } catch {
            throw CredentialError(error.code, error.reason, at: error.location ?? proof.location)
        }
    }

    private func checkTimes(into list: inout CredentialCheckList) {
        let done: Void? = list.attempt { () throws(CredentialError) in
            try located { () throws(CredentialError) in
                let created = try seconds(proof.created, "created")
                let expires = try seconds(proof.expires, "expires")
                try CredentialTime.check(from: created, to: expires, request, "The proof")
            }
        }
        if done != nil { list.pass(.time, "The time lies in the proof's validity.", at: proof.location) }
    }

    private func seconds(_ text: String?, _ name: String) throws(CredentialError) -> Double? {
        guard let text else { return nil }
        do throws(CredentialError) {
            return try CredentialTime.seconds(dateTime: text, "The member \(name) of the proof")
        } catch {
            throw CredentialError(error.code, error.reason, at: proof.location.appending(name))
        }
    }

    /// Decodes the signature value of the proof.
    ///
    /// Throws `credential.sig-form` for a text that is not `z` and base 58, and what `DetachedJWS` throws.
    private func read(_ key: VerificationKey?) throws(CredentialError) -> WrittenProofSignature {
        guard proof.suite.signatureMember == "proofValue" else {
            let jws = try DetachedJWS(parsing: proof.signature, method: proof.method, limits: request.policy.limits)
            guard proof.suite.algorithms.contains(jws.algorithm) else {
                throw CredentialError(
                    .algMismatch, "\(jws.algorithm.rawValue) is not an algorithm of the suite \(proof.suite.name).")
            }
            return WrittenProofSignature(algorithm: jws.algorithm, bytes: jws.signature, jws: jws)
        }
        if proof.suite == .ecdsaSD2023 {
            let value = try SelectiveDisclosureProof(parsing: proof.signature, limits: request.policy.limits)
            return WrittenProofSignature(
                algorithm: .es256, bytes: value.baseSignature, jws: nil, isSelection: value.isSelection)
        }
        guard let bytes = Multibase.decode(proof.signature) else {
            throw CredentialError(.sigForm, "The signature is not written in base 58 with its letter.")
        }
        let algorithm = key.flatMap(proof.suite.algorithm) ?? proof.suite.algorithms[0]
        return WrittenProofSignature(algorithm: algorithm, bytes: bytes, jws: nil)
    }

    private static func key(
        of proof: LinkedDataProof, for purpose: KeyPurpose, _ request: VerificationRequest
    ) throws(CredentialError) -> ResolvedKey {
        let key = try KeyResolver(request.trust).key(proof.method, for: purpose)
        let created = try? proof.created.map { text throws(CredentialError) in
            try CredentialTime.seconds(dateTime: text, "The member created")
        }
        try key.checkPeriod(at: [request.seconds] + [created].compactMap { $0 })
        return key
    }

    private func checkAlgorithm(_ algorithm: SignatureAlgorithm, _ key: ResolvedKey) throws(CredentialError) {
        let types = proof.suite.methodTypes + ProofSuite.generalMethodTypes
        if let type = key.methodType, !types.contains(type) {
            throw CredentialError(.algMismatch, "A key of type \(type) is none of the suite \(proof.suite.name).")
        }
        try key.checkAlgorithm(algorithm)
    }

    /// Returns false, and records a check as not done, for a general key type that the suite does not accept.
    private func isReadable(_ key: ResolvedKey, into list: inout CredentialCheckList) -> Bool {
        guard let type = key.methodType, !proof.suite.methodTypes.contains(type) else { return true }
        list.leave(
            .algorithm, "Keys of type \(type) are not known for the suite \(proof.suite.name).", code: .algMismatch,
            at: proof.location)
        return false
    }

    private func checkSignature(
        _ written: WrittenProofSignature, _ key: ResolvedKey, _ inputs: [SignedInputCandidate],
        into list: inout CredentialCheckList
    ) -> Bool {
        var firstError: CredentialError?
        for input in inputs {
            let message = written.jws?.signingInput(input.hash) ?? input.hash
            do throws(CredentialError) {
                try key.key.verify(written.bytes, over: message, algorithm: written.algorithm)
                try input.statements?.check()
            } catch {
                firstError = firstError ?? error
                continue
            }
            if let code = input.code {
                list.fail(code, input.note, at: proof.location)
                return false
            }
            list.pass(.signature, input.note, at: proof.location)
            return true
        }
        if let error = firstError {
            list.record(CredentialError(error.code, error.reason, at: proof.location))
        }
        return false
    }
}

/// A byte string that a proof may have signed.
struct SignedInputCandidate: Sendable {
    /// The hash of the proof's members, for ecdsa-sd-2023 the statements' key, then the hash of the document.
    let hash: [UInt8]
    /// The sentence for people if the signature matches this input.
    let note: String
    /// The error code if a matching signature does not protect the document; nil for a good one.
    let code: CredentialError.Code?
    /// The statements that another key signs one by one; nil without any.
    var statements: SignedStatements?

    /// Returns the inputs that a proof over statements may have signed, most usual first.
    static func all(
        _ proof: LinkedDataProof, contexts: [String], documentHash: [UInt8], _ hash: SHA2
    ) throws(CredentialError) -> [SignedInputCandidate] {
        var inputs: [SignedInputCandidate] = []
        for form in forms(of: proof.suite, contexts: contexts) {
            let note =
                form == .compact
                ? "The signature fits, with the proof's members named as the context credentials/v1 names them."
                : "The signature fits the key, the proof's members and the document."
            inputs.append(
                SignedInputCandidate(
                    hash: try ProofOptions(proof, form).hash(hash) + documentHash, note: note, code: nil))
        }
        inputs.append(
            SignedInputCandidate(
                hash: hash.hash([UInt8]()) + documentHash,
                note: "The signature fits, and protects no member of the proof.", code: .ldProofEmpty))
        return inputs
    }

    /// Returns the forms in which signers write the statements of a proof.
    static func forms(of suite: ProofSuite, contexts: [String]) -> [ProofOptions.Form] {
        switch suite {
        case .rsaSignature2018: return [.usual, .compact]
        case .eddsaRDFC2022, .ecdsaRDFC2019, .ecdsaSD2023:
            // No document has the other contexts of such proofs beside this one: they protect other meanings.
            return [contexts.contains("https://w3id.org/security/data-integrity/v1") ? .plainSuite : .usual]
        default: return [.usual]
        }
    }
}
