import CBOR
import CryptoSuite
import JSON

@testable import Credentials

/// Changes by forgers to a credential from whose proof its holder may leave statements out.
enum SelectiveForgeries {
    typealias Entry = Forgery<ProofSample>

    /// A credential about crops, of which the holder shows one.
    static func sample(isDerived: Bool) -> ProofSample {
        var sample = ECDSAProofForgeries.sample("ecdsa-sd-2023", .p256)
        sample.document["credentialSubject"] = [
            "id": "did:example:subject", "urn:x:crop": "barley", "urn:x:area": "12",
            "urn:x:farm": ["urn:x:name": "North", "urn:x:owner": ["urn:x:name": "Ada"]],
        ]
        sample.selection.isDerived = isDerived
        if isDerived {
            sample.selection.reveal = { change(&$0) { $0["urn:x:area"] = nil } }
            sample.edit = { change(&$0) { $0["urn:x:area"] = nil } }
        }
        return sample
    }

    /// Changes the subject of a document.
    private static func change(_ document: inout JSONObject, _ edit: (inout JSONObject) -> Void) {
        guard var subject = document["credentialSubject"]?.object else { return }
        edit(&subject)
        document["credentialSubject"] = .object(subject)
    }

    private static func make(
        isDerived: Bool, _ edit: @escaping @Sendable (inout ProofSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = Self.sample(isDerived: isDerived)
            edit(&sample)
        }
    }

    /// Changes the document once it is signed, and once the holder left claims out.
    private static func later(
        isDerived: Bool, _ edit: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        make(isDerived: isDerived) { sample in
            let first = sample.edit
            sample.edit = { document in
                first(&document)
                edit(&document)
            }
        }
    }

    /// Changes the parts of the value.
    private static func parts(
        isDerived: Bool, _ edit: @escaping @Sendable (inout UInt64, inout [CBORItem]) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        make(isDerived: isDerived) { $0.selection.edit = edit }
    }

    private static func changeArray(_ part: inout CBORItem, _ edit: (inout [CBORItem]) -> Void) {
        guard case .array(var values) = part else { return }
        edit(&values)
        part = .array(values)
    }

    static let all = both + base + derived

    private static let both: [Entry] = [false, true].flatMap { isDerived -> [Entry] in
        let kind = isDerived ? "derived" : "base"
        let signatures = isDerived ? 2 : 3
        return [
            Entry(
                2, "a mandatory member changed, \(kind)", .sigInvalid, nil,
                later(isDerived: isDerived) {
                    $0["validFrom"] = "2024-01-01T00:00:00Z"
                }),
            Entry(
                2, "a claim changed, \(kind)", .sigInvalid, nil,
                later(isDerived: isDerived) {
                    change(&$0) { $0["urn:x:crop"] = "rye" }
                }),
            Entry(
                2, "a claim added, \(kind)", .sigInvalid, nil,
                later(isDerived: isDerived) {
                    change(&$0) { $0["urn:x:income"] = "1" }
                }),
            Entry(
                2, "a claim left out with its signature still there, \(kind)", isDerived ? .sigForm : .sigInvalid, nil,
                later(isDerived: isDerived) { change(&$0) { $0["urn:x:crop"] = nil } }),
            Entry(
                67, "another time of the proof, \(kind)", .sigInvalid, nil,
                make(isDerived: isDerived) { sample in
                    let first = sample.edit
                    sample.edit = { document in
                        first(&document)
                        guard var proof = document["proof"]?.object else { return }
                        proof["created"] = "2024-12-01T00:00:00Z"
                        document["proof"] = .object(proof)
                    }
                }),
            Entry(
                3, "a signature of a statement changed, \(kind)", .sigInvalid, nil,
                parts(isDerived: isDerived) { _, parts in
                    changeArray(&parts[signatures]) { $0[0] = .bytes([UInt8](repeating: 1, count: 64)) }
                }),
            Entry(
                4, "a signature of a statement that is too short, \(kind)", .sigForm, nil,
                parts(isDerived: isDerived) { _, parts in
                    changeArray(&parts[signatures]) { $0[0] = .bytes([UInt8](repeating: 1, count: 63)) }
                }),
            Entry(
                3, "two signatures of statements swapped, \(kind)", .sigInvalid, nil,
                parts(isDerived: isDerived) { _, parts in changeArray(&parts[signatures]) { $0.swapAt(0, 1) } }),
            Entry(
                3, "a signature of a statement more, \(kind)", .sigInvalid, nil,
                parts(isDerived: isDerived) { _, parts in
                    changeArray(&parts[signatures]) { $0.append($0[0]) }
                }),
            Entry(
                21, "another key of the statements, \(kind)", .sigInvalid, nil,
                parts(isDerived: isDerived) { _, parts in
                    guard case .ecdsa(let key) = Signer.holder else { return }
                    parts[1] = .bytes([0x80, 0x24] + key.publicKey.compressed)
                }),
            Entry(
                41, "a key of the statements off its curve, \(kind)", .keyCurve, nil,
                parts(isDerived: isDerived) { _, parts in
                    parts[1] = .bytes([0x80, 0x24, 2] + [UInt8](repeating: 0xFF, count: 32))
                }),
            Entry(
                41, "a key of the statements of another curve, \(kind)", .sigForm, nil,
                parts(isDerived: isDerived) { _, parts in
                    guard case .ecdsa(let key) = Signer.k1 else { return }
                    parts[1] = .bytes([0xE7, 0x01] + key.publicKey.compressed)
                }),
            Entry(17, "a part more, \(kind)", .sigForm, nil, parts(isDerived: isDerived) { $1.append(.null) }),
            Entry(17, "another tag, \(kind)", .sigForm, nil, parts(isDerived: isDerived) { tag, _ in tag = 0x5D07 }),
            Entry(
                17, "the tag of the other kind, \(kind)", .sigForm, nil,
                parts(isDerived: isDerived) { tag, _ in tag ^= 1 }),
            Entry(
                17, "signatures that are no array, \(kind)", .sigForm, nil,
                parts(isDerived: isDerived) { $1[signatures] = .bool(true) }),
            Entry(
                17, "a signature that is a text, \(kind)", .sigForm, nil,
                parts(isDerived: isDerived) { _, parts in changeArray(&parts[signatures]) { $0[0] = .text("x") } }),
            Entry(
                13, "the issuer's key of P-384, \(kind)", .algMismatch, nil,
                make(isDerived: isDerived) {
                    $0.signer = .p384
                    $0.document["issuer"] = .string(Signer.p384.did)
                    $0.proof["verificationMethod"] = .string(Signer.p384.method)
                }),
        ]
    }

    private static let base: [Entry] = [
        Entry(
            17, "a value in base 58", .sigForm, nil,
            make(isDerived: false) { sample in
                sample.changeProof("proofValue") { _ in "z3" }
            }),
        Entry(
            17, "a value that is no CBOR", .parseCBOR, nil,
            make(isDerived: false) { sample in
                sample.changeProof("proofValue") { _ in "u_w" }
            }),
        Entry(
            72, "a previous proof", .ldChainBroken, nil,
            make(isDerived: false) { sample in
                sample.changeProof("previousProof") { _ in "urn:x:1" }
            }),
        Entry(
            3, "another secret", .sigInvalid, nil,
            parts(isDerived: false) { $1[2] = .bytes([UInt8](repeating: 9, count: 32)) }),
        Entry(
            4, "a short secret", .sigForm, nil,
            parts(isDerived: false) { $1[2] = .bytes([UInt8](repeating: 9, count: 31)) }),
        Entry(3, "other pointers", .sigInvalid, nil, parts(isDerived: false) { $1[4] = .array([.text("/issuer")]) }),
        Entry(
            4, "a pointer to what is not there", .sigForm, nil,
            parts(isDerived: false) { $1[4] = .array([.text("/issuer/0")]) }),
        Entry(
            4, "a pointer past the end of an array", .sigForm, nil,
            parts(isDerived: false) { $1[4] = .array([.text("/type/9")]) }),
        Entry(
            4, "a pointer without its first character", .sigForm, nil,
            parts(isDerived: false) { $1[4] = .array([.text("issuer")]) }),
        Entry(4, "a pointer that is a number", .sigForm, nil, parts(isDerived: false) { $1[4] = .array([.int(1)]) }),
        Entry(3, "a pointer into a list", .ldFeature, .notChecked) { sample in
            sample = Self.sample(isDerived: false)
            let terms: JSONObject = ["steps": ["@id": "urn:x:steps", "@container": "@list"]]
            sample.pin(MeaningForgeries.other, terms)
            sample.document["@context"] = .strings(["https://www.w3.org/ns/credentials/v2", MeaningForgeries.other])
            sample.setClaim("steps", ["x", "y"])
            sample.selection.edit = { $1[4] = .array([.text("/credentialSubject/steps/0")]) }
        },
    ]

    private static let derived: [Entry] = [
        Entry(
            4, "a label twice", .sigForm, nil,
            parts(isDerived: true) { _, parts in
                guard case .ordered(var labels) = parts[3] else { return }
                labels[0][1] = labels[1][1]
                parts[3] = .ordered(labels)
            }),
        Entry(
            4, "a label less", .sigForm, nil,
            parts(isDerived: true) { _, parts in
                guard case .ordered(let labels) = parts[3] else { return }
                parts[3] = .ordered(Array(labels.dropLast()))
            }),
        Entry(
            4, "a label of a node that is not there", .sigForm, nil,
            parts(isDerived: true) { _, parts in
                guard case .ordered(let labels) = parts[3] else { return }
                parts[3] = .ordered(labels + [[.int(labels.count + 1), .bytes([1])]])
            }),
        Entry(
            4, "two labels swapped", .sigInvalid, nil,
            parts(isDerived: true) { _, parts in
                guard case .ordered(var labels) = parts[3] else { return }
                (labels[0][1], labels[1][1]) = (labels[1][1], labels[0][1])
                parts[3] = .ordered(labels)
            }),
        Entry(4, "labels that are an array", .sigForm, nil, parts(isDerived: true) { $1[3] = .array([]) }),
        Entry(
            4, "an index twice", .sigForm, nil,
            parts(isDerived: true) { _, parts in
                changeArray(&parts[4]) { $0.append($0[0]) }
            }),
        Entry(
            4, "an index past the statements", .sigForm, nil,
            parts(isDerived: true) { _, parts in
                changeArray(&parts[4]) { $0.append(.int(99)) }
            }),
        Entry(
            4, "an index less", .sigInvalid, nil,
            parts(isDerived: true) { _, parts in
                changeArray(&parts[4]) { $0.removeLast() }
            }),
        Entry(
            55, "a claim moved under another node", .sigInvalid, nil,
            later(isDerived: true) {
                change(&$0) { subject in
                    guard var farm = subject["urn:x:farm"]?.object else { return }
                    farm["urn:x:crop"] = subject["urn:x:crop"]
                    subject["urn:x:crop"] = nil
                    subject["urn:x:farm"] = .object(farm)
                }
            }),
    ]

    static let twins: [Entry] = [
        Entry(2, "ecdsa-sd-2023 as the issuer made it", .sigInvalid, nil, make(isDerived: false)),
        Entry(2, "ecdsa-sd-2023 with a claim left out", .sigInvalid, nil, make(isDerived: true)),
        Entry(
            2, "ecdsa-sd-2023 with nothing mandatory", .sigInvalid, nil,
            make(isDerived: false) {
                $0.selection.pointers = []
            }),
        Entry(
            2, "ecdsa-sd-2023 with all mandatory", .sigInvalid, nil,
            make(isDerived: false) {
                $0.selection.pointers = ["/type", "/issuer", "/validFrom", "/credentialSubject"]
            }),
        Entry(
            2, "ecdsa-sd-2023 with a mandatory claim deep inside", .sigInvalid, nil,
            make(isDerived: true) {
                $0.selection.pointers = ["/credentialSubject/urn:x:farm/urn:x:owner/urn:x:name"]
            }),
    ]
}
