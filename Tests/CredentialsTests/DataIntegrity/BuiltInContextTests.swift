import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Credentials

/// The contexts that need no pin.
struct BuiltInContextTests {
    /// The SHA-256 of the canonical JSON of each published document.
    private static let digests = [
        "https://www.w3.org/2018/credentials/v1": "b01e671e873981f19a9102a9a57f666dbcaeb31b99e3e124378d143e71549247",
        "https://www.w3.org/ns/credentials/v2": "b463c8d6a066214123ddd9827b135e1b50e1fc73322cc52a9b12a4f1fc7d86cf",
        "https://w3id.org/security/v1": "d87de2ce3ce407bcac481f8af31e211e54beb5cbd7dd459826ed0502302ee234",
        "https://w3id.org/security/v2": "38a9ef19cf3a75bf856202bd1ed4cbd55c985ad4a809eb7f4ef584ba9d51dc90",
        "https://w3id.org/security/suites/ed25519-2018/v1":
            "b4cb4ede62cd5c1e98b54340bf9d5ae636e6ba6e92b6bffb50be3c12b473a2de",
        "https://w3id.org/security/suites/ed25519-2020/v1":
            "fb517f09d990829aed734c9bad8cbbb2ac3d5063b865c7e3d81f246074bf5691",
        "https://w3id.org/security/suites/jws-2020/v1":
            "eed16334842a5635257913b33acd1aeee29009eb188d855f9a1d0ceee4a8ae4d",
        "https://w3id.org/security/data-integrity/v1":
            "9505bf85338a4c2121ad03992ac90061bc85d43bcfa34d9d47b779381cf08b5f",
        "https://w3id.org/security/data-integrity/v2":
            "7ba3c50acf2689d5e07927267343eb353249c7c22a9f2d00307cc970e855e305",
        "https://w3id.org/security/multikey/v1": "be20c3ee6af6e9c4102e66a85c26617831218e32216bdf050f870e389e737cdc",
        "https://w3id.org/security/jwk/v1": "38dd329a9a011facda06afc4ba43a121980eaedbd1f974268026d157926bc086",
        "https://www.w3.org/ns/did/v1": "a7e146c40fcec005d3f0f14ae745665f446da58d7914a9d8f733746686fad82b",
        "https://www.w3.org/ns/odrl.jsonld": "2942864ef7b00527401c138d4e1afde07f7682a61c1b2cc311aa8103a88a3781",
    ]

    @Test func `each built-in JSON-LD context is the same JSON as the published document`() throws {
        #expect(Set(BuiltInJSONLDContexts.library.keys) == Set(Self.digests.keys))
        for (address, document) in BuiltInJSONLDContexts.documents {
            #expect(Hex.encode(SHA256.hash(try document.canonical())) == Self.digests[address], "\(address)")
        }
    }
}
