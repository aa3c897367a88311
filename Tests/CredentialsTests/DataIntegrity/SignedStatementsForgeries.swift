import ByteCoding
import JSON

@testable import Credentials

/// Forgeries of a credential with a proof over statements, by the numbers of the list that test kits share.
enum SignedStatementsForgeries {
    typealias Entry = Forgery<ProofSample>

    static let all =
        signature + header + suites + ProofFormForgeries.overStatements + ECDSAProofForgeries.all
        + SelectiveForgeries.all

    private static func restate(_ type: String, _ signer: Signer) -> @Sendable (inout ProofSample) -> Void {
        { $0 = .statements(type, signer) }
    }

    private static let signature: [Entry] = [
        Entry(3, "a bit of the signature", .sigInvalid) { $0.changeSignature { $0[9] ^= 1 } },
        Entry(4, "a byte less", .sigForm) { $0.changeSignature { $0.removeLast() } },
        Entry(5, "a byte more", .sigForm) { $0.changeSignature { $0.append(0) } },
        Entry(6, "zeros", .sigInvalid) { $0.changeSignature { $0 = [UInt8](repeating: 0, count: 64) } },
        Entry(7, "r of zeros", .sigInvalid) { sample in
            sample = .statements("EcdsaSecp256k1Signature2019", .k1)
            sample.changeSignature { $0.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32)) }
        },
        Entry(7, "s of zeros", .sigInvalid) { sample in
            sample = .statements("EcdsaSecp256k1Signature2019", .k1)
            sample.changeSignature { $0.replaceSubrange(32..<64, with: [UInt8](repeating: 0, count: 32)) }
        },
        Entry(8, "r and s swapped", .sigInvalid) { sample in
            sample = .statements("EcdsaSecp256k1Signature2019", .k1)
            sample.changeSignature { $0 = Array($0[32...] + $0[..<32]) }
        },
        Entry(9, "DER", .sigForm) { sample in
            sample = .statements("EcdsaSecp256k1Signature2019", .k1)
            sample.changeSignature { $0 = [0x30, 68, 2, 32] + $0[..<32] + [2, 32] + $0[32...] }
        },
        Entry(12, "RS256 over PS256", .sigInvalid) { sample in
            sample = .statements("RsaSignature2018", .large, algorithm: "PS256")
            sample.pinLargeKey()
            sample.header = #"{"alg":"RS256","b64":false,"crit":["b64"]}"#
        },
        Entry(68, "a proof whose members are not signed", .ldProofEmpty) { $0.signsNoOptions = true },
    ]

    private static func header(_ text: String) -> @Sendable (inout ProofSample) -> Void { { $0.header = text } }

    private static func jws(_ change: @escaping @Sendable (String) -> String) -> @Sendable (inout ProofSample) -> Void {
        { $0.changeProof("jws") { .string(change($0)) } }
    }

    private static let header: [Entry] = [
        Entry(10, "alg none", .algNone) { sample in
            sample.header = #"{"alg":"none","b64":false,"crit":["b64"]}"#
            sample.changeSignature { $0 = [] }
        },
        Entry(11, "HS256", .algMismatch, nil, header(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#)),
        Entry(14, "b64 true", .algB64, nil, header(#"{"alg":"EdDSA","b64":true,"crit":["b64"]}"#)),
        Entry(14, "b64 missing", .algB64, nil, header(#"{"alg":"EdDSA","crit":["b64"]}"#)),
        Entry(15, "crit missing", .algCrit, nil, header(#"{"alg":"EdDSA","b64":false}"#)),
        Entry(
            16, "crit with another name", .algCrit, nil,
            header(#"{"alg":"EdDSA","b64":false,"crit":["b64","x"],"x":1}"#)),
        Entry(
            17, "payload between the points", .sigForm, nil,
            jws { $0.split(separator: "..").joined(separator: ".e30.") }),
        Entry(18, "four parts", .sigForm, nil, jws { $0 + ".AAAA" }),
        Entry(19, "padding", .parseBase64, nil, jws { $0 + "==" }),
        Entry(
            20, "header written otherwise", .sigInvalid, nil,
            jws { TokenEdit.part(0, of: $0) { $0.insert(0x20, at: 1) } }),
        Entry(21, "a key in the header", .sigInvalid) { sample in
            let key = Signer.p256.jwk.text
            sample = .statements("JsonWebSignature2020", .p256)
            sample.header = #"{"alg":"ES256","b64":false,"crit":["b64"],"jwk":\#(key)}"#
            sample.signer = .stranger
        },
    ]

    private static let suites: [Entry] = [
        Entry(13, "ES256 in a suite of secp256k1", .algMismatch) { sample in
            sample = .statements("EcdsaSecp256k1Signature2019", .p256)
        },
        Entry(13, "RS256 in JsonWebSignature2020", .algMismatch, nil, restate("JsonWebSignature2020", .large)),
        Entry(22, "2018 as 2020", .sigInvalid) { sample in
            sample.edit = { document in
                guard var proof = document["proof"]?.object, let text = proof["jws"]?.string,
                    let bytes = Base64URL.decode(text.split(separator: ".").last ?? "")
                else { return }
                proof["jws"] = nil
                proof["type"] = "Ed25519Signature2020"
                proof["proofValue"] = .string(Multibase.encode(bytes))
                document["proof"] = .object(proof)
            }
        },
        Entry(22, "2018 as 2020 with its jws", .vcMissingMember) {
            $0.changeProof("type") { _ in "Ed25519Signature2020" }
        },
        Entry(23, "unknown suite", .algMismatch, .notChecked) { $0.changeProof("type") { _ in "OtherSignature2030" } },
        Entry(25, "statements as JSON", .sigInvalid) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.changeProof("cryptosuite") { _ in "eddsa-jcs-2022" }
        },
        Entry(67, "a member of the proof more", .ldProofUnknownMember, .notChecked) {
            $0.changeProof("note") { _ in "x" }
        },
        Entry(67, "a cryptosuite in a former suite", .ldProofUnknownMember) {
            $0.changeProof("cryptosuite") { _ in "x" }
        },
        Entry(67, "contexts of the proof", .ctxUnpinned) { sample in
            sample.changeProof("@context") { _ in "https://example.org/x" }
        },
        Entry(67, "contexts of the proof that give its type another meaning", .ldProofAmbiguous) { sample in
            sample = .statements("JsonWebSignature2020", .p256)
            sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"])
            sample.pin(MeaningForgeries.other, ["JsonWebSignature2020": "urn:x:OtherProof"])
            sample.changeProof("@context") { _ in .strings([MeaningForgeries.other]) }
        },
        Entry(67, "contexts of a Data Integrity proof", .ldProofUnknownMember) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.changeProof("@context") { _ in "https://w3id.org/security/data-integrity/v2" }
        },
        Entry(33, "a JSON Web Key in a suite that takes none", .algMismatch, .notChecked) { sample in
            sample = .statements("DataIntegrityProof", .p256, cryptosuite: "ecdsa-rdfc-2019")
            ECDSAProofForgeries.listKey(of: .p256, type: "JsonWebKey2020", in: &sample)
        },
        Entry(72, "a previous proof in a former suite", .ldProofUnknownMember, .notChecked) { sample in
            sample.changeProof("previousProof") { _ in "urn:x:1" }
        },
        Entry(69, "ten blank nodes that are tied to one another", .limitRDFPoison, .notChecked) { sample in
            let nodes = (0..<10).map { node in
                let others = (0..<10).filter { $0 != node }.map { JSONValue.object(["id": .string("_:n\($0)")]) }
                return JSONValue.object([
                    "id": .string("_:n\(node)"), "type": "urn:x:Node", "urn:x:tie": .array(others),
                ])
            }
            sample.edit = { $0["evidence"] = .array(nodes) }
        },
        Entry(47, "no time", .vcMissingMember) { $0.changeProof("created") { _ in nil } },
        Entry(46, "expires added", .sigInvalid) { $0.changeProof("expires") { _ in "2035-01-01T00:00:00Z" } },
        Entry(41, "short RSA key", .algWeak) { sample in
            sample.proof["verificationMethod"] = .string(Self.shortKey + "#0")
            sample.document["issuer"] = .string(Self.shortKey)
        },
    ]

    private static let shortKey: String = {
        let jwk: JSONObject = [
            "kty": "RSA", "e": "AQAB", "n": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 128))),
        ]
        return "did:jwk:" + Base64URL.encode(jwk.encoded)
    }()
}

extension ProofSample {
    /// Pins the RSA key with a type that its suite takes.
    mutating func pinLargeKey() {
        request.trust.keys = [
            PinnedKey(
                address: "https://issuer.example/keys/1",
                document: [
                    "id": "https://issuer.example/keys/1", "type": "RsaVerificationKey2018",
                    "controller": "https://issuer.example/controller", "publicKeyJwk": .object(Signer.large.jwk),
                ], issuers: ["https://issuer.example/controller"])
        ]
        document["issuer"] = "https://issuer.example/controller"
        proof["verificationMethod"] = "https://issuer.example/keys/1"
    }
}
