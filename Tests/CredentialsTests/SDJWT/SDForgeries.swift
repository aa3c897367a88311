import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Forgeries of an SD-JWT, by the numbers of the list that test kits share.
enum SDForgeries {
    typealias Entry = Forgery<SDSample>

    static let all =
        token + disclosure + structure + claims + issuer + holder + status + binary
        + SDFormForgeries.all

    private static let token: [Entry] = [
        Entry(1, "payload byte", .sigInvalid) { sample in
            sample.editToken = { token in
                TokenEdit.part(1, of: token) { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    bytes = Array(text.split(separator: "2051222400").joined(separator: "2051222401").utf8)
                }
            }
        },
        Entry(2, "header byte", .sigInvalid) { sample in
            sample.editToken = { token in
                TokenEdit.part(0, of: token) {
                    $0 = Array("{\"alg\":\"ES256\",\"typ\":\"dc+sd-jwt\",\"kid\":\"1\" }".utf8)
                }
            }
        },
        Entry(3, "signature bit", .sigInvalid) { sample in
            sample.editToken = { token in TokenEdit.part(2, of: token) { $0[10] ^= 1 } }
        },
        Entry(4, "signature in DER", .sigForm) { sample in
            sample.editToken = { token in
                TokenEdit.part(2, of: token) {
                    $0 = [0x30, 0x45, 0x02, 0x20] + $0.prefix(32) + [2, 0x21, 0] + $0.suffix(32)
                }
            }
        },
        Entry(5, "alg none", .algNone) { sample in
            sample.header["alg"] = "none"
            sample.editToken = { token in TokenEdit.part(2, of: token) { $0 = [] } }
        },
        Entry(6, "HS256 with the public key", .algMismatch) { $0.header["alg"] = "HS256" },
        Entry(7, "ES384 with a P-256 key", .algMismatch) { $0.header["alg"] = "ES384" },
        Entry(8, "alg in another case", .algUnknown) { $0.header["alg"] = "es256" },
        Entry(9, "typ missing", .sdTyp) { $0.header["typ"] = nil },
        Entry(10, "typ JWT", .sdTyp) { $0.header["typ"] = "JWT" },
        Entry(11, "crit unknown", .algCrit) { sample in
            sample.header["crit"] = .strings(["x"])
            sample.header["x"] = .int(1)
        },
        Entry(12, "b64 false", .algB64) { sample in
            sample.header["b64"] = .bool(false)
            sample.header["crit"] = .strings(["b64"])
        },
    ]

    private static func replacing(
        _ index: Int, with text: @escaping @Sendable (String) -> String
    ) -> @Sendable (inout SDSample) -> Void {
        { $0.disclosures[index] = text($0.disclosures[index]) }
    }

    private static let disclosure: [Entry] = [
        Entry(13, "value changed", .sdDisclosureUnreferenced) {
            $0.disclosures[0] = SDSample.disclosure("salt-0000000000000001", "given_name", "Eve")
        },
        Entry(14, "name changed", .sdDisclosureUnreferenced) {
            $0.disclosures[0] = SDSample.disclosure("salt-0000000000000001", "family_name", "Ada")
        },
        Entry(15, "salt changed", .sdDisclosureUnreferenced) {
            $0.disclosures[0] = SDSample.disclosure("salt-0000000000000009", "given_name", "Ada")
        },
        Entry(
            16, "written again with spaces", .sdDisclosureUnreferenced, nil,
            replacing(0) { _ in Base64URL.encode(Array("[\"salt-0000000000000001\", \"given_name\", \"Ada\"]".utf8)) }),
        Entry(17, "foreign disclosure", .sdDisclosureUnreferenced) {
            $0.disclosures.append(SDSample.disclosure("s", "admin", .bool(true)))
        },
        Entry(18, "disclosure of another credential", .sdDisclosureUnreferenced) {
            $0.disclosures.append(SDSample.disclosure("salt-of-another", "given_name", "Bob"))
        },
        Entry(19, "sent twice", .sdDisclosureDoubled) { $0.disclosures.append($0.disclosures[0]) },
        Entry(20, "empty part", .sdMalformed) { $0.disclosures.append("") },
        Entry(21, "padded", .parseBase64) { $0.disclosures.append("W10=") },
        Entry(22, "no JSON", .sdMalformed) { $0.disclosures.append(Base64URL.encode(Array("hello".utf8))) },
        Entry(23, "an object", .sdMalformed) { $0.disclosures.append(Base64URL.encode(Array("{\"a\":1}".utf8))) },
        Entry(24, "four elements", .sdMalformed) { $0.add("s", "a", "b", "c") },
        Entry(25, "two elements among claims", .sdMalformed) { $0.add("s", "a") },
        Entry(26, "three elements in an array", .sdMalformed) { sample in
            let text = SDSample.disclosure("s", "name", "DE")
            sample.disclosures.append(text)
            sample.payload["more"] = .array([.object(["...": .string(SDSample.digest(text))])])
        },
        Entry(27, "name _sd", .sdReserved) { $0.add("s", "_sd", .array([])) },
        Entry(28, "name ...", .sdReserved) { $0.add("s", "...", "x") },
        Entry(29, "name of a plain claim", .sdNameClash) { $0.add("s", "nationalities", "x") },
        Entry(30, "one name twice", .sdNameClash) { $0.add("s", "given_name", "Eve") },
        Entry(31, "digest twice", .sdDigestDoubled) { $0.append(digest: SDSample.digest(SDSample.name)) },
        Entry(32, "digest in claims and array", .sdDigestDoubled) {
            $0.append(digest: SDSample.digest(SDSample.element))
        },
        Entry(33, "decoy twice", .sdDigestDoubled) { $0.append(digest: SDSample.decoy) },
        Entry(41, "child without its parent", .sdDisclosureUnreferenced) { $0.disclosures.remove(at: 1) },
        Entry(86, "duplicate name in a disclosed object", .parseDuplicateKey) { sample in
            let text = Base64URL.encode(Array("[\"s\",\"o\",{\"a\":1,\"a\":2}]".utf8))
            sample.disclosures.append(text)
            sample.append(digest: SDSample.digest(text))
        },
    ]

    private static let structure: [Entry] = [
        Entry(34, "_sd a text", .sdMalformed) { $0.payload["o"] = .object(["_sd": "x"]) },
        Entry(35, "_sd holds a number", .sdMalformed) { $0.payload["o"] = .object(["_sd": .array([.int(1)])]) },
        Entry(36, "digest with another member", .sdReserved) {
            $0.payload["o"] = .array([.object(["...": "x", "y": .int(1)])])
        },
        Entry(37, "_sd_alg md5", .sdAlg) { $0.payload["_sd_alg"] = "md5" },
        Entry(38, "_sd_alg in capitals", .sdAlg) { $0.payload["_sd_alg"] = "SHA-256" },
        Entry(39, "_sd_alg in a disclosure", .sdReserved) { $0.add("s", "_sd_alg", "sha-512") },
        Entry(40, "sha-512 digests under sha-256", .sdDisclosureUnreferenced) { sample in
            let text = SDSample.disclosure("s", "x", "y")
            sample.disclosures.append(text)
            sample.append(digest: Base64URL.encode(SHA512.hash(Array(text.utf8))))
        },
        Entry(42, "disclosures 100 deep in one another", .limitDepth) { sample in
            var text = SDSample.disclosure("s", "leaf", "x")
            var texts = [text]
            for level in 0..<100 {
                text = SDSample.disclosure(
                    "s", .string("l\(level)"), .object(["_sd": .strings([SDSample.digest(text)])]))
                texts.append(text)
            }
            sample.disclosures += texts
            sample.append(digest: SDSample.digest(text))
        },
        Entry(43, "10,000 disclosures", .limitDisclosures) { sample in
            sample.disclosures = (0..<10_000).map { SDSample.disclosure("s", .string("n\($0)"), "x") }
            sample.request.policy.limits.maximumBytes = 4 << 20
        },
        Entry(80, "two tokens of the holder", .sdMalformed) { sample in
            sample.editText = { text in text + "~" + (text.split(separator: "~").last.map(String.init) ?? "") }
        },
        Entry(81, "last tilde missing", .sdMalformed) { sample in
            sample.holderSigner = nil
            sample.editText = { String($0.dropLast()) }
        },
        Entry(85, "duplicate claim", .parseDuplicateKey) { sample in
            sample.editToken = { token in
                TokenEdit.part(1, of: token) { $0 = Array("{\"iss\":\"a\",".utf8) + $0.dropFirst() }
            }
        },
    ]

    private static let claims: [Entry] = [
        Entry(44, "exp past", .timeExpired) { $0.payload["exp"] = .int(1_735_689_650) },
        Entry(45, "nbf future", .timeFuture) { $0.payload["nbf"] = .int(1_735_700_000) },
        Entry(46, "iat future", .timeFuture) { $0.payload["iat"] = .int(1_735_700_000) },
        Entry(47, "exp a text", .timeFormat) { $0.payload["exp"] = "2051222400" },
        Entry(49, "exp disclosed", .sdClaimDisclosed) { sample in
            sample.payload["exp"] = nil
            sample.add("s", "exp", .int(2_051_222_400))
        },
        Entry(50, "vct disclosed", .sdClaimDisclosed) { sample in
            sample.payload["vct"] = nil
            sample.add("s", "vct", .string(SDSample.type))
        },
        Entry(51, "cnf disclosed", .sdClaimDisclosed) { sample in
            let key = sample.payload["cnf"] ?? .null
            sample.payload["cnf"] = nil
            sample.add("s", "cnf", key)
        },
        Entry(52, "status disclosed", .sdClaimDisclosed) { sample in
            sample.add("s", "status", .object(["status_list": .object(["idx": .int(1), "uri": "https://x"])]))
        },
        Entry(53, "vct missing", .vcMissingMember) { $0.payload["vct"] = nil },
        Entry(54, "vct other than asked", .sdVct) { $0.request.policy.types = ["https://issuer.example/vct/2"] },
    ]

    private static let issuer: [Entry] = [
        Entry(63, "metadata of another issuer", .issMismatch) { sample in
            var key = Signer.p256.jwk
            key["kid"] = "1"
            sample.request.trust.issuers[0].document = .object([
                "issuer": "https://other.example", "jwks": .object(["keys": .array([.object(key)])]),
            ])
        },
        Entry(64, "key for encryption", .keyPurpose) { sample in
            var key = Signer.p256.jwk
            key["kid"] = "1"
            key["use"] = "enc"
            sample.request.trust.issuers[0].document = .object(["keys": .array([.object(key)])])
        },
        Entry(65, "own key in the header", .sigInvalid) { sample in
            sample.signer = .stranger
            sample.header["jwk"] = .object(Signer.stranger.jwk)
        },
        Entry(95, "an issuer that nothing trusts", .trustIssuer) { sample in
            sample.payload["iss"] = .string(Signer.stranger.did)
            sample.header["kid"] = .string(Signer.stranger.method)
            sample.signer = .stranger
        },
        Entry(96, "a key of one issuer under the name of another", .issMismatch) { sample in
            sample.header["kid"] = .string(Signer.stranger.method)
            sample.signer = .stranger
        },
    ]

    private static let holder: [Entry] = [
        Entry(66, "proof missing", .kbMissing) { sample in
            sample.holderSigner = nil
            sample.request.policy.requiresHolderProof = true
        },
        Entry(67, "another key", .kbSig) { $0.holderSigner = .stranger },
        Entry(68, "other nonce", .kbNonce) { $0.holderPayload["nonce"] = "x" },
        Entry(69, "other audience", .kbAud) { $0.holderPayload["aud"] = "https://other.example" },
        Entry(70, "audience an array", .kbAud) { $0.holderPayload["aud"] = .strings(["https://verifier.example"]) },
        Entry(71, "an hour old", .kbIat) { $0.holderPayload["iat"] = .int(1_735_686_000) },
        Entry(72, "of the future", .kbIat) { $0.holderPayload["iat"] = .int(1_735_690_000) },
        Entry(73, "another selection", .kbHash) { sample in
            sample.editText = { text in
                text.split(separator: SDSample.element + "~", omittingEmptySubsequences: false).joined()
            }
        },
        Entry(74, "hash without the last tilde", .kbHash) {
            $0.presentedHash = { SDSample.digest(String($0.dropLast())) }
        },
        Entry(75, "type JWT", .kbTyp) { $0.holderHeader["typ"] = "JWT" },
        Entry(76, "alg none", .algNone) { $0.holderHeader["alg"] = "none" },
        Entry(77, "proof of another presentation", .kbHash) { $0.presentedHash = { SDSample.digest($0 + "x~") } },
        Entry(78, "key twice", .kbKey) {
            $0.payload["cnf"] = .object(["jwk": .object(Signer.holder.jwk), "kid": .string(Signer.holder.method)])
        },
        Entry(79, "key off the curve", .keyCurve) { sample in
            var key = Signer.holder.jwk
            key["y"] = key["x"]
            sample.payload["cnf"] = .object(["jwk": .object(key)])
        },
    ]

    private static let binary: [Entry] = [
        Entry(89, "a list that is a CWT", .stForm, .notChecked) { sample in
            let list = BinaryStatusSample(address: "https://issuer.example/status/1", value: 0)
            sample.addStatus(StatusSample())
            sample.request.trust.statusLists = [list.pinned]
        }
    ]

    private static let status: [Entry] = [
        Entry(87, "revoked", .stRevoked) { $0.addStatus(StatusSample(value: 1)) },
        Entry(87, "suspended", .stSuspended) { $0.addStatus(StatusSample(value: 2)) },
        Entry(88, "list of another address", .stUri) { sample in
            var list = StatusSample()
            list.claims["sub"] = "https://issuer.example/status/2"
            sample.addStatus(list)
        },
        Entry(89, "list of type JWT", .stForm, .notChecked) { sample in
            var list = StatusSample()
            list.header["typ"] = "JWT"
            sample.addStatus(list)
        },
        Entry(90, "index beyond the list", .stRange) { sample in
            var list = StatusSample()
            list.index = 64 * 4
            sample.addStatus(list)
        },
        Entry(91, "three bits", .stForm, .notChecked) { $0.addStatus(StatusSample(bytes: [0, 0, 0, 0], width: 3)) },
        Entry(92, "list expired", .stStale) { sample in
            var list = StatusSample()
            list.claims["exp"] = .int(1_735_689_000)
            sample.addStatus(list)
        },
        Entry(93, "bomb", .stBomb) { sample in
            sample.addStatus(StatusSample(bytes: [UInt8](repeating: 0, count: (16 << 20) + 1), width: 1))
        },
        // Read from the other end of the byte, the entry would be 0.
        Entry(94, "order of bits", .stRevoked) { sample in
            var list = StatusSample(bytes: [0b0000_0001, 0, 0, 0], width: 1)
            list.index = 0
            sample.addStatus(list)
        },
        Entry(97, "list of another signer", .stSig) { sample in
            var list = StatusSample()
            list.signer = .stranger
            sample.addStatus(list)
        },
        Entry(98, "list of another issuer", .stSig) { sample in
            var list = StatusSample()
            list.claims["iss"] = .string(Signer.stranger.did)
            list.header["kid"] = .string(Signer.stranger.method)
            list.signer = .stranger
            sample.addStatus(list)
        },
        Entry(104, "list under a chain to no pinned root", .stSig) { sample in
            var certificates = CertificateSample()
            certificates.leafKey = .stranger
            var list = StatusSample()
            list.signer = .stranger
            list.header["kid"] = nil
            list.header["x5c"] = .strings((try? certificates.chain())?.map { Base64.encode($0) } ?? [])
            sample.addStatus(list)
        },
        Entry(99, "stale list under a policy that requires a fresh one", .stStale, .refused) { sample in
            var list = StatusSample()
            list.fetchedAt = 1_735_000_000
            sample.addStatus(list)
            sample.request.policy.requiresFreshStatus = true
        },
        Entry(100, "revoked in a stale list", .stRevoked) { sample in
            var list = StatusSample(value: 1)
            list.fetchedAt = 1_735_000_000
            sample.addStatus(list)
        },
    ]

    static let twins: [Entry] = [
        Entry(48, "exp 1e300", .timeExpired, .genuine) {
            $0.payload["exp"] = .number(JSONNumber(text: "1e300") ?? JSONNumber(1))
        },
        Entry(1, "no disclosure shown", .timeExpired, .genuine) { $0.disclosures = [] },
        Entry(2, "former type", .timeExpired, .genuine) { $0.header["typ"] = "vc+sd-jwt" },
        Entry(3, "type with application/", .timeExpired, .genuine) { $0.header["typ"] = "application/dc+sd-jwt" },
        Entry(4, "no kid and one key", .timeExpired, .genuine) { $0.header["kid"] = nil },
        Entry(5, "issuer a trusted did:key", .timeExpired, .genuine) { sample in
            sample.payload["iss"] = .string(Signer.edwards.did)
            sample.header["kid"] = .string(Signer.edwards.method)
            sample.header["alg"] = "EdDSA"
            sample.signer = .edwards
            sample.request.trust.methods = ["did:key"]
        },
        Entry(6, "holder by did:jwk with padding", .timeExpired, .genuine) { sample in
            let did = "did:jwk:" + Base64URL.encode(Signer.holder.jwk.encoded, isPadded: true)
            sample.payload["cnf"] = .object(["kid": .string(did + "#0")])
        },
        Entry(7, "holder by did:key", .timeExpired, .genuine) {
            $0.payload["cnf"] = .object(["kid": .string(Signer.holder.method)])
        },
        Entry(8, "status good", .timeExpired, .genuine) { $0.addStatus(StatusSample()) },
        Entry(9, "sha-512", .timeExpired, .genuine) { sample in
            let text = SDSample.disclosure("s", "x", "y")
            sample.payload["_sd_alg"] = "sha-512"
            sample.payload["_sd"] = .strings([Base64URL.encode(SHA512.hash(Array(text.utf8)))])
            sample.payload["nationalities"] = nil
            sample.disclosures = [text]
            sample.presentedHash = { Base64URL.encode(SHA512.hash(Array($0.utf8))) }
        },
        Entry(10, "metadata with keys", .timeExpired, .genuine) { sample in
            var key = Signer.p256.jwk
            key["kid"] = "1"
            sample.request.trust.issuers[0].document = .object([
                "issuer": .string(SDSample.issuer), "jwks": .object(["keys": .array([.object(key)])]),
            ])
        },
        Entry(11, "clock within the tolerance", .timeExpired, .genuine) {
            $0.payload["nbf"] = .int(1_735_689_800)
        },
        Entry(12, "newline behind", .timeExpired, .genuine) { sample in sample.editText = { $0 + "\n" } },
    ]
}
