import JSON

/// One proof of a JSON-LD document, with the members that the suites sign.
struct LinkedDataProof: Sendable {
    /// The proof as the JSON object in the document.
    let object: JSONObject
    /// The location of the proof in the document.
    let location: CheckLocation
    let suite: ProofSuite
    /// The DID URL or address of the proof's key.
    let method: String
    let purpose: String
    /// The signature as text: a detached JWS, or multibase.
    let signature: String
    let created: String?
    let expires: String?
    let identifier: String?
    let challenge: String?
    let nonce: String?
    /// The domains that the proof is for; empty without any.
    let domains: [String]
    /// The identifiers of the earlier proofs that this one signs too; nil when the member is missing.
    let previous: [String]?
    /// The names of the proof's members that the suite does not sign, in their order.
    let unknownMembers: [String]

    private static let members: Set<String> = [
        "type", "created", "verificationMethod", "proofPurpose", "challenge", "domain", "nonce", "expires", "id",
        "@context",
    ]

    /// Reads a proof of a document.
    ///
    /// Throws `credential.vc-missing-member`, `credential.vc-type` for a member of another kind, and what
    /// `ProofSuite.init(type:cryptosuite:)` throws.
    init(_ object: JSONObject, at location: CheckLocation) throws(CredentialError) {
        let reader = MemberReader(object: object, location: location)
        self.object = object
        self.location = location
        let cryptosuite = try reader.text("cryptosuite")
        let suite: ProofSuite
        do throws(CredentialError) {
            suite = try ProofSuite(type: try reader.required("type"), cryptosuite: cryptosuite)
        } catch {
            throw CredentialError(error.code, error.reason, at: error.location ?? location)
        }
        self.suite = suite
        method = try reader.required("verificationMethod")
        purpose = try reader.required("proofPurpose")
        signature = try reader.required(suite.signatureMember)
        created = suite.requiresCreated ? try reader.required("created") : try reader.text("created")
        expires = try reader.text("expires")
        identifier = try reader.text("id")
        challenge = try reader.text("challenge")
        nonce = try reader.text("nonce")
        domains = try reader.texts("domain") ?? []
        // Former suites do not sign the member.
        previous = suite.cryptosuite == nil ? nil : try reader.texts("previousProof")
        var known = Self.members.union([suite.signatureMember])
        if suite.cryptosuite != nil { known.formUnion(["cryptosuite", "previousProof"]) }
        // JSON is signed with all its members.
        unknownMembers = suite.signsJSON ? [] : object.names.filter { !known.contains($0) }
    }

    /// The proof without its signature, which the suite signs.
    var options: JSONObject {
        var options = object
        options[suite.signatureMember] = nil
        return options
    }

    /// Reads members of a proof, with errors that name their location.
    private struct MemberReader {
        let object: JSONObject
        let location: CheckLocation

        func required(_ name: String) throws(CredentialError) -> String {
            guard let text = try text(name) else {
                throw CredentialError(
                    .vcMissingMember, "The proof has no member \(name).", at: location.appending(name))
            }
            return text
        }

        func text(_ name: String) throws(CredentialError) -> String? {
            guard let value = object[name] else { return nil }
            guard let text = value.string else {
                throw CredentialError(
                    .vcType, "The member \(name) of the proof is not text.", at: location.appending(name))
            }
            return text
        }

        func texts(_ name: String) throws(CredentialError) -> [String]? {
            guard let value = object[name] else { return nil }
            if let text = value.string { return [text] }
            guard let values = value.array, !values.isEmpty, values.allSatisfy({ $0.string != nil }) else {
                throw CredentialError(
                    .vcType, "The member \(name) of the proof is neither a text nor texts.",
                    at: location.appending(name))
            }
            return values.compactMap(\.string)
        }
    }
}
