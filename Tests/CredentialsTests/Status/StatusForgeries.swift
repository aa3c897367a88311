import ByteCoding
import CBOR
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// Status lists that do not say what a credential needs, and good ones that lie close to such a list.
enum StatusForgeries {
    // MARK: - Tokens

    private static func listed(
        value: UInt8 = 0, _ change: @escaping @Sendable (inout StatusSample) -> Void = { _ in }
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            var list = StatusSample(value: value)
            change(&list)
            sample.addStatus(list)
        }
    }

    /// A good list with more bytes behind it.
    private static func ended(by end: String) -> @Sendable (inout SDSample) -> Void {
        { sample in
            let list = StatusSample()
            sample.addStatus(list)
            sample.request.trust.statusLists = [
                PinnedStatusList(
                    address: list.address, bytes: list.pinned.bytes + Array(end.utf8), fetchedAt: list.pinned.fetchedAt)
            ]
        }
    }

    private static func referring(_ reference: JSONValue) -> @Sendable (inout SDSample) -> Void {
        { sample in
            sample.addStatus(StatusSample())
            sample.payload["status"] = .object(["status_list": reference])
        }
    }

    /// The use of a certificate of a web server (RFC 5280, section 4.2.1.12).
    private static let serverAuthentication = ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    /// A list that the leaf of another chain signs, beside a credential under a root.
    private static func certified(
        isLenient: Bool = false, issuer: String? = nil, uses: [ASN1Identifier] = [.statusListSigner],
        _ change: @escaping @Sendable (inout CertificateSample) -> Void = { _ in },
        list: @escaping @Sendable (inout StatusSample) -> Void = { _ in },
        sample finish: @escaping @Sendable (inout SDSample, CertificateSample) -> Void = { _, _ in }
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            CertificateSample().put(into: &sample)
            if isLenient { sample.request.trust.roots[0].isLenient = true }
            var certificates = CertificateSample()
            (certificates.name, certificates.host, certificates.leafKey) = ("Status", nil, .holder)
            (certificates.serialNumber, certificates.uses) = ([9], uses)
            change(&certificates)
            var status = StatusSample()
            status.signer = .holder
            status.claims["iss"] = issuer.map(JSONValue.string)
            status.header["kid"] = nil
            status.header["x5c"] = .strings((try? certificates.chain())?.map { Base64.encode($0) } ?? [])
            list(&status)
            sample.addStatus(status)
            finish(&sample, certificates)
        }
    }

    static let selective: [Forgery<SDSample>] = [
        Forgery(
            0, "an index that is a text", .stForm, nil,
            referring(
                .object(["idx": "3", "uri": .string(StatusSample().address)]))),
        Forgery(
            0, "a negative index", .stForm, nil,
            referring(
                .object(["idx": .int(-1), "uri": .string(StatusSample().address)]))),
        Forgery(0, "an index without a list", .stForm, nil, referring(.object(["idx": .int(3)]))),
        Forgery(
            0, "a list whose bytes are none of zlib", .stForm, .notChecked,
            listed { list in
                list.claims["status_list"] = .object(["bits": .int(2), "lst": .string(Base64URL.encode([1, 2, 3, 4]))])
            }),
        Forgery(
            0, "a list whose copy lasted ten seconds", .stStale, nil,
            listed { list in
                list.claims["ttl"] = .int(10)
                list.fetchedAt = 1_735_689_600
            }),
        Forgery(0, "a list with a letter behind it", .parseBase64, .notChecked, ended(by: "!")),
        Forgery(0, "a list by a certificate for no status lists", .stSig, nil, certified(uses: [serverAuthentication])),
        Forgery(0, "a list by an expired certificate", .stSig, nil, certified({ $0.notAfter = 1_735_689_000 })),
        Forgery(0, "a list by a certificate of another root", .stSig, nil, certified({ $0.rootKey = .k1 })),
        Forgery(
            0, "a list by a certificate that was revoked", .stSig, nil,
            certified(
                { $0.authorityUsage = [.keyCertSign, .crlSign] },
                sample: { sample, certificates in
                    guard let root = try? certificates.rootCertificate(),
                        let list = try? certificates.revocationList(of: [[9]])
                    else { return }
                    sample.request.trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: []))]
                    sample.request.trust.revocationLists = [list]
                })),
        Forgery(
            0, "a list by another key than its certificate's", .stSig, nil,
            certified(
                list: { $0.signer = .stranger })),
        Forgery(
            0, "a list under the root for another issuer", .stSig, nil,
            certified(
                issuer: "https://other.example")),
        Forgery(
            0, "a list whose certificate is none", .stSig, nil,
            certified(
                list: { $0.header["x5c"] = .strings(["AAAA"]) })),
        Forgery(0, "a list whose certificates are a text", .stSig, nil, certified(list: { $0.header["x5c"] = "AAAA" })),
    ]

    static let selectiveTwins: [Forgery<SDSample>] = [
        Forgery(0, "a list under a chain to a root whose leaf names the issuer", .sigInvalid, .genuine) { sample in
            var certificates = CertificateSample()
            certificates.leafKey = .stranger
            var list = StatusSample()
            list.signer = .stranger
            list.header["kid"] = nil
            list.header["x5c"] = .strings((try? certificates.chain())?.map { Base64.encode($0) } ?? [])
            sample.addStatus(list)
            guard let root = try? certificates.rootCertificate() else { return }
            sample.request.trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: [], types: []))]
        },
        Forgery(0, "a list that ends with a line", .sigInvalid, .genuine, ended(by: "\n")),
        Forgery(0, "a list that ends with the line of another system", .sigInvalid, .genuine, ended(by: "\r\n")),
        Forgery(0, "a list whose copy lasts a minute", .sigInvalid, .genuine, listed { $0.claims["ttl"] = .int(60) }),
        Forgery(0, "a list without a lifetime", .sigInvalid, .genuine, listed { $0.claims["ttl"] = nil }),
        Forgery(0, "a list by another certificate of the root", .sigInvalid, .genuine, certified()),
        Forgery(
            0, "a list by a certificate of the root for the issuer", .sigInvalid, .genuine,
            certified(
                issuer: SDSample.issuer)),
        Forgery(
            0, "a list by a certificate for other uses of a lenient root", .sigInvalid, .genuine,
            certified(
                isLenient: true, uses: [serverAuthentication])),
    ]

    // MARK: - Lists of the W3C

    private static func listed(
        _ bits: [Int] = [], isNamed: Bool = true,
        _ change: @escaping @Sendable (inout BitstringSample) -> Void = { _ in },
        credential finish: @escaping @Sendable (inout JWTSample) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var list = BitstringSample(bits: bits)
            change(&list)
            list.put(into: &sample, index: 5, isNamed: isNamed)
            finish(&sample)
        }
    }

    private static func former(_ list: inout BitstringSample) {
        list.types = ["VerifiableCredential", "StatusList2021Credential"]
        list.subjectType = "StatusList2021"
        list.entryType = "StatusList2021Entry"
        list.base = ""
    }

    /// A credential with these entries beside a list in which bit 6 is set.
    private static func entries(_ entries: JSONValue) -> @Sendable (inout JWTSample) -> Void {
        listed([6], credential: { $0.payload["credentialStatus"] = entries })
    }

    private static let good = BitstringSample(bits: []).entry(5)
    private static let revoked = BitstringSample(bits: []).entry(6)

    static let tokens: [Forgery<JWTSample>] = [
        Forgery(0, "revoked by the second of two entries", .stRevoked, nil, entries(.array([good, revoked]))),
        Forgery(0, "revoked by the first of two entries", .stRevoked, nil, entries(.array([revoked, good]))),
        Forgery(0, "no entry of a status list", .stForm, .notChecked, entries(.array([]))),
        Forgery(0, "a number as an entry of a status list", .stForm, nil, entries(.int(5))),
        Forgery(0, "a number among the entries of status lists", .stForm, nil, entries(.array([good, .int(5)]))),
        Forgery(
            0, "seventeen entries of a status list", .stForm, .notChecked,
            entries(
                .array(Array(repeating: good, count: 17)))),
        Forgery(0, "revoked by a list of 2021", .stRevoked, nil, listed([5], former)),
        Forgery(
            0, "a list of 2021 whose subject is of the new type", .stForm, .notChecked,
            listed { list in
                former(&list)
                list.subjectType = "BitstringStatusList"
            }),
        Forgery(0, "a new list without the letter of its base", .stForm, .notChecked, listed { $0.base = "" }),
        Forgery(0, "revoked by a list that does not say its name", .stRevoked, nil, listed([5], isNamed: false)),
        Forgery(0, "suspended by a list for suspension", .stSuspended, nil, listed([5]) { $0.purpose = "suspension" }),
        Forgery(
            0, "a list of the W3C whose copy lasted ten seconds", .stStale, nil,
            listed(
                [], { $0.lifetime = 10_000 },
                credential: { sample in
                    let list = sample.request.trust.statusLists[0]
                    sample.request.trust.statusLists = [
                        PinnedStatusList(
                            address: list.address, bytes: list.bytes,
                            fetchedAt: WallTime(millisecondsSinceEpoch: 1_735_689_600_000))
                    ]
                })),
        Forgery(0, "a list of the W3C that has ended", .stStale, nil, listed { $0.end = "2025-01-01T00:01:00Z" }),
        Forgery(0, "a list of the W3C whose end is no time", .timeFormat, .notChecked, listed { $0.end = "tomorrow" }),
    ]

    static let tokenTwins: [Forgery<JWTSample>] = [
        Forgery(0, "two good entries of a list", .sigInvalid, .genuine, entries(.array([good, good]))),
        Forgery(
            0, "sixteen entries of a status list", .sigInvalid, .genuine,
            entries(
                .array(Array(repeating: good, count: 16)))),
        Forgery(
            0, "an entry whose type stands in an array", .sigInvalid, .genuine,
            listed {
                $0.entryType = .strings(["BitstringStatusListEntry"])
            }),
        Forgery(0, "a list whose subject stands in an array", .sigInvalid, .genuine, listed { $0.isInArray = true }),
        Forgery(0, "a good entry of a list of 2021", .sigInvalid, .genuine, listed([4], former)),
        Forgery(
            0, "a list of 2021 with the letter of its base", .sigInvalid, .genuine,
            listed([4]) { list in
                former(&list)
                list.base = "u"
            }),
        Forgery(
            0, "a good entry of a list for suspension", .sigInvalid, .genuine,
            listed {
                $0.purpose = "suspension"
            }),
        Forgery(0, "an entry of a list for messages", .sigInvalid, .genuine, listed([5]) { $0.purpose = "message" }),
        Forgery(
            0, "a list of the W3C whose copy lasts an hour", .sigInvalid, .genuine,
            listed {
                $0.lifetime = 3_600_000
            }),
        Forgery(
            0, "a list where a type is asked for", .sigInvalid, .genuine,
            listed(credential: { sample in
                sample.request.policy.types = ["Example"]
            })),
        Forgery(
            0, "a list of an issuer that may issue another type", .sigInvalid, .genuine,
            listed(
                credential: { sample in
                    var entry = TrustedIssuer(Signer.p256.did)
                    entry.types = ["Example"]
                    sample.request.trust.issuers = [entry]
                })),
    ]

    // MARK: - Lists in CBOR

    private static let identifiers = "https://issuer.example/identifiers/1"
    private static let other: [CBORItem] = [.bytes([9, 9]), .map([:])]
    private static let own: [CBORItem] = [.bytes([1, 2, 3, 4]), .map([:])]

    /// A document whose identifier is 01020304, and a list of its signer with these entries.
    private static func identified(
        _ entries: [[CBORItem]] = [other],
        _ change: @escaping @Sendable (inout BinaryStatusSample) -> Void = { _ in }
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            var list = BinaryStatusSample(address: identifiers, value: 0)
            list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
            list.protectedHeader = [[.int(1), .int(-7)], [.int(16), .text("application/identifierlist+cwt")]]
            list.set(65533, nil)
            list.set(65530, .map([.text("identifiers"): .ordered(entries)]))
            change(&list)
            setting.request.trust.statusLists = [list.pinned]
            setting.builder.status = .map([
                .text("identifier_list"): .map([.text("id"): .bytes([1, 2, 3, 4]), .text("uri"): .text(identifiers)])
            ])
        }
    }

    static let documents: [MobileDocumentForgery] = [
        .init("a list of identifiers without that of the document", .genuine, identified()),
        .init("an empty list of identifiers", .genuine, identified([])),
        .init(
            "a list of identifiers with one that begins alike", .genuine,
            identified(
                [[.bytes([1, 2, 3]), .map([:])], [.bytes([1, 2, 3, 4, 0]), .map([:])]])),
        .init(
            "a list of identifiers that names an issuer", .genuine,
            identified {
                $0.issuer = "https://issuer.example"
            }),
        .init("a list of identifiers with that of the document", .refused(.stRevoked), identified([other, own])),
        .init("a list of identifiers by another signer", .notChecked(.stSig), identified { $0.signer = .stranger }),
        .init(
            "a list of identifiers of another address", .notChecked(.stUri),
            identified {
                $0.set(2, .text("https://issuer.example/identifiers/2"))
            }),
        .init(
            "a list of identifiers that is too old", .notChecked(.stStale),
            identified {
                $0.fetchedAt = 1_748_000_000
            }),
        .init("a list of identifiers without an end", .notChecked(.stForm), identified { $0.set(4, nil) }),
        .init("a list of identifiers without a time", .notChecked(.stForm), identified { $0.set(6, nil) }),
        .init(
            "a list of identifiers of the future", .notChecked(.stForm), identified { $0.set(6, .int(1_760_000_000)) }),
        .init(
            "a list of identifiers that begins tomorrow", .notChecked(.stForm),
            identified {
                $0.set(5, .int(1_748_900_000))
            }),
        .init("a list of identifiers without them", .notChecked(.stForm), identified { $0.set(65530, nil) }),
        .init(
            "a list of identifiers that are texts", .notChecked(.stForm),
            identified(
                [other, [.text("01020304"), .map([:])]])),
        .init(
            "a list of identifiers with values too", .notChecked(.stForm),
            identified {
                $0.set(65533, .map([.text("bits"): .int(1), .text("lst"): .bytes([0x78, 0xDA, 3, 0, 0, 0, 0, 1])]))
            }),
        .init(
            "a list of identifiers under the type of one of values", .notChecked(.stForm),
            identified {
                $0.protectedHeader[1] = [.int(16), .text("application/statuslist+cwt")]
            }),
        .init("an index into a list of identifiers", .notChecked(.stForm)) { setting in
            try identified()(&setting)
            setting.builder.status = .map([
                .text("status_list"): .map([.text("idx"): .int(3), .text("uri"): .text(identifiers)])
            ])
        },
        .init("an identifier that is a text", .notChecked(.stUnknown)) { setting in
            try identified()(&setting)
            setting.builder.status = .map([
                .text("identifier_list"): .map([.text("id"): .text("01020304"), .text("uri"): .text(identifiers)])
            ])
        },
    ]

    /// A token of a did:key and a list in CBOR by another, which the issuer's entry names unless `isNamed` is false.
    private static func delegated(
        isNamed: Bool = true, _ change: @escaping @Sendable (inout BinaryStatusSample) -> Void = { _ in },
        setting finish: @escaping @Sendable (inout CWTForgery.Setting) throws -> Void = { _ in }
    ) -> @Sendable (inout CWTForgery.Setting) throws -> Void {
        { setting in
            let signer = Signer.p256
            var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: 0)
            list.signer = .stranger
            list.issuer = Signer.stranger.did
            list.unprotectedHeader = [[.int(4), .bytes(Array(Signer.stranger.method.utf8))]]
            change(&list)
            var entry = TrustedIssuer(signer.did)
            if isNamed { entry.statusIssuers = [Signer.stranger.did] }
            setting.request.trust.issuers = [entry]
            setting.request.trust.statusLists = [list.pinned]
            setting.set(1, .text(signer.did))
            setting.set(65535, StatusSample(value: 0).reference)
            setting.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
            setting.sign = { signer.sign($0) }
            try finish(&setting)
        }
    }

    /// The list of the issuer itself.
    private static func owned(
        _ change: @escaping @Sendable (inout BinaryStatusSample) -> Void
    ) -> @Sendable (inout CWTForgery.Setting) throws -> Void {
        delegated(
            isNamed: false,
            { list in
                list.signer = .p256
                list.issuer = nil
                list.unprotectedHeader = []
                change(&list)
            })
    }

    private static let chain = (try? CertificateSample().chain())?.first ?? []

    /// A list that brings the certificate of a stranger which names the issuer; `isPinned` makes its root trusted.
    private static func certified(isPinned: Bool) -> @Sendable (inout CWTForgery.Setting) throws -> Void {
        { setting in
            var certificates = CertificateSample()
            certificates.leafKey = .stranger
            let chain = try certificates.chain()
            try delegated(
                isNamed: false,
                { list in
                    list.issuer = SDSample.issuer
                    list.unprotectedHeader = [[.int(33), .bytes(chain[0])]]
                })(&setting)
            setting.set(1, .text(SDSample.issuer))
            setting.addIssuer(SDSample.issuer, keys: [("1", SignerAuthority.key("symbolon ds").publicKey)])
            setting.unprotectedHeader = [[.int(4), .bytes(Array("1".utf8))]]
            setting.sign = { Signer.documentSigner($0) }
            guard isPinned else { return }
            setting.request.trust.roots = [
                TrustedRoot(certificate: try certificates.rootCertificate(), purpose: .tokens(issuers: [], types: []))
            ]
        }
    }

    static let claims: [CWTForgery] = [
        .init("a list in CBOR under a chain to no root", .notChecked(.stSig), certified(isPinned: false)),
        .init("a list in CBOR under a chain to a root", .genuine, certified(isPinned: true)),
        .init("a list in CBOR by another that the issuer names", .genuine, delegated()),
        .init(
            "a list in CBOR by another that the issuer does not name", .notChecked(.stSig), delegated(isNamed: false)),
        .init("a list in CBOR by another, changed", .notChecked(.stSig), delegated({ $0.signer = .p384 })),
        .init(
            "a list in CBOR by another, with a certificate of no root", .notChecked(.stSig),
            delegated({ list in
                list.signer = .p256
                list.unprotectedHeader = [[.int(33), .bytes(chain)]]
            })),
        .init("a list in CBOR of the issuer", .genuine, owned { _ in }),
        .init(
            "a list in CBOR with a critical label", .notChecked(.stSig),
            owned { list in
                list.protectedHeader += [[.int(2), .array([.int(99)])], [.int(99), .int(1)]]
            }),
        .init(
            "a list in CBOR of another type", .notChecked(.stForm),
            owned {
                $0.protectedHeader[1] = [.int(16), .text("application/cwt")]
            }),
        .init("a list in CBOR of text that is no map", .notChecked(.stForm), owned { $0.set(65533, .text("lst")) }),
        .init("a list in CBOR that begins tomorrow", .notChecked(.stForm), owned { $0.set(5, .int(1_748_900_000)) }),
        .init("a list in CBOR whose copy lasted a second", .notChecked(.stStale), owned { $0.set(65534, .int(1)) }),
        .init("a list in CBOR without a lifetime", .genuine, owned { $0.set(65534, nil) }),
        .init("a list in CBOR without an end", .genuine, owned { $0.set(4, nil) }),
    ]
}
