import ByteCoding
import CBOR
import CryptoSuite
import JSON
import LinkedData

@testable import Credentials

/// The choice of statements of a proof of ecdsa-sd-2023, and its value in CBOR.
struct SelectiveSample {
    /// The secret of the labels, 32 bytes.
    static let secret = [UInt8](0..<32)
    /// The key of the statements.
    static let statementKey = Signer.stranger

    /// The members that are mandatory.
    var pointers = ["/issuer", "/validFrom"]
    /// True for the holder's proof.
    var isDerived = false
    /// Leaves claims out of the document, for the holder's proof.
    var reveal: (inout JSONObject) -> Void = { _ in }
    /// Changes the tag and the parts of the value.
    var edit: (inout UInt64, inout [CBORItem]) -> Void = { _, _ in }

    /// The public key of the statements with its multicodec.
    static var publicKey: [UInt8] { Multibase.decode(String(statementKey.did.dropFirst("did:key:".count))) ?? [] }

    private static func label(_ number: Int) -> [UInt8] {
        HMACSHA256.authenticate(Array("c14n\(number)".utf8), key: Secret(copying: secret))
    }

    /// The lines of a document whose blank nodes have these labels, and its canonical labels.
    private func lines(
        _ document: JSONObject, _ request: VerificationRequest, labels: (RDFCanonicalForm) -> [[UInt8]]
    ) throws -> (lines: [[UInt8]], isMandatory: [Bool], form: RDFCanonicalForm) {
        let statements = try RDFStatementReader(request).read(document, keepsOrigins: true)
        let form = try RDFCanonicalForm(of: statements.dataset)
        let steps = pointers.map { $0.split(separator: "/").map(String.init) }
        let selection = try JSONPointerSelection(steps, in: document)
        let lines = form.lines(labels: labels(form).map { Array(("u" + Base64URL.encode($0)).utf8) })
        return (lines.map(\.line), try lines.map { try selection.holds(statements.origins[$0.index]) }, form)
    }

    /// The value of the proof over a sample's document, with the statements of the proof's own members.
    func value(of sample: ProofSample, _ options: [UInt8]) throws -> String {
        let whole = try lines(sample.document, sample.request) { form in (0..<form.blankNodeCount).map(Self.label) }
        let mandatory = zip(whole.lines, whole.isMandatory).filter { $1 }.map(\.0)
        let signed = SHA256.hash(options) + Self.publicKey + SHA256.hash(Array(mandatory.joined()))
        let base = CBORItem.bytes(sample.signer.sign(signed))
        var (tag, parts): (UInt64, [CBORItem])
        if isDerived {
            var shown = sample.document
            reveal(&shown)
            var map: [Int: [UInt8]] = [:]
            let part = try lines(shown, sample.request) { form in
                // Nodes stay, so that both have the same labels before they are canonical.
                for (node, name) in form.labels {
                    guard let other = whole.form.labels[node] else { continue }
                    map[Int(name.dropFirst(4)) ?? 0] = Self.label(Int(other.dropFirst(4)) ?? 0)
                }
                return (0..<form.blankNodeCount).map { map[$0] ?? [] }
            }
            let indexes = part.lines.indices.filter { mandatory.contains(part.lines[$0]) }
            let others = part.lines.filter { !mandatory.contains($0) }
            let labels = map.map { ($0, $1) }.sorted { $0.0 < $1.0 }.map { [CBORItem.int($0.0), .bytes($0.1)] }
            tag = 0x5D01
            parts = [
                base, .bytes(Self.publicKey), .array(others.map { .bytes(Self.statementKey.sign($0)) }),
                .ordered(labels), .array(indexes.map { .int($0) }),
            ]
        } else {
            let others = whole.lines.filter { !mandatory.contains($0) }
            tag = 0x5D00
            parts = [
                base, .bytes(Self.publicKey), .bytes(Self.secret),
                .array(others.map { .bytes(Self.statementKey.sign($0)) }), .array(pointers.map { .text($0) }),
            ]
        }
        edit(&tag, &parts)
        return "u" + Base64URL.encode(CBORItem.tagged(tag, .array(parts)).encoded)
    }
}
