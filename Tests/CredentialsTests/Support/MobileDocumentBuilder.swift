import CBOR
import CryptoSuite

@testable import Credentials

/// Builds mobile documents (mdoc), genuine ones and forged ones.
struct MobileDocumentBuilder {
    struct Item {
        var digestID: Int
        var salt = [UInt8](0..<16)
        var name: String
        var value: CBORItem

        var encoded: [UInt8] {
            CBORItem.embedded(
                .ordered([
                    [.text("digestID"), .int(digestID)], [.text("random"), .bytes(salt)],
                    [.text("elementIdentifier"), .text(name)], [.text("elementValue"), value],
                ])
            ).encoded
        }
    }

    static let mdl = "org.iso.18013.5.1.mDL"
    static let namespace = "org.iso.18013.5.1"

    var signedItems: [(namespace: String, items: [Item])] = [
        (
            namespace,
            [
                Item(digestID: 0, name: "family_name", value: .text("Lovelace")),
                Item(digestID: 1, name: "birth_date", value: .tagged(1004, .text("1990-12-10"))),
                Item(digestID: 2, name: "issuing_country", value: .text("US")),
                Item(digestID: 3, name: "issuing_jurisdiction", value: .text("US-NY")),
                Item(
                    digestID: 4, name: "portrait", value: .bytes([0xFF, 0xD8, 0xFF] + Array(repeating: 7, count: 97))),
            ]
        )
    ]
    /// Changes the returned items after their digests were computed.
    var changeReturned: (inout [(namespace: String, items: [[UInt8]])]) -> Void = { _ in }
    /// Computes the digest of an item's bytes.
    var digest: ([UInt8]) -> [UInt8] = { SHA256.hash($0) }
    var digestAlgorithm = "SHA-256"
    var version = "1.0"
    var signedType = mdl
    var outerType: String? = mdl
    var signedAt = time("2025-01-01T00:00:00Z")
    var validFrom = time("2025-01-01T00:00:00Z")
    var validUntil = time("2025-12-31T00:00:00Z")
    var deviceKey = Self.coseKey(SignerAuthority.key("symbolon device").publicKey)
    var authorizations: CBORItem?
    var status: CBORItem?
    /// The validity time to leave out, such as `validUntil`.
    var missingTime: String?
    var expectedUpdate: CBORItem?
    /// Changes the members of the mobile security object before it is signed.
    var changeMembers: (inout [[CBORItem]]) -> Void = { _ in }
    /// Additional members of the mobile security object, as they are.
    var extraMembers: [[CBORItem]] = []

    var protectedHeader: CBORItem = .map([.int(1): .int(-7)])
    var unprotectedHeader: [CBORItem: CBORItem] = [:]
    /// The certificates of the signature's x5chain header; nil leaves the header out.
    var chain: [[UInt8]]? = []
    var chainIsArray = false
    var sign: ([UInt8]) -> [UInt8] = Signer.documentSigner
    var context = "Signature1"
    var externalData: [UInt8] = []
    var changeSignature: (inout [UInt8]) -> Void = { _ in }
    /// Changes the bytes of the signed payload after signing.
    var changePayload: (inout [UInt8]) -> Void = { _ in }
    /// The protected header that replaces the signed one after signing.
    var sentProtected: [UInt8]?
    /// Changes the four elements of the COSE_Sign1 after signing.
    var changeAuth: (CBORItem) -> CBORItem = { $0 }
    var deviceSigned: CBORItem?

    init(_ authority: SignerAuthority) throws { chain = [try authority.signerDER()] }

    static func time(_ text: String) -> CBORItem { .tagged(0, .text(text)) }

    static func coseKey(_ key: ECDSA.PublicKey) -> CBORItem {
        .map([.int(1): .int(2), .int(-1): .int(1), .int(-2): .bytes(key.x), .int(-3): .bytes(key.y)])
    }

    var securityObject: CBORItem {
        let digests: [[CBORItem]] = signedItems.map { namespace, items in
            [.text(namespace), .ordered(items.map { [.int($0.digestID), .bytes(digest($0.encoded))] })]
        }
        var keyInfo: [CBORItem: CBORItem] = [.text("deviceKey"): deviceKey]
        keyInfo[.text("keyAuthorizations")] = authorizations
        var members: [[CBORItem]] = [
            [.text("version"), .text(version)], [.text("digestAlgorithm"), .text(digestAlgorithm)],
            [.text("valueDigests"), .ordered(digests)], [.text("deviceKeyInfo"), .map(keyInfo)],
            [.text("docType"), .text(signedType)],
            [
                .text("validityInfo"),
                .ordered(
                    [
                        [.text("signed"), signedAt], [.text("validFrom"), validFrom],
                        [.text("validUntil"), validUntil],
                    ].filter { time in missingTime.map { time[0] != .text($0) } ?? true }
                        + (expectedUpdate.map { [[.text("expectedUpdate"), $0]] } ?? [])),
            ],
        ]
        if let status { members.append([.text("status"), status]) }
        members += extraMembers
        changeMembers(&members)
        return .ordered(members)
    }

    var issuerAuth: CBORItem {
        var payload = CBORItem.embedded(securityObject).encoded
        let protected = protectedHeader == .map([:]) ? [] : protectedHeader.encoded
        let signed = CBORItem.array([
            .text(context), .bytes(protected), .bytes(externalData), .bytes(payload),
        ]).encoded
        var signature = sign(signed)
        changeSignature(&signature)
        changePayload(&payload)
        var unprotected = unprotectedHeader
        if let chain {
            let single = chain.count == 1 && !chainIsArray
            unprotected[.int(33)] = single ? .bytes(chain[0]) : .array(chain.map { .bytes($0) })
        }
        return changeAuth(
            .array([.bytes(sentProtected ?? protected), .map(unprotected), .bytes(payload), .bytes(signature)]))
    }

    var issuerSigned: CBORItem {
        var returned = signedItems.map { (namespace: $0.namespace, items: $0.items.map(\.encoded)) }
        changeReturned(&returned)
        return .ordered([
            [
                .text("nameSpaces"),
                .ordered(returned.map { [.text($0.namespace), .array($0.items.map { .raw($0) })] }),
            ],
            [.text("issuerAuth"), issuerAuth],
        ])
    }

    var document: CBORItem {
        guard let outerType else { return issuerSigned }
        var members: [[CBORItem]] = [[.text("docType"), .text(outerType)], [.text("issuerSigned"), issuerSigned]]
        if let deviceSigned { members.append([.text("deviceSigned"), deviceSigned]) }
        return .ordered(members)
    }

    var response: CBORItem { Self.response([document]) }

    static func response(_ documents: [CBORItem]) -> CBORItem {
        .ordered([
            [.text("version"), .text("1.0")], [.text("documents"), .array(documents)], [.text("status"), .int(0)],
        ])
    }
}

extension Signer {
    static func sign(_ message: [UInt8], by name: String) -> [UInt8] {
        (try? SignerAuthority.key(name).sign(message, hash: .sha256)) ?? []
    }

    static func documentSigner(_ message: [UInt8]) -> [UInt8] { sign(message, by: "symbolon ds") }
}
