import CryptoSuite
import JSON
import LinkedData

/// The bytes that a document's proofs sign, and the parts of the document that they protect.
struct ProofInput {
    private let document: DocumentAndProofs
    private let contexts: [String]
    private let reader: RDFStatementReader
    private let limits: VerificationLimits
    /// The statements of the document without proofs; nil before they are read.
    private var statements: DocumentStatements?
    /// The canonical forms of the statements by digest, or the error for which there is none.
    private var forms: [SHA2: Result<RDFCanonicalForm, CredentialError>] = [:]

    init(_ document: DocumentAndProofs, contexts: [String], reader: RDFStatementReader, limits: VerificationLimits) {
        self.document = document
        self.contexts = contexts
        self.reader = reader
        self.limits = limits
    }

    /// Records that proofs over JSON protect every member under its own name.
    func recordJSON(
        _ proofs: [LinkedDataProof], into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) {
        list.pass(.coverage, "The signature covers every member of the document.")
        list.pass(.labels, "The signature covers the names of the claims.")
        let given = document.unsecured["@context"]
        let narrowest = proofs.compactMap { proof in
            (try? JCSProofHash.effective(document.unsecured, under: proof))?["@context"]
        }.min { ($0.array?.count ?? 1) < ($1.array?.count ?? 1) }
        if let narrowest, narrowest != given {
            // Contexts that the proof does not sign are not passed on.
            var claims = document.unsecured
            claims["@context"] = narrowest
            content.claims = .object(claims)
            content.notes.append("The signature covers the first contexts of the document alone.")
        }
        list.pass(.contexts, "The signature covers the names of the contexts, and does not depend on them.")
    }

    /// Records which members the document's statements contain, and stores the statements.
    ///
    /// - Parameter keepsOrigins: true when a proof selects statements by where they stand.
    mutating func recordStatements(
        keepsOrigins: Bool, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) {
        let found = list.attempt { () throws(CredentialError) in
            try JCSProofHash.checkNumbers(.object(document.unsecured), maximumDigits: 16)
            return try reader.read(document.unsecured, keepsOrigins: keepsOrigins)
        }
        guard let statements = found else { return }
        list.pass(.contexts, "Each context is pinned.")
        record(statements, in: .coverage, into: &list)
        for finding in statements.ambiguous {
            list.fail(.ldLabelAmbiguous, finding.reason, at: .pointer(finding.pointer))
        }
        if statements.ambiguous.isEmpty { list.pass(.labels, "Each name of a claim has a meaning of its own.") }
        content.notes += statements.notes
        self.statements = statements
    }

    /// Returns the byte strings that a proof may sign, with digest `hash`; nil, with the cause recorded, when unknown.
    mutating func inputs(of proof: LinkedDataProof, _ hash: SHA2, into list: inout CredentialCheckList)
        -> [SignedInputCandidate]?
    {
        // Former suites read the proof with its own contexts too, which must give its type the usual meaning.
        let isFormer = proof.suite.cryptosuite == nil
        guard
            proof.suite.signsJSON || isFormer
                || proof.object["@context"].map({ $0 == document.unsecured["@context"] }) ?? true
        else {
            list.fail(
                .ldProofUnknownMember, "The suite of the proof does not sign contexts of the proof's own.",
                at: proof.location.appending("@context"))
            return nil
        }
        return list.attempt(recording: { (list) throws(CredentialError) -> [SignedInputCandidate]? in
            let signed = try document.input(of: proof)
            guard !proof.suite.signsJSON else {
                let signed = try JCSProofHash.hash(of: proof, over: signed, hash)
                let note = "The signature fits the key, the proof's members and the document."
                return [SignedInputCandidate(hash: signed, note: note, code: nil)]
            }
            try checkMeaning(of: proof)
            if proof.suite == .ecdsaSD2023 { return try selectiveInput(of: proof).map { [$0] } }
            guard let document = try documentHash(signed, of: proof, hash, into: &list) else { return nil }
            return try SignedInputCandidate.all(proof, contexts: contexts, documentHash: document, hash)
        }) ?? nil
    }

    /// Throws `credential.ld-proof-ambiguous` when contexts give the proof's type another meaning.
    ///
    /// The contexts are those of the document and of the proof; the proof is checked by the closed table's meaning.
    /// Throws also what `RDFStatementReader.read` throws.
    private func checkMeaning(of proof: LinkedDataProof) throws(CredentialError) {
        let usual = ProofOptions.iri(ofType: proof.suite.type)
        let types = try reader.types(
            ofProof: proof.suite.type, under: document.unsecured["@context"] ?? .array([]),
            own: proof.suite.cryptosuite == nil ? proof.object["@context"] : nil)
        guard types.allSatisfy({ $0 == usual }) else {
            throw CredentialError(
                .ldProofAmbiguous, "The contexts give the type of the proof another meaning.",
                at: proof.location.appending("type"))
        }
    }

    /// Returns the document's hash as the proof signs it, for a proof chain with the previous proofs.
    private mutating func documentHash(
        _ signed: JSONObject, of proof: LinkedDataProof, _ hash: SHA2, into list: inout CredentialCheckList
    ) throws(CredentialError) -> [UInt8]? {
        guard proof.previous != nil else { return try documentHash(hash) }
        var statements = try reader.read(signed)
        statements.dropped = statements.dropped.filter { $0.pointer.hasPrefix("/proof/") }
        statements.movable = statements.movable.filter { $0.pointer.hasPrefix("/proof/") }
        record(statements, in: .coverage, into: &list)
        return hash.hash(try Self.form(of: statements, hash).quads)
    }

    /// Returns the input that an ecdsa-sd-2023 proof signs; nil when the document's statements are unknown.
    private mutating func selectiveInput(of proof: LinkedDataProof) throws(CredentialError) -> SignedInputCandidate? {
        guard proof.previous == nil else {
            throw CredentialError(
                .ldProofUnknownMember, "A proof of \(proof.suite.name) signs no previous proofs.",
                at: proof.location.appending("previousProof"))
        }
        guard let statements, let form = try form(.sha256) else { return nil }
        let value = try SelectiveDisclosureProof(parsing: proof.signature, limits: limits)
        let groups = try value.groups(of: form, statements, document.unsecured)
        let options = SignedInputCandidate.forms(of: proof.suite, contexts: contexts)[0]
        let hash = try ProofOptions(proof, options).hash()
        return SignedInputCandidate(
            hash: hash + value.publicKey + SHA256.hash(groups.mandatory),
            note: "The signatures fit the keys, the proof's members and each statement of the document.", code: nil,
            statements: try SignedStatements(groups.others, value))
    }

    /// Returns the digest of the document without proofs; nil when its statements are unknown.
    private mutating func documentHash(_ hash: SHA2) throws(CredentialError) -> [UInt8]? {
        try form(hash).map { hash.hash($0.quads) }
    }

    /// Returns the canonical form of the document without proofs; nil when its statements are unknown.
    private mutating func form(_ hash: SHA2) throws(CredentialError) -> RDFCanonicalForm? {
        guard let statements else { return nil }
        if let known = forms[hash] { return try known.get() }
        do throws(CredentialError) {
            let made = try Self.form(of: statements, hash)
            forms[hash] = .success(made)
            return made
        } catch {
            forms[hash] = .failure(error)
            throw error
        }
    }

    private func record(
        _ statements: DocumentStatements, in kind: CredentialCheck.Kind, into list: inout CredentialCheckList
    ) {
        for finding in statements.dropped {
            list.fail(.ldTermDropped, finding.reason, in: kind, at: .pointer(finding.pointer))
        }
        for finding in statements.movable {
            list.fail(.ldPlacement, finding.reason, in: kind, at: .pointer(finding.pointer))
        }
        if statements.dropped.isEmpty, statements.movable.isEmpty {
            list.pass(kind, "The statements hold every member of the document, each at its place.")
        }
    }

    private static func form(of statements: DocumentStatements, _ hash: SHA2) throws(CredentialError)
        -> RDFCanonicalForm
    {
        do throws(LinkedDataError) {
            return try RDFCanonicalForm(of: statements.dataset, hash: hash)
        } catch {
            throw CredentialError(error)
        }
    }
}
