import CBOR
import CryptoSuite

@testable import Credentials

/// Mobile documents with rare keys of their device and headers of their signature.
enum MobileDocumentKeyForgeries {
    private static func device(_ curve: Int, count: Int) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        {
            $0.builder.deviceKey = .map([
                .int(1): .int(1), .int(-1): .int(curve), .int(-2): .bytes([UInt8](repeating: 9, count: count)),
            ])
        }
    }

    private static func digest(
        _ algorithm: Int, _ bytes: @escaping @Sendable ([UInt8]) -> [UInt8] = { SHA256.hash($0) }
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            let leaf = try setting.authority.signerDER()
            setting.builder.unprotectedHeader[.int(34)] = .array([.int(algorithm), .bytes(bytes(leaf))])
        }
    }

    private static func status(_ reference: CBORItem) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        { setting in
            var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: 0)
            list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
            setting.request.trust.statusLists = [list.pinned]
            setting.builder.status = reference
        }
    }

    private static func listed(_ index: CBORItem) -> CBORItem {
        .map([.text("idx"): index, .text("uri"): .text("https://issuer.example/status/1")])
    }

    private static func country(_ name: String) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        { setting in
            let certificate = setting.request.trust.roots[0].certificate
            setting.request.trust.roots = [
                TrustedRoot(certificate: certificate, purpose: .mobileDocuments(types: [], country: name))
            ]
        }
    }

    /// A status list by a signer of an authority of its own, which the document names.
    private static func namedSigner(
        isNamed: Bool = true, hasOther: Bool = false, value: UInt8 = 0, isTrusted: Bool = true
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            var authority = try SignerAuthority()
            authority.rootKey = SignerAuthority.key("symbolon lists")
            for name in [\CertificateTemplate.subject, \.issuer] {
                authority.root[keyPath: name][2] = .commonName("Lists")
            }
            authority.signer.issuer = authority.root.subject
            authority.root.publicKey = try CertificateTemplate.SigningKey.ecdsa(authority.rootKey)
                .subjectPublicKeyInfo()
            authority.signer.extensions = SignerAuthority.signerExtensions(uses: [.statusListSigner])
            var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: value)
            list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
            list.unprotectedHeader = [[.int(33), .bytes(try authority.signerDER())]]
            if !isTrusted { setting.request.trust.roots = [] }
            setting.request.trust.statusLists = [list.pinned]
            // The document's own signer has another key than the list's.
            setting.builder.sign = { Signer.ecdsa(SignerAuthority.key("symbolon other ds")).sign($0) }
            setting.authority.signerKey = .ecdsa(SignerAuthority.key("symbolon other ds"))
            setting.authority.signer.publicKey = try setting.authority.signerKey.subjectPublicKeyInfo()
            try setting.issueAgain()
            guard case .map(var reference) = listed(.int(3)) else { return }
            if isNamed { reference[.text("certificate")] = .bytes(try authority.rootDER()) }
            var status: [CBORItem: CBORItem] = [.text("status_list"): .map(reference)]
            if hasOther {
                status[.text("identifier_list")] = .map([.text("certificate"): .bytes(try authority.rootDER())])
            }
            setting.builder.status = .map(status)
        }
    }

    static let status: [MobileDocumentForgery] = [
        .init("a status list under the authority that the document names", .genuine, namedSigner()),
        .init(
            "a status list under an authority that it does not name", .notChecked(.stSig), namedSigner(isNamed: false)),
        .init(
            "a status list that revokes, under the authority that a stranger's document names",
            .notChecked(.trustIssuer), namedSigner(value: 1, isTrusted: false)),
        .init(
            "a status list under the authority that it names for another list", .notChecked(.stSig),
            namedSigner(isNamed: false, hasOther: true)),
        .init("an index of a status list", .genuine, status(.map([.text("status_list"): listed(.int(3))]))),
        .init(
            "an index of a status list that is a text", .refused(.stForm),
            status(
                .map([.text("status_list"): listed(.text("3"))]))),
        .init(
            "an index of a status list beside a broken identifier", .notChecked(.stUnknown),
            status(
                .map([.text("status_list"): listed(.int(3)), .text("identifier_list"): .map([:])]))),
    ]

    static let places: [MobileDocumentForgery] = [
        .init("a root for the signer's country", .genuine, country("US")),
        .init("a root for another country", .notChecked(.x5Anchor), country("DE")),
        .init("the type that is asked for", .genuine) { $0.request.policy.types = [MobileDocumentBuilder.mdl] },
        .init("another type than is asked for", .refused(.mdDoctype)) { $0.request.policy.types = ["other"] },
        .init("a validity without its end", .refused(.mdForm)) { $0.builder.missingTime = "validUntil" },
        .init("a validity without its begin", .refused(.mdForm)) { $0.builder.missingTime = "validFrom" },
        .init("a validity without the time of its signature", .refused(.mdForm)) { $0.builder.missingTime = "signed" },
        .init("a time with eleven digits of a second", .genuineWithNote(.timeFormat)) {
            $0.builder.signedAt = MobileDocumentBuilder.time("2025-01-01T00:00:00.00000000000Z")
        },
        .init("a time with twelve digits of a second", .refused(.timeFormat)) {
            $0.builder.signedAt = MobileDocumentBuilder.time("2025-01-01T00:00:00.000000000000Z")
        },
        .init("a root beside a list that is not good", .genuineWithNote(.sigInvalid)) { setting in
            var list = try IssuingAuthorityListTests.Sample()
            list.changeSignature = { $0[9] ^= 1 }
            setting.request.trust.authorityLists = [
                PinnedAuthorityList(bytes: try list.encoded(), root: list.root)
            ]
        },
        .init("a response of another version", .refused(.mdVersion)) { setting in
            setting.bytes =
                CBORItem.ordered([
                    [.text("version"), .text("1.a")], [.text("documents"), .array([setting.builder.document])],
                    [.text("status"), .int(0)],
                ]).encoded
        },
    ]

    /// Replaces a member of the signed object.
    private static func member(
        _ name: String, _ value: CBORItem
    ) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        {
            $0.builder.changeMembers = { members in
                members.removeAll { $0[0] == .text(name) }
                members.append([.text(name), value])
            }
        }
    }

    /// Puts another root beside that of the signer.
    private static func roots(
        _ change: @escaping @Sendable (inout TrustedRoot, inout TrustedRoot) -> Void
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            var own = setting.request.trust.roots[0]
            var other = TrustedRoot(
                certificate: try CertificateSample().rootCertificate(),
                purpose: .mobileDocuments(types: [], country: nil))
            change(&other, &own)
            setting.request.trust.roots = [other, own]
        }
    }

    /// A status list that another signer of the authority signs.
    private static func delegated(
        fromList: Bool
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            let key = SignerAuthority.key("symbolon status")
            var leaf = try CertificateTemplate(
                subject: SignerAuthority.signerName, issuer: SignerAuthority.rootName, publicKey: .ecdsa(key),
                notBefore: SignerAuthority.start, notAfter: SignerAuthority.end)
            leaf.serialNumber = [3]
            leaf.extensions = SignerAuthority.signerExtensions(uses: [.statusListSigner])
            var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: 0)
            list.signer = .ecdsa(key)
            list.unprotectedHeader = [
                [.int(33), .bytes(try leaf.sign(by: .ecdsa(setting.authority.rootKey)))]
            ]
            setting.request.trust.statusLists = [list.pinned]
            setting.builder.status = .map([.text("status_list"): listed(.int(3))])
            guard fromList else { return }
            let authorities = try IssuingAuthorityListTests.Sample()
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = [
                PinnedAuthorityList(bytes: try authorities.encoded(), root: authorities.root)
            ]
        }
    }

    private static func version(_ text: String) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        { setting in
            setting.bytes =
                CBORItem.ordered([
                    [.text("version"), .text(text)], [.text("documents"), .array([setting.builder.document])],
                    [.text("status"), .int(0)],
                ]).encoded
        }
    }

    static let signers: [MobileDocumentForgery] = [
        .init("a response of a version with five digits", .refused(.mdVersion), version("1.12345")),
        .init("a response of a version without a digit", .refused(.mdVersion), version("1.")),
        .init("a status list by another signer of the authority", .genuine, delegated(fromList: false)),
        .init("a status list by another signer of an authority of a list", .genuine, delegated(fromList: true)),
        .init("a signer for servers beside a lenient root", .refused(.x5Eku)) { setting in
            setting.authority.signer.extensions = SignerAuthority.signerExtensions(
                uses: [ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
            try setting.issueAgain()
            try roots { other, _ in other.isLenient = true }(&setting)
        },
        .init(
            "digests that are a number", .refused(.mdForm),
            member(
                "valueDigests", .map([.text(MobileDocumentBuilder.namespace): .int(1)]))),
        .init(
            "a digest that is a text", .refused(.mdForm),
            member(
                "valueDigests", .map([.text(MobileDocumentBuilder.namespace): .map([.int(0): .text("x")])]))),
        .init("a namespace of authorized elements without a name", .refused(.mdForm)) {
            $0.builder.authorizations = .map([.text("dataElements"): .map([.int(1): .array([])])])
        },
        .init("a next update that is no time", .refused(.timeFormat)) { $0.builder.expectedUpdate = .text("tomorrow") },
        .init("a next update", .genuine) {
            $0.builder.expectedUpdate = MobileDocumentBuilder.time("2025-07-01T00:00:00Z")
        },
        .init("namespaces that are an array", .refused(.mdForm)) { setting in
            setting.bytes =
                CBORItem.ordered([
                    [.text("docType"), .text(MobileDocumentBuilder.mdl)],
                    [
                        .text("issuerSigned"),
                        .ordered([
                            [.text("nameSpaces"), .array([])], [.text("issuerAuth"), setting.builder.issuerAuth],
                        ]),
                    ],
                ]).encoded
        },
    ]

    /// Writes a state into the certificates, and another one into the document.
    private static func state(
        _ name: String, document: String
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            setting.authority.name(state: name)
            try setting.issueAgain(root: true)
            setting.builder.signedItems[0].items[3].value = .text(document)
        }
    }

    /// Replaces the root by a list of authorities, and demands that lists are fresh.
    private static func onlyFresh(_ setting: inout MobileDocumentForgery.Setting, nextUpdate: String) throws {
        var list = try IssuingAuthorityListTests.Sample()
        list.nextUpdate = nextUpdate
        setting.request.trust.roots = []
        setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try list.encoded(), root: list.root)]
        setting.request.policy.requiresFreshStatus = true
    }

    static let all: [MobileDocumentForgery] =
        status + places + signers + MobileDocumentListForgeries.all + [
            .init("a device's key of X448", .genuine, device(5, count: 56)),
            .init("a device's key of X25519", .genuine, device(4, count: 32)),
            .init("a device's key of X25519 with 31 bytes", .refused(.keyCurve), device(4, count: 31)),
            .init("the digest of the signer's certificate", .genuine, digest(-16)),
            .init("the digest of another certificate", .refused(.jwtX5t), digest(-16) { SHA256.hash($0 + [0]) }),
            .init("the digest of the signer's certificate under another name", .refused(.jwtX5t), digest(-44)),
            .init("eight bytes of the digest", .genuine, digest(-15) { Array(SHA256.hash($0).prefix(8)) }),
            .init(
                "eight bytes of another digest", .refused(.jwtX5t),
                digest(-15) { Array(SHA256.hash($0 + [0]).prefix(8)) }),
            .init("a digest of eight bytes that has them all", .refused(.jwtX5t), digest(-15)),
            .init("a digest of another kind", .genuine, digest(-18)),
            .init("a digest by SHA-384", .genuine, digest(-43) { SHA2.sha384.hash($0) }),
            .init("a digest of three parts", .refused(.jwtX5t)) { setting in
                let digest = SHA256.hash(try setting.authority.signerDER())
                setting.builder.unprotectedHeader[.int(34)] = .array([.int(-16), .bytes(digest), .int(0)])
            },
            .init("a digest whose kind is a text", .refused(.jwtX5t)) { setting in
                let digest = SHA256.hash(try setting.authority.signerDER())
                setting.builder.unprotectedHeader[.int(34)] = .array([.text("-16"), .bytes(digest)])
            },
            .init("a digest that is a number", .refused(.jwtX5t)) {
                $0.builder.unprotectedHeader[.int(34)] = .array([.int(-18), .int(1)])
            },
            .init("an element with a map whose key is a list", .genuine) {
                $0.builder.signedItems[0].items[0].value = .map([.array([.int(1), .bool(true)]): .text("x")])
            },
            .init("certificates that are a text", .refused(.x5Chain)) { setting in
                setting.builder.chain = nil
                setting.builder.unprotectedHeader[.int(33)] = .text("x")
            },
            .init("a response of a newer minor version", .genuine) { setting in
                setting.bytes =
                    CBORItem.ordered([
                        [.text("version"), .text("1.7")], [.text("documents"), .array([setting.builder.document])],
                        [.text("status"), .int(0)],
                    ]).encoded
            },
            .init("a signed object of a newer minor version", .genuine) { $0.builder.version = "1.7" },
            .init("an element whose length is written longer than it needs", .genuine) { setting in
                let longer: @Sendable ([UInt8]) -> [UInt8] = { bytes in
                    bytes[2] == 0x58 ? [0xD8, 0x18, 0x59, 0] + bytes.dropFirst(3) : bytes
                }
                setting.builder.digest = { SHA256.hash(longer($0)) }
                setting.builder.changeReturned = { $0[0].items = $0[0].items.map(longer) }
            },
            .init("certificates without an order in place of the chain", .refused(.x5Chain)) { setting in
                setting.builder.chain = nil
                setting.builder.unprotectedHeader[.int(32)] = .bytes(try setting.authority.signerDER())
            },
            .init("a protected header behind which another stands", .refused(.parseCBOR)) { setting in
                setting.builder.protectedHeader = .raw([0xA1, 1, 0x26, 0xA0])
            },
            .init("a protected header with a label that is no UTF-8", .refused(.parseUTF8)) { setting in
                setting.builder.protectedHeader = .raw([0xA2, 1, 0x26, 0x61, 0xFF, 1])
            },
            .init("a state without its country in the certificates", .genuine, state("NY", document: "US-NY")),
            .init("a state with its country twice", .refused(.mdCountry), state("US-NY", document: "US-US-NY")),
            .init("a list that may be replaced, where only fresh ones count", .notChecked(.stStale)) { setting in
                try onlyFresh(&setting, nextUpdate: "2025-05-02T00:00:00Z")
            },
            .init("a list that is not due, where only fresh ones count", .genuine) { setting in
                try onlyFresh(&setting, nextUpdate: "2025-07-02T00:00:00Z")
            },
            .init("a signed object behind which another stands", .refused(.parseCBOR)) { setting in
                setting.builder.changePayload = { $0.append(0) }
            },
        ]
}
