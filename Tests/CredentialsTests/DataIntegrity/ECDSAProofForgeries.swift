import CryptoSuite
import JSON

@testable import Credentials

/// Changes by forgers to a credential whose proof is of a suite of ECDSA.
enum ECDSAProofForgeries {
    typealias Entry = Forgery<ProofSample>

    static let suites = ["ecdsa-rdfc-2019", "ecdsa-jcs-2019"]

    /// A credential of version 2.0 with a proof of a suite.
    static func sample(_ suite: String, _ signer: Signer) -> ProofSample {
        ProofSample.statements("DataIntegrityProof", signer, cryptosuite: suite)
    }

    private static func make(
        _ suite: String, _ signer: Signer, _ change: @escaping @Sendable (inout ProofSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = Self.sample(suite, signer)
            change(&sample)
        }
    }

    /// Names the key of `signer` in a document of an issuer with an address.
    static func listKey(of signer: Signer, type: String, in sample: inout ProofSample) {
        let (issuer, method) = ("https://issuer.example", "https://issuer.example#key-1")
        var entry = TrustedIssuer(issuer)
        entry.document = [
            "id": .string(issuer),
            "verificationMethod": .array([
                [
                    "id": .string(method), "type": .string(type), "controller": .string(issuer),
                    "publicKeyMultibase": .string(String(signer.did.dropFirst("did:key:".count))),
                ]
            ]), "assertionMethod": .strings([method]),
        ]
        sample.request.trust.issuers = [entry]
        sample.document["issuer"] = .string(issuer)
        sample.proof["verificationMethod"] = .string(method)
    }

    static let all: [Entry] = suites.flatMap { suite in
        [
            Entry(
                3, "a bit of the signature, \(suite)", .sigInvalid, nil,
                make(suite, .p256) {
                    $0.changeSignature { $0[9] ^= 1 }
                }),
            Entry(
                3, "a bit of the signature of P-384, \(suite)", .sigInvalid, nil,
                make(suite, .p384) {
                    $0.changeSignature { $0[9] ^= 1 }
                }),
            Entry(
                4, "a byte less, \(suite)", .sigForm, nil,
                make(suite, .p384) {
                    $0.changeSignature { $0.removeLast() }
                }),
            Entry(
                7, "r of zeros, \(suite)", .sigInvalid, nil,
                make(suite, .p256) {
                    $0.changeSignature { $0.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32)) }
                }),
            Entry(
                7, "r and s of zeros, \(suite)", .sigInvalid, nil,
                make(suite, .p384) {
                    $0.changeSignature { $0 = [UInt8](repeating: 0, count: 96) }
                }),
            Entry(13, "a key of secp256k1, \(suite)", .algMismatch, nil, make(suite, .k1)),
            Entry(13, "an Ed25519 key, \(suite)", .algMismatch, nil, make(suite, .edwards)),
            Entry(13, "an RSA key, \(suite)", .algMismatch, nil, make(suite, .large)),
            Entry(
                22, "another suite of the key, \(suite)", .sigInvalid, nil,
                make(suite, .p256) {
                    $0.changeProof("cryptosuite") { $0 == suites[0] ? .string(suites[1]) : .string(suites[0]) }
                }),
            Entry(
                2, "a claim changed, \(suite)", .sigInvalid, nil,
                make(suite, .p384) { sample in
                    sample.edit = { $0["validFrom"] = "2024-01-01T00:00:00Z" }
                }),
            Entry(
                2, "SHA-256 with a key of P-384, \(suite)", .sigInvalid, nil,
                make(suite, .p384) {
                    $0.digest = .sha256
                }),
            Entry(
                2, "SHA-384 with a key of P-256, \(suite)", .sigInvalid, nil,
                make(suite, .p256) {
                    $0.digest = .sha384
                }),
        ]
    }

    static let twins: [Entry] = suites.flatMap { suite in
        [
            Entry(2, "\(suite) with a key of P-256", .sigInvalid, nil, make(suite, .p256)),
            Entry(2, "\(suite) with a key of P-384", .sigInvalid, nil, make(suite, .p384)),
            Entry(
                2, "\(suite) with a Multikey of P-256", .sigInvalid, nil,
                make(suite, .p256) {
                    listKey(of: .p256, type: "Multikey", in: &$0)
                }),
            Entry(
                2, "\(suite) with a Multikey of P-384", .sigInvalid, nil,
                make(suite, .p384) {
                    listKey(of: .p384, type: "Multikey", in: &$0)
                }),
        ]
    }
}
