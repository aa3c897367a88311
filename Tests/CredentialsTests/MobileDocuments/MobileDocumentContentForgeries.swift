import ByteCoding
import CBOR
import CryptoSuite

@testable import Credentials

/// Good documents, and forged elements and digests.
extension MobileDocumentForgery {
    private static let space = MobileDocumentBuilder.namespace

    /// The last byte of an element's value.
    @Sendable private static func changeLastByte(_ s: inout Setting) {
        s.builder.changeReturned = { $0[0].items[0][$0[0].items[0].count - 1] ^= 1 }
    }

    /// A reference to a status list that is at hand, and its signer in the trust store.
    private static func addStatus(_ setting: inout Setting, value: UInt8) {
        let sample = StatusSample.ofKey(value: value)
        setting.request.trust.statusLists = [sample.pinned]
        setting.request.trust.issuers = [TrustedIssuer(Signer.holder.did), TrustedIssuer(Signer.p256.did)]
        setting.request.trust.roots[0].statusIssuers = [Signer.holder.did, Signer.p256.did]
        setting.builder.status = sample.reference
    }

    /// A reference to a status list that the document signer signed as a CWT.
    private static func addBinaryStatus(
        _ setting: inout Setting, value: UInt8, _ change: (inout BinaryStatusSample) -> Void
    ) {
        var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: value)
        list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
        change(&list)
        setting.request.trust.statusLists = [list.pinned]
        setting.builder.status = StatusSample(value: 0).reference
    }

    /// Names that are equal after normalisation, and versions that are none.
    static let spellings: [MobileDocumentForgery] = [
        Self("5b: moved to a namespace of the same normal form", .refused(.mdDigestMissing)) { setting in
            setting.builder.signedItems[0].namespace = "org.iso.caf\u{E9}"
            setting.builder.changeReturned = { $0[0].namespace = "org.iso.cafe\u{301}" }
        },
        Self("32b: another normal form of the type outside", .refused(.mdDoctype)) { setting in
            setting.builder.signedType = "org.iso.caf\u{E9}"
            setting.builder.outerType = "org.iso.cafe\u{301}"
            setting.request.trust.roots[0] = TrustedRoot(
                certificate: setting.request.trust.roots[0].certificate,
                purpose: .mobileDocuments(types: [], country: nil))
        },
        Self("34b: a version that is no number", .refused(.mdVersion)) { $0.builder.version = "1.x" },
        Self("77b: revoked by a list of the document's signer", .refused(.stRevoked)) { setting in
            addBinaryStatus(&setting, value: 1) { _ in }
        },
        Self("77c: a list of another signer", .notChecked(.stSig)) { setting in
            addBinaryStatus(&setting, value: 0) { $0.signer = .stranger }
        },
    ]

    static let good: [MobileDocumentForgery] = [
        Self("a whole document", .genuine) { _ in },
        Self("a bare IssuerSigned", .genuine) { $0.builder.outerType = nil },
        Self("a whole response", .genuine) { $0.bytes = $0.builder.response.encoded },
        Self("base64url", .genuine) { $0.bytes = Array(Base64URL.encode($0.builder.document.encoded).utf8) },
        Self("a list by the key of the document", .genuine) { setting in
            addBinaryStatus(&setting, value: 0) { _ in }
        },
        Self("two documents in a response", .genuine) {
            $0.bytes = MobileDocumentBuilder.response([$0.builder.document, $0.builder.document]).encoded
        },
        Self("withheld elements", .genuine) { $0.builder.changeReturned = { $0[0].items.removeFirst(3) } },
        Self("no elements at all", .genuine) { $0.builder.changeReturned = { $0 = [] } },
        Self("x5chain as an array of one", .genuine) { $0.builder.chainIsArray = true },
        Self("the root in the chain and pinned", .genuine) { $0.builder.chain?.append(try $0.authority.rootDER()) },
        Self("tag 18", .genuine) { $0.builder.changeAuth = { .tagged(18, $0) } },
        Self("an indefinite outer map", .genuine) {
            let bytes = $0.builder.document.encoded
            $0.bytes = [0xBF] + bytes[1...] + [0xFF]
        },
        Self("an item in a longer length form, digested so", .genuine) {
            let item = $0.builder.signedItems[0].items[0].encoded
            let longer = [0xD8, 0x18, 0x59, 0x00] + item[3...]
            $0.builder.digest = { SHA256.hash($0 == item ? Array(longer) : $0) }
            $0.builder.changeReturned = { $0[0].items[0] = Array(longer) }
        },
        Self("SHA-512", .genuine) {
            $0.builder.digestAlgorithm = "SHA-512"
            $0.builder.digest = { SHA512.hash($0) }
        },
        Self("SHA-384", .genuine) {
            $0.builder.digestAlgorithm = "SHA-384"
            $0.builder.digest = { SHA2.sha384.hash($0) }
        },
        Self("an unknown member of the signed object", .genuine) {
            $0.builder.extraMembers = [[.text("rfu"), .int(1)]]
        },
        Self("an empty protected header written as a map, and the algorithm missing", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .raw([0xA0])
        },
        Self("17: a salt of 8 bytes", .genuineWithNote(.mdForm)) {
            $0.builder.signedItems[0].items[0].salt = [1, 2, 3, 4, 5, 6, 7, 8]
        },
        Self("65: x5chain in the protected header", .genuineWithNote(.x5Profile)) {
            let chain = try $0.authority.signerDER()
            $0.builder.chain = nil
            $0.builder.protectedHeader = .map([.int(1): .int(-7), .int(33): .bytes(chain)])
        },
        Self("43: valid longer than the leaf", .genuine) {
            $0.builder.validUntil = MobileDocumentBuilder.time("2030-01-01T00:00:00Z")
        },
    ]

    static let elements: [MobileDocumentForgery] = [
        Self("1: a byte of a value", .refused(.mdDigest)) { s in
            let item = s.builder.signedItems[0].items[0]
            var other = item
            other.value = .text("Lovelacf")
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items[0] = bytes }
        },
        Self("1b: the last byte of an item", .refused(.mdDigest), changeLastByte),
        Self("2: the name of an element", .refused(.mdDigest)) { s in
            var other = s.builder.signedItems[0].items[0]
            other.name = "given_name"
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items[0] = bytes }
        },
        Self("3: the salt", .refused(.mdDigest)) { s in
            var other = s.builder.signedItems[0].items[0]
            other.salt[3] ^= 1
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items[0] = bytes }
        },
        Self("4: the digest of another item", .refused(.mdDigest)) { s in
            var other = s.builder.signedItems[0].items[0]
            other.digestID = 1
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items = [bytes] }
        },
        Self("5: moved to another namespace", .refused(.mdDigestMissing)) {
            $0.builder.changeReturned = { returned in
                let item = returned[0].items.removeFirst()
                returned.append((namespace: "org.iso.18013.5.1.aamva", items: [item]))
            }
        },
        Self("6: an item of another credential", .refused(.mdDigest)) { s in
            var other = s.builder.signedItems[0].items[0]
            (other.value, other.salt) = (.text("Byron"), Array(repeating: 9, count: 16))
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items[0] = bytes }
        },
        Self("7: an item that the issuer did not sign", .refused(.mdDigestMissing)) { s in
            let bytes = MobileDocumentBuilder.Item(digestID: 77, name: "age_over_21", value: .bool(true)).encoded
            s.builder.changeReturned = { $0[0].items.append(bytes) }
        },
        Self("8: an item twice", .refused(.mdDoubled)) {
            $0.builder.changeReturned = { $0[0].items.append($0[0].items[0]) }
        },
        Self("9: two items of one digest", .refused(.mdDoubled)) { s in
            var other = s.builder.signedItems[0].items[0]
            other.name = "given_name"
            let bytes = other.encoded
            s.builder.changeReturned = { $0[0].items.append(bytes) }
        },
        Self("10: two items of one name, both signed", .refused(.mdDoubled)) {
            $0.builder.signedItems[0].items.append(
                MobileDocumentBuilder.Item(digestID: 9, name: "family_name", value: .text("Byron")))
        },
        Self("11: an item without tag 24", .refused(.mdForm)) {
            $0.builder.changeReturned = { $0[0].items[0] = Array($0[0].items[0][2...]) }
        },
        Self("12: an item in a longer length form", .refused(.mdDigest)) {
            $0.builder.changeReturned = { $0[0].items[0] = [0xD8, 0x18, 0x59, 0x00] + $0[0].items[0][3...] }
        },
        Self("13: digests over untagged bytes", .refused(.mdDigest)) {
            $0.builder.digest = { SHA256.hash($0[4...]) }
        },
        Self("14: a digest of 31 bytes", .refused(.mdDigest)) {
            $0.builder.digest = { Array(SHA256.hash($0).dropLast()) }
        },
        Self("15: digests by SHA-1", .refused(.mdAlg)) { $0.builder.digestAlgorithm = "SHA-1" },
        Self("15b: digests by MD5", .refused(.mdAlg)) { $0.builder.digestAlgorithm = "MD5" },
        Self("16: SHA-512 named, digests of SHA-256", .refused(.mdDigest)) {
            $0.builder.digestAlgorithm = "SHA-512"
        },
        Self("77: a status list that is not at hand", .notChecked(.stUnknown)) {
            $0.builder.status = .map([
                .text("status_list"): .map([.text("idx"): .int(4), .text("uri"): .text("https://a.example/l")])
            ])
        },
        Self("77: revoked by a status list", .refused(.stRevoked)) { addStatus(&$0, value: 1) },
        Self("77: suspended by a status list", .refused(.stSuspended)) { addStatus(&$0, value: 2) },
        Self("77: cleared by a status list", .genuine) { addStatus(&$0, value: 0) },
        Self("77: a status list of an issuer that the entry of the root does not name", .notChecked(.stSig)) {
            addStatus(&$0, value: 0)
            $0.request.trust.roots[0].statusIssuers = []
        },
        Self("77: a status list that is not at hand, under a policy that says optional", .genuineWithNote(.stUnknown)) {
            addStatus(&$0, value: 0)
            $0.request.trust.statusLists = []
            $0.request.policy.isStatusOptional = true
        },
        Self("77b: a negative index of the status list", .refused(.stForm)) {
            $0.builder.status = .map([
                .text("status_list"): .map([.text("idx"): .int(-4), .text("uri"): .text("https://a.example/l")])
            ])
        },
        Self("78: a key twice in the signed object", .refused(.parseCBOR)) {
            $0.builder.extraMembers = [[.text("docType"), .text("other")]]
        },
        Self("79: a namespace twice", .refused(.parseCBOR)) {
            $0.builder.changeReturned = { $0.append($0[0]) }
        },
        Self("80: an array of 2 to the 63rd", .refused(.parseCBOR)) {
            $0.bytes = [0xA1, 0x61, 0x61, 0x9B, 0x80, 0, 0, 0, 0, 0, 0, 0]
        },
        Self("81: trailing bytes", .refused(.parseTrailing)) { $0.bytes = $0.builder.document.encoded + [0] },
        Self("82: two items in tag 24", .refused(.parseCBOR)) {
            $0.builder.changeReturned = { returned in
                let item = Array(returned[0].items[0][4...])
                returned[0].items[0] = CBORItem.tagged(24, .bytes(item + [0])).encoded
            }
        },
        Self("83: a text that is not UTF-8", .refused(.parseUTF8)) {
            $0.bytes = [0xA1, 0x62, 0xC3, 0x28, 0x00]
        },
        Self("84: 10,000 arrays in one another", .notChecked(.limitDepth)) {
            $0.bytes = [0xA1, 0x61, 0x61] + Array(repeating: 0x81, count: 10_000) + [0]
        },
    ]
}
