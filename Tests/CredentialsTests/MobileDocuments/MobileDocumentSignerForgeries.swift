import CBOR
import CryptoSuite
import Determinism

@testable import Credentials

/// Forged signatures, times, types and certificates.
extension MobileDocumentForgery {
    private static let stranger = SignerAuthority.key("symbolon stranger")

    static let signatures: [MobileDocumentForgery] = [
        Self("18: a byte of the signed object", .refused(.sigInvalid)) {
            $0.builder.extraMembers = [[.text("xInfo"), .int(1)]]
            $0.builder.changePayload = { $0[$0.count - 1] ^= 1 }
        },
        Self("19: a bit of the signature", .refused(.sigInvalid)) { $0.builder.changeSignature = { $0[40] ^= 4 } },
        Self("20: a signature in DER", .refused(.sigForm)) {
            $0.builder.sign = { (try? SignerAuthority.key("symbolon ds").signDER($0, hash: .sha256)) ?? [] }
        },
        Self("21: a detached payload", .refused(.mdForm)) {
            $0.builder.changeAuth = { $0.replacing(2, by: .null) }
        },
        Self("22: the algorithm unprotected alone", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .map([:])
            $0.builder.unprotectedHeader = [.int(1): .int(-7)]
        },
        Self("23: two algorithms", .refused(.algMismatch)) { $0.builder.unprotectedHeader = [.int(1): .int(-35)] },
        Self("24: ES384 with a key of P-256", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-35)])
        },
        Self("24b: ESB256, which is of another curve, with a key of P-256", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-265)])
        },
        Self("24c: ESP256 with a key of P-256", .genuine) { $0.builder.protectedHeader = .map([.int(1): .int(-9)]) },
        Self("25: EdDSA with a key of P-256", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-8)])
        },
        Self("26: an unknown critical label", .refused(.algCrit)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(99)]), .int(99): .int(1)])
        },
        Self("26b: a list of critical labels without protection", .refused(.algCrit)) {
            $0.builder.unprotectedHeader = [.int(2): .array([.int(1)])]
        },
        Self("26c: an empty list of critical labels", .refused(.algCrit)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([])])
        },
        Self("26d: a critical label that is known and there", .genuine) {
            $0.builder.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(1)])])
        },
        Self("26e: a critical type of the content", .genuine) {
            $0.builder.protectedHeader = .map([
                .int(1): .int(-7), .int(2): .array([.int(3)]), .int(3): .text("application/cbor"),
            ])
        },
        Self("27: COSE_Mac0", .refused(.mdForm)) { $0.builder.changeAuth = { .tagged(17, $0) } },
        Self("27b: COSE_Mac0 without a tag", .refused(.algMismatch)) {
            $0.builder.protectedHeader = .map([.int(1): .int(5)])
        },
        Self("28: COSE_Sign", .refused(.mdForm)) {
            $0.builder.changeAuth = { $0.replacing(3, by: .array([.array([.bytes([]), .map([:]), .bytes([])])])) }
        },
        Self("29: external data signed", .refused(.sigInvalid)) { $0.builder.externalData = [1] },
        Self("30: another context signed", .refused(.sigInvalid)) { $0.builder.context = "Signature" },
        Self("31: the protected header written anew", .refused(.sigInvalid)) {
            $0.builder.sentProtected = [0xA1, 0x18, 0x01, 0x26]
        },
        Self("a label in both headers", .refused(.parseCBOR)) {
            $0.builder.protectedHeader = .map([.int(1): .int(-7), .int(4): .bytes([1])])
            $0.builder.unprotectedHeader = [.int(4): .bytes([1])]
        },
    ]

    static let types: [MobileDocumentForgery] = [
        Self("32: another type outside", .refused(.mdDoctype)) { $0.builder.outerType = "org.iso.23220.photoid.1" },
        Self("33: another type signed", .refused(.mdDoctype)) { $0.builder.signedType = "org.iso.23220.photoid.1" },
        Self("another type than is asked for", .refused(.mdDoctype)) {
            $0.request.policy.types = ["org.iso.23220.photoid.1"]
        },
        Self("34: version 2.0", .refused(.mdVersion)) { $0.builder.version = "2.0" },
        Self("version 1.1", .genuine) { $0.builder.version = "1.1" },
        Self("35: past", .refused(.timeExpired)) {
            $0.builder.validUntil = MobileDocumentBuilder.time("2025-05-01T00:00:00Z")
        },
        Self("36: not yet", .refused(.timeFuture)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2025-07-01T00:00:00Z")
        },
        Self("37: valid before it was signed", .refused(.timeOrder)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2024-12-31T00:00:00Z")
        },
        Self("38: ends before it begins", .refused(.timeOrder)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2025-03-01T00:00:00Z")
            $0.builder.validUntil = MobileDocumentBuilder.time("2025-02-01T00:00:00Z")
        },
        Self("39: signed before its certificate", .refused(.mdSignedTime)) {
            $0.builder.signedAt = MobileDocumentBuilder.time("2024-12-01T00:00:00Z")
        },
        Self("40: signed after its certificate", .refused(.mdSignedTime)) {
            $0.builder.signedAt = MobileDocumentBuilder.time("2026-03-01T00:00:00Z")
        },
        Self("41: a time without a tag", .refused(.timeFormat)) {
            $0.builder.validFrom = .text("2025-01-01T00:00:00Z")
        },
        Self("42: a time with a fraction", .genuineWithNote(.timeFormat)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2025-01-01T00:00:00.0Z")
        },
        Self("42b: a time with an offset", .refused(.timeFormat)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2025-01-01T01:00:00+01:00")
        },
        Self("42c: an hour that a day does not have", .refused(.timeFormat)) {
            $0.builder.validFrom = MobileDocumentBuilder.time("2025-01-01T24:00:00Z")
        },
        Self("44d: another country in a namespace of the issuer's own", .genuine) {
            $0.builder.signedItems.append(
                ("org.iso.18013.5.1.US", [.init(digestID: 5, name: "issuing_country", value: .text("UTO"))]))
        },
        Self("44: another country", .refused(.mdCountry)) { $0.builder.signedItems[0].items[2].value = .text("CA") },
        Self("45: another state", .refused(.mdCountry)) { $0.builder.signedItems[0].items[3].value = .text("US-CA") },
        Self("85: a device key off its curve", .refused(.keyCurve)) {
            let key = SignerAuthority.key("symbolon device").publicKey
            var y = key.y
            y[31] ^= 1
            $0.builder.deviceKey = .map([
                .int(1): .int(2), .int(-1): .int(1), .int(-2): .bytes(key.x), .int(-3): .bytes(y),
            ])
        },
    ]

    static let certificates: [MobileDocumentForgery] = [
        Self("46: a signer signed by its own key", .notChecked(.x5SelfSigned)) {
            $0.authority.signer.issuer = SignerAuthority.signerName
            $0.authority.rootKey = SignerAuthority.key("symbolon ds")
            try $0.issueAgain()
        },
        Self("47: an unknown authority", .notChecked(.x5Anchor)) {
            $0.authority.signer.issuer = [.country("US"), .stateOrProvince("US-NY"), .commonName("Other IACA")]
            $0.authority.rootKey = stranger
            try $0.issueAgain()
        },
        Self("48: an authority of the same name with another key", .refused(.x5Sig)) {
            $0.authority.rootKey = stranger
            try $0.issueAgain()
        },
        Self("49: an expired signer", .refused(.x5Expired)) {
            $0.authority.signer.notAfter = WallTime(millisecondsSinceEpoch: 1_740_787_200_000)
            try $0.issueAgain()
        },
        Self("50: a signer that is not valid yet", .refused(.x5NotYet)) {
            $0.authority.signer.notBefore = WallTime(millisecondsSinceEpoch: 1_754_006_400_000)
            try $0.issueAgain()
        },
        Self("51: an expired authority", .refused(.x5Expired)) {
            $0.authority.root.notAfter = WallTime(millisecondsSinceEpoch: 1_740_787_200_000)
            try $0.issueAgain(root: true)
        },
        Self("52: no extended key usage", .refused(.x5Eku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: nil)
            try $0.issueAgain()
        },
        Self("52c: no extended key usage under a lenient root", .genuineWithNote(.x5Profile)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: nil)
            try $0.issueAgain()
            $0.request.trust.roots[0].isLenient = true
        },
        Self("44c: another country in a document that is no licence", .genuineWithNote(.mdCountry)) {
            $0.builder.signedItems[0].items[2].value = .text("CA")
            isNoLicence(&$0)
        },
        Self("52d: no extended key usage of a signer of other documents", .genuineWithNote(.x5Profile)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: nil)
            try $0.issueAgain()
            isNoLicence(&$0)
        },
        Self("54b: the key of a server under documents that are no licences", .refused(.x5Eku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(
                uses: [ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
            try $0.issueAgain()
            isNoLicence(&$0)
        },
        Self("61b: another country than the authority, of a signer of other documents", .genuineWithNote(.x5Profile)) {
            $0.authority.signer.subject[0] = .country("CA")
            try $0.issueAgain()
            isNoLicence(&$0)
        },
        Self("44b: another country under a lenient root", .genuineWithNote(.mdCountry)) {
            $0.builder.signedItems[0].items[2].value = .text("CA")
            $0.request.trust.roots[0].isLenient = true
        },
        Self("48b: an authority of the same name with another key, taken for a lenient root", .refused(.x5Sig)) {
            $0.authority.rootKey = stranger
            try $0.issueAgain()
            $0.request.trust.roots[0].isLenient = true
        },
        Self("53: the key of a reader", .refused(.x5Eku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: [
                ASN1Identifier(1, 0, 18013, 5, 1, 6)
            ])
            try $0.issueAgain()
        },
        Self("54: the key of a server", .refused(.x5Eku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(
                uses: [ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
            try $0.issueAgain()
        },
        Self("52b: the key of another mobile document", .refused(.x5Eku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: [.mdocSigner])
            try $0.issueAgain()
        },
        Self("55: a key that may not sign", .refused(.x5Ku)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(usage: .contentCommitment)
            try $0.issueAgain()
        },
        Self("56: a signer that is an authority and signs another", .refused(.x5PathLen)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(usage: .keyCertSign)
            $0.authority.signer.extensions.append(.basicConstraints(isAuthority: true))
            try issueByASigner(&$0)
        },
        Self("57: a leaf issued by a signer", .refused(.x5Ca)) { try issueByASigner(&$0) },
        Self("67: a certificate signed with SHA-1", .refused(.x5Weak)) {
            let algorithm = DERWriter.sequence(DERWriter.identifier(ASN1Identifier(1, 2, 840, 10045, 4, 1)))
            $0.authority.signer.innerAlgorithm = algorithm
            $0.authority.signer.outerAlgorithm = algorithm
            try $0.issueAgain()
        },
        Self("68: another algorithm outside the certificate", .refused(.x5Sig)) {
            $0.authority.signer.outerAlgorithm = DERWriter.sequence(
                DERWriter.identifier(ASN1Identifier(1, 2, 840, 10045, 4, 3, 3)))
            try $0.issueAgain()
        },
        Self("58: an unknown critical extension", .refused(.x5Critical)) {
            $0.authority.signer.extensions.append(.init(ASN1Identifier(1, 2, 3, 4), isCritical: true, value: [5, 0]))
            try $0.issueAgain()
        },
        Self("59: a name in another string type", .refused(.x5Name)) {
            $0.authority.signer.issuer[2] = .commonName("Test IACA", isPrintable: true)
            try $0.issueAgain()
        },
        Self("60: the identifier of another key", .refused(.x5Chain)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(authority: [9, 9])
            try $0.issueAgain()
        },
        Self("61: another country than the authority", .refused(.x5Name)) {
            $0.authority.signer.subject[0] = .country("CA")
            try $0.issueAgain()
        },
        Self("62: another state than the authority", .refused(.x5Name)) {
            $0.authority.signer.subject[1] = .stateOrProvince("US-CA")
            try $0.issueAgain()
        },
        Self("63: the authority in the chain and not pinned", .notChecked(.x5Anchor)) {
            $0.builder.chain?.append(try $0.authority.rootDER())
            $0.request.trust.roots = []
        },
        Self("63b: no extended key usage, and no root that could be lenient", .notChecked(.x5Anchor)) {
            $0.authority.signer.extensions = SignerAuthority.signerExtensions(uses: nil)
            try $0.issueAgain()
            $0.request.trust.roots = []
        },
        Self("63c: another country, and no root that could be lenient", .notChecked(.x5Anchor)) {
            $0.builder.signedItems[0].items[2].value = .text("CA")
            $0.request.trust.roots = []
        },
        Self("64: no certificates", .refused(.x5Chain)) { $0.builder.chain = nil },
        Self("64b: bytes that are no certificate", .refused(.x5Chain)) { $0.builder.chain = [[1, 2, 3]] },
        Self("64c: nine certificates", .notChecked(.limitCertificates)) {
            $0.builder.chain = Array(repeating: try $0.authority.signerDER(), count: 9)
        },
        Self("66: two leaves, the second the signer", .refused(.sigInvalid)) {
            let signer = try $0.authority.signerDER()
            $0.authority.signer.publicKey = try CertificateTemplate.SigningKey.ecdsa(stranger).subjectPublicKeyInfo()
            $0.builder.chain = [try $0.authority.signerDER(), signer]
        },
        Self("69: a signer for ten years", .genuineWithNote(.x5Profile)) {
            $0.authority.signer.notAfter = SignerAuthority.rootEnd
            try $0.issueAgain()
        },
        Self("70: a revoked signer", .refused(.x5Revoked)) { try revoke(&$0, [[2]]) },
        Self("70b: a revocation list with another signer", .genuine) { try revoke(&$0, [[3]]) },
        Self("70c: a signer that was on an older list", .genuine) {
            try revoke(&$0, [[2]])
            let older = $0.request.trust.revocationLists
            try revoke(&$0, [[3]], from: SignerAuthority.start.adding(.seconds(86_400)))
            $0.request.trust.revocationLists += older
        },
        Self("70d: a signer that is on the newer list", .refused(.x5Revoked)) {
            try revoke(&$0, [[3]])
            let older = $0.request.trust.revocationLists
            try revoke(&$0, [[2]], from: SignerAuthority.start.adding(.seconds(86_400)))
            $0.request.trust.revocationLists += older
        },
        Self("71: an old revocation list", .genuine) {
            try revoke(&$0, [[3]], until: WallTime(millisecondsSinceEpoch: 1_746_057_600_000))
        },
        Self("a root for another type", .notChecked(.x5Anchor)) {
            $0.request.trust.roots[0] = TrustedRoot(
                certificate: try $0.authority.rootDER(), purpose: .mobileDocuments(types: ["other"], country: nil))
        },
        Self("a root for another country", .notChecked(.x5Anchor)) {
            $0.request.trust.roots[0] = TrustedRoot(
                certificate: try $0.authority.rootDER(), purpose: .mobileDocuments(types: [], country: "CA"))
        },
        Self("a root for tokens alone", .notChecked(.x5Anchor)) {
            $0.request.trust.roots[0] = TrustedRoot(
                certificate: try $0.authority.rootDER(), purpose: .tokens(issuers: [], types: []))
        },
    ]

    /// Makes the document one of a type whose signers annex B does not bind, and for which the root is trusted.
    private static func isNoLicence(_ setting: inout Setting) {
        let type = "org.iso.23220.photoid.1"
        (setting.builder.signedType, setting.builder.outerType) = (type, type)
        setting.request.trust.roots = setting.request.trust.roots.map {
            TrustedRoot(certificate: $0.certificate, purpose: .mobileDocuments(types: [type], country: nil))
        }
    }

    /// Lets the signer issue a leaf for the key that signs the document.
    private static func issueByASigner(_ setting: inout Setting) throws {
        let authority = setting.authority
        var leaf = authority.signer
        leaf.issuer = SignerAuthority.signerName
        leaf.subject[2] = .commonName("Test leaf")
        leaf.extensions = SignerAuthority.signerExtensions(authority: [5, 6, 7, 8])
        setting.builder.chain = [try leaf.sign(by: authority.signerKey), try authority.signerDER()]
    }

    private static func revoke(
        _ setting: inout Setting, _ serials: [[UInt8]], from start: WallTime = SignerAuthority.start,
        until end: WallTime = WallTime(millisecondsSinceEpoch: 1_751_328_000_000)
    ) throws {
        let list = RevocationListTemplate(
            issuer: SignerAuthority.rootName, thisUpdate: start, nextUpdate: end,
            revokedSerialNumbers: serials)
        setting.request.trust.revocationLists = [try list.sign(by: .ecdsa(setting.authority.rootKey))]
    }
}

extension CBORItem {
    /// The array with another element.
    func replacing(_ index: Int, by item: CBORItem) -> CBORItem {
        guard case .array(var elements) = self else { return self }
        elements[index] = item
        return .array(elements)
    }
}
