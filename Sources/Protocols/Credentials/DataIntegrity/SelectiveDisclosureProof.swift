import ByteCoding
import CBOR
import CryptoSuite
import JSON
import LinkedData

/// The value of an ecdsa-sd-2023 proof, from which its holder may leave statements out.
///
/// Source: Data Integrity ECDSA Cryptosuites 1.0, sections 3.4 to 3.7.
///
/// The issuer signs the proof's members, a key made for this credential, and the mandatory statements; that key signs
/// each other statement. In a base proof, the issuer's own, labels of blank nodes follow from a secret; a derived
/// proof, the holder's, brings the labels.
struct SelectiveDisclosureProof: Sendable {
    /// The kind of an ecdsa-sd-2023 proof: the issuer's base proof, or one derived by the holder.
    enum Kind: Sendable {
        /// A base proof: the secret for the labels, and pointers to the mandatory members.
        case base(secret: [UInt8], pointers: [[String]])
        /// A derived proof: the label of each blank node by canonical number, and the indexes of mandatory statements.
        case derived(labels: [[UInt8]], indexes: Set<Int>)
    }

    private static let baseTag: UInt64 = 0x5D00
    private static let derivedTag: UInt64 = 0x5D01

    /// The issuer's signature, 64 bytes.
    let baseSignature: [UInt8]
    /// The public key for the statements' signatures, with the multicodec of P-256, 35 bytes.
    let publicKey: [UInt8]
    /// The signatures of the non-mandatory statements, in their order.
    let signatures: [[UInt8]]
    private let kind: Kind

    /// True when the holder derived the proof from the issuer's.
    var isSelection: Bool { if case .derived = kind { true } else { false } }

    /// Reads a proof value: `u`, and a tagged CBOR array in base64url.
    ///
    /// Throws `credential.sig-form`, `credential.parse-base64` and the codes of `CredentialCBORReader`.
    init(parsing text: String, limits: VerificationLimits) throws(CredentialError) {
        guard text.utf8.first == UInt8(ascii: "u") else {
            throw CredentialError(.sigForm, "The value of the proof is not written in base64url with its letter.")
        }
        let bytes = try StrictBase64.url(text.dropFirst(), "The value of the proof")
        guard let (tag, content) = try CredentialCBORReader.value(bytes, limits).tagged, let parts = content.array,
            parts.count == 5, let base = parts[0].bytes, let key = parts[1].bytes, key.count == 35,
            key.starts(with: [0x80, 0x24])
        else { throw Self.malformed("is not an array with a signature and a key of P-256") }
        baseSignature = base
        publicKey = key
        switch tag {
        case Self.baseTag:
            signatures = try Self.byteStrings(parts[3])
            kind = try Self.base(secret: parts[2], pointers: parts[4])
        case Self.derivedTag:
            signatures = try Self.byteStrings(parts[2])
            kind = try Self.derived(labels: parts[3], indexes: parts[4])
        default: throw Self.malformed("has another tag")
        }
    }

    private static func malformed(_ reason: String) -> CredentialError {
        CredentialError(.sigForm, "The value of the proof \(reason).")
    }

    private static func byteStrings(_ value: CBORValue) throws(CredentialError) -> [[UInt8]] {
        guard let values = value.array else { throw malformed("has no array of signatures") }
        let strings = values.compactMap(\.bytes)
        guard strings.count == values.count else { throw malformed("has a signature that is not a byte string") }
        return strings
    }

    private static func base(secret: CBORValue, pointers: CBORValue) throws(CredentialError) -> Kind {
        guard let secret = secret.bytes, secret.count == 32, let values = pointers.array else {
            throw malformed("has no secret of 32 bytes and no array of pointers")
        }
        let texts = values.compactMap(\.text)
        guard texts.count == values.count, texts.allSatisfy({ $0.isEmpty || $0.hasPrefix("/") }) else {
            throw malformed("has a pointer that is none")
        }
        let pointers = texts.map { text in
            text.parts(at: "/", omittingEmptySubsequences: false).dropFirst().map { part in
                String(part.substituting("~1", by: "/").substituting("~0", by: "~"))
            }
        }
        return .base(secret: secret, pointers: pointers)
    }

    private static func derived(labels map: CBORValue, indexes: CBORValue) throws(CredentialError) -> Kind {
        guard let entries = map.map, let values = indexes.array else {
            throw malformed("has no map of labels and no array of indexes")
        }
        var labels = [[UInt8]](repeating: [], count: entries.count)
        for entry in entries {
            guard let number = entry.key.int, labels.indices.contains(number), let label = entry.value.bytes else {
                throw malformed("has labels for other blank nodes than the first ones")
            }
            labels[number] = Self.label(label)
        }
        let numbers = values.compactMap(\.int)
        guard Set(labels).count == labels.count, Set(numbers).count == values.count else {
            throw malformed("has a label or an index twice")
        }
        return .derived(labels: labels, indexes: Set(numbers))
    }

    private static func label(_ bytes: [UInt8]) -> [UInt8] { Array(("u" + Base64URL.encode(bytes)).utf8) }

    // Statements.

    /// Returns the mandatory statements joined, and the other statements.
    ///
    /// Throws `credential.sig-form` when labels, indexes or pointers are not those of the document, and
    /// `credential.ld-feature` for a pointer into a list.
    func groups(
        of form: RDFCanonicalForm, _ statements: DocumentStatements, _ document: JSONObject
    ) throws(CredentialError) -> (mandatory: [UInt8], others: [[UInt8]]) {
        let lines = form.lines(labels: try labels(count: form.blankNodeCount))
        let isMandatory: [Bool]
        switch kind {
        case .derived(_, let indexes):
            guard indexes.allSatisfy(lines.indices.contains) else {
                throw Self.malformed("has the index of a statement that is not there")
            }
            isMandatory = lines.indices.map(indexes.contains)
        case .base(_, let pointers):
            let selection = try JSONPointerSelection(pointers, in: document)
            var selected: [Bool] = []
            for line in lines { selected.append(try selection.holds(statements.origins[line.index])) }
            isMandatory = selected
        }
        var (mandatory, others) = ([UInt8](), [[UInt8]]())
        for (line, isMandatory) in zip(lines, isMandatory) {
            if isMandatory { mandatory += line.line } else { others.append(line.line) }
        }
        return (mandatory, others)
    }

    private func labels(count: Int) throws(CredentialError) -> [[UInt8]] {
        switch kind {
        case .derived(let labels, _):
            guard labels.count == count else {
                throw Self.malformed("has labels for another number of blank nodes than there are")
            }
            return labels
        case .base(let secret, _):
            let key = Secret(copying: secret)
            return (0..<count).map { Self.label(HMACSHA256.authenticate(Array("c14n\($0)".utf8), key: key)) }
        }
    }
}

/// The members that JSON pointers select in a document, with the types of the objects on the path.
///
/// A tree of the steps, so that work grows with the lengths of pointers and paths, and not with the number of pointers
/// for each statement.
struct JSONPointerSelection {
    /// A position in the document on the path of a pointer.
    private struct SelectionNode {
        /// The positions one step below, by that step.
        var below: [String: Int] = [:]
        /// True when a pointer ends at this position.
        var isChosen = false
    }

    private var places = [SelectionNode()]

    /// Makes the selection; throws `credential.sig-form` for a pointer to a missing member.
    init(_ pointers: [[String]], in document: JSONObject) throws(CredentialError) {
        for pointer in pointers {
            var value = JSONValue.object(document)
            var place = 0
            for step in pointer {
                guard let next = value[step] ?? Int(step).flatMap({ value[$0] }) else {
                    throw CredentialError(.sigForm, "The proof has a pointer to what the document does not have.")
                }
                value = next
                place = self.place(below: place, step)
            }
            places[place].isChosen = true
        }
    }

    private mutating func place(below place: Int, _ step: String) -> Int {
        if let known = places[place].below[step] { return known }
        places.append(SelectionNode())
        places[place].below[step] = places.count - 1
        return places.count - 1
    }

    /// Returns true when a statement's origin is selected; throws `credential.ld-feature` for a pointer into a list.
    func holds(_ origin: StatementOrigin) throws(CredentialError) -> Bool {
        var place = 0
        for step in origin.path.steps {
            if places[place].isChosen { return true }
            let name =
                switch step {
                case .member(let name): name
                case .element(let index): "\(index)"
                }
            guard let next = places[place].below[name] else { return false }
            place = next
        }
        if places[place].isChosen { return true }
        guard !places[place].below.isEmpty else { return false }
        guard !origin.isList else {
            throw CredentialError(.ldFeature, "The proof has a pointer into a list.")
        }
        return true
    }
}

/// The statements that one key signs separately, with their signatures.
struct SignedStatements: Sendable {
    private let key: VerificationKey
    private let pairs: [(line: [UInt8], signature: [UInt8])]

    /// Makes the check; throws `credential.sig-invalid` for a wrong number of signatures, and `credential.key-curve`.
    init(_ lines: [[UInt8]], _ proof: SelectiveDisclosureProof) throws(CredentialError) {
        guard lines.count == proof.signatures.count else {
            throw CredentialError(.sigInvalid, "The proof has another number of signatures than of statements.")
        }
        key = try VerificationKey(.point(curve: "P-256", Array(proof.publicKey.dropFirst(2))))
        pairs = zip(lines, proof.signatures).map { ($0, $1) }
    }

    /// Verifies each signature; throws `credential.sig-form` or `credential.sig-invalid`.
    func check() throws(CredentialError) {
        for pair in pairs { try key.verify(pair.signature, over: pair.line, algorithm: .es256) }
    }
}
