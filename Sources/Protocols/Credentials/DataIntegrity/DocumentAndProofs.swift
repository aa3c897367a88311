import JSON

/// A JSON-LD document separated from its proofs.
struct DocumentAndProofs: Sendable {
    /// The document without its member `proof`.
    let unsecured: JSONObject
    /// The proofs of the document, each with its location.
    let entries: [(object: JSONObject, location: CheckLocation)]

    /// Separates the proofs from a document.
    ///
    /// Throws `credential.vc-missing-member` without a proof, `credential.vc-type` for a proof that is no object and
    /// `credential.limit-proofs`.
    init(_ object: JSONObject) throws(CredentialError) {
        let place = CheckLocation.pointer("/proof")
        guard let value = object["proof"] else {
            throw CredentialError(.vcMissingMember, "The document has no proof.", at: place)
        }
        let values = value.array ?? [value]
        guard !values.isEmpty else {
            throw CredentialError(.vcMissingMember, "The document has an empty array of proofs.", at: place)
        }
        guard values.count <= VerificationLimits.maximumProofs else {
            throw CredentialError(.limitProofs, "The document has \(values.count) proofs.", at: place)
        }
        var entries: [(JSONObject, CheckLocation)] = []
        for (index, element) in values.enumerated() {
            let place = value.array == nil ? place : place.appending("\(index)")
            guard let object = element.object else {
                throw CredentialError(.vcType, "A proof is not an object.", at: place)
            }
            entries.append((object, place))
        }
        self.entries = entries
        var unsecured = object
        unsecured["proof"] = nil
        self.unsecured = unsecured
    }

    /// Returns the document that a proof signs: without proofs, or with the earlier proofs that it names.
    ///
    /// Source: VC Data Integrity 1.0, section 4.5. Throws `credential.ld-chain-broken` unless each name is that of
    /// exactly one other proof, and none leads back.
    func input(of proof: LinkedDataProof) throws(CredentialError) -> JSONObject {
        guard let names = proof.previous else { return unsecured }
        var ended: Set<String> = []
        try checkEnds(names, seen: [], ended: &ended, proof)
        var document = unsecured
        var signed: [JSONValue] = []
        for name in names { signed.append(.object(try entry(name, for: proof))) }
        document["proof"] = .array(signed)
        return document
    }

    private func entry(_ name: String, for proof: LinkedDataProof) throws(CredentialError) -> JSONObject {
        let found = entries.filter { $0.object["id"]?.string == name }
        guard let entry = found.first, found.count == 1 else {
            throw CredentialError(
                .ldChainBroken, "A proof names a previous proof that is not there exactly once.",
                at: proof.location.appending("previousProof"))
        }
        return entry.object
    }

    /// Throws when references between proofs form a cycle; `seen` are those on the path, `ended` the checked ones.
    private func checkEnds(
        _ names: [String], seen: [String], ended: inout Set<String>, _ proof: LinkedDataProof
    ) throws(CredentialError) {
        guard Set(names).count == names.count, !names.contains(where: seen.contains) else {
            throw CredentialError(
                .ldChainBroken, "A proof names itself, or one proof twice.",
                at: proof.location.appending("previousProof"))
        }
        for name in names where !ended.contains(name) {
            let next = W3CMemberChecks.texts(try entry(name, for: proof)["previousProof"])
            if !next.isEmpty { try checkEnds(next, seen: seen + [name], ended: &ended, proof) }
            ended.insert(name)
        }
    }
}
