import ByteCoding
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

/// A trust file of the kit without a credential: what it says, or why it is refused.
struct KitTrustText: Sendable {
    static let folder = "trust-lines/"

    /// The path below the kit's folder.
    let path: String
    /// The required result of reading it, as `outcome` writes it.
    let expected: JSONValue

    /// Those of the manifest in the repository.
    static func all() throws -> [KitTrustText] {
        try (KitEntry.manifest()["trust-lines"]?.array ?? []).map { value in
            KitTrustText(path: value["trust"]?.string ?? "", expected: value["gives"] ?? .null)
        }
    }

    /// The result of reading the file now.
    func outcome() throws -> JSONValue {
        let text = try KitEntry.contents(of: path)
        return Self.outcome(text) { try? KitEntry.contents(of: Self.folder + $0) }
    }

    /// The code and line of the mistake, or everything that the store and the policy hold.
    static func outcome(_ text: [UInt8], _ contents: (String) -> [UInt8]?) -> JSONValue {
        do throws(TrustFileError) {
            let file = try TrustFile(parsing: text)
            var files: [String: [UInt8]] = [:]
            for name in file.paths { files[name] = contents(name) }
            let store = try file.store(files: files)
            var policy = VerificationPolicy()
            try file.apply(to: &policy)
            return said(store, policy, file.paths)
        } catch {
            return .object(["code": .string(error.code.rawValue), "line": .int(error.line)])
        }
    }

    private static func said(_ store: TrustStore, _ policy: VerificationPolicy, _ paths: [String]) -> JSONValue {
        func digest(_ bytes: [UInt8]?) -> JSONValue? {
            bytes.map { .string(Hex.encode(SHA256.hash($0).prefix(6))) }
        }
        func strings(_ list: [String]?) -> JSONValue? { list.flatMap { $0.isEmpty ? .none : .some(.strings($0)) } }
        func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue { .object(JSONObject(present: members)) }
        func list(_ values: [JSONValue]) -> JSONValue? { values.isEmpty ? .none : .some(.array(values)) }
        let issuers = store.issuers.map { issuer in
            object([
                "id": .string(issuer.identifier), "name": issuer.name.map(JSONValue.string),
                "document": digest(issuer.document?.encoded), "keys": digest(issuer.keySet?.encoded),
                "pem": issuer.pemKey == nil ? .none : .some(.bool(true)),
                "relationships": .string(issuer.relationships.rawValue), "types": strings(issuer.types),
                "contexts": strings(issuer.contexts), "status": strings(issuer.statusIssuers),
            ])
        }
        let roots = store.roots.map { root in
            object([
                "certificate": digest(root.certificate), "for": .string("\(root.purpose)"),
                "path": root.path.map(JSONValue.string), "name": root.name.map(JSONValue.string),
                "lenient": .bool(root.isLenient), "status": strings(root.statusIssuers),
            ])
        }
        let demands = CredentialCheck.Kind.allCases.map { "\($0.rawValue) \(policy.demand(on: $0).rawValue)" }
        return object([
            "files": strings(paths), "methods": strings(store.methods), "issuers": list(issuers),
            "keys": list(
                store.keys.map { key in
                    object([
                        "address": .string(key.address), "document": digest(key.document.encoded),
                        "for": strings(key.issuers),
                    ])
                }),
            "roots": list(roots),
            "authority-lists": list(
                store.authorityLists.map { object(["bytes": digest($0.bytes), "root": digest($0.root)]) }),
            "contexts": list(
                store.contexts.map { context in
                    object([
                        "address": context.address.map(JSONValue.string), "digest": digest(context.digest),
                        "document": digest(context.document?.encoded), "labels": .bool(context.acceptsLabels),
                    ])
                }),
            "status-lists": list(
                store.statusLists.map { status in
                    object([
                        "address": .string(status.address), "bytes": digest(status.bytes),
                        "fetched": .int(Int(status.fetchedAt.millisecondsSinceEpoch)),
                        "max-age": .int(Int(status.maximumAgeSeconds)),
                    ])
                }),
            "revocation-lists": list(store.revocationLists.compactMap(digest)),
            "demands": .strings(demands), "tolerance": .int(Int(policy.toleranceSeconds)),
            "fresh-status": .bool(policy.requiresFreshStatus),
        ])
    }

    // MARK: - The files

    private static let document = Array("{\"id\":\"did:web:issuer.example\"}".utf8)
    private static let context = Array("{ \"@context\": {\"b\":1, \"a\":2} }".utf8)
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PUBLIC KEY-----

        """
    private static let certificate = [UInt8]([0x30, 9, 9])

    private static let root =
        "-----BEGIN CERTIFICATE-----\n\(Base64.encode(certificate))\n-----END CERTIFICATE-----\n"
    private static let authorityDER: [UInt8] = {
        guard let der = try? SignerAuthority().rootDER() else { preconditionFailure("no certificate") }
        return der
    }()
    private static let authority =
        "-----BEGIN CERTIFICATE-----\n\(Base64.encode(authorityDER))\n-----END CERTIFICATE-----\n"
    /// A key of Ed25519 with a byte less.
    private static let short = Signer.edwards.publicKeyPEM(Signer.shortenKey)
    private static var privateKey: String { pem.replacing("PUBLIC", with: "PRIVATE") }

    /// A revocation list.
    private static let revoked = (try? CertificateSample().revocationList(of: [[1]])) ?? []

    /// The files that the trust files name.
    static let files: [String: [UInt8]] = [
        "keys/a b.json": document, "ctx.json": context, "list.jwt": Array("1.2.3".utf8), "root.der": [0x30, 1, 2],
        "root.pem": Array(
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode(certificate))\n-----END CERTIFICATE-----\n".utf8),
        "key.pem": Array(pem.utf8), "two.pem": Array((pem + pem).utf8),
        "private.pem": Array(privateKey.utf8), "text.pem": Array("hello".utf8), "authority.pem": Array(authority.utf8),
        "both.pem": Array((authority + privateKey).utf8), "short.pem": Array(short.utf8),
        "list.cbor": [0xD2, 0x80], "rsa.pem": Array(Signer.large.publicKeyPEM().utf8),
        "two-roots.pem": Array((root + root).utf8), "end.pem": Array("-----END CERTIFICATE-----\n\(root)".utf8),
        "revoked.crl": revoked, "revoked.pem": Array(PEMText.block("X509 CRL", of: revoked).utf8),
        "no-root.pem": Array(
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode([4, 1, 1]))\n-----END CERTIFICATE-----\n".utf8),
        "around.pem": Array("Subject: Test\n\(root)\n# end\n".utf8),
        "signers.der": authorityDER, "signers.b64": Array((Base64.encode(authorityDER) + "\n").utf8),
        "signers.json": JSONValue.strings([Base64.encode(authorityDER)]).encoded,
        "gateway.json": JSONValue.object([
            "certificates": .array([["rawData": .string(Base64.encode(authorityDER))]])
        ]).encoded,
        "aes.hex": Array((String(repeating: "0f", count: 16) + "\n").utf8), "short.hex": Array("0f0f".utf8),
    ]

    private static func hash(_ name: String) -> String { Hex.encode(SHA256.hash(files[name] ?? [])) }
    private static let zeros = String(repeating: "0", count: 64)
    private static let contextDigest = Hex.encode(SHA256.hash(Array("{\"@context\":{\"a\":2,\"b\":1}}".utf8)))
    private static var pinned: String { "\"keys/a b.json\" sha256 \(hash("keys/a b.json"))" }

    /// Trust files that are read.
    static var good: [String] {
        [
            "", "# nothing\n\n", "issuer did:web:a.example # with a comment\n",
            "issuer did:web:a.example\n  document \(pinned) taken 2025-01-02\n  relationships controller-listed\n",
            "issuer https://a.example\n  name \"Civil Registry of Norvenia\"\n  types A B\n  status own did:web:b.example\n",
            "issuer https://a.example\n  keys \(pinned)\n  contexts https://a.example/c inline:\(contextDigest)\n",
            "issuer https://a.example\n  pem key.pem\n", "issuer https://a.example\n  pem rsa.pem\n",
            "issuer https://a.example\n  pem authority.pem\n",
            "root around.pem\n  for mdoc\n",
            "issuer https://a.example\n  pem key.pem sha256 \(hash("key.pem"))\n  relationships listed\n",
            "issuer \"with blanks # and a sign\"\nissuer b\n", "issuer a\r\n  types X\r\n",
            "key https://a.example/1\n  file \(pinned)\n  for https://a.example https://b.example\n",
            "method did:key\nmethod did:jwk\n",
            "root root.pem\n  for mdoc doctype org.iso.18013.5.1.mDL country US\n",
            "root root.der\n  for mdoc doctype a doctype b\n  for tokens issuer https://a.example type urn:a type urn:b\n",
            "root root.der\n  name \"Ministry\"\n  sha256 \(hash("root.der"))\n  profile lenient\n  status https://s.example\n  for tokens\n",
            "root root.der\n  profile strict\n  status own\n  for mdoc\nroot root.der\n  for tokens\n",
            "vical list.cbor\n  root root.pem\n",
            "vical list.cbor\n  root root.der\n  sha256 \(hash("list.cbor"))\n",
            "context https://a.example/c\n  file ctx.json\n  jcs-sha256 \(contextDigest)\n  labels accept\n",
            "context inline\n  jcs-sha256 \(contextDigest)\ncontext inline\n  jcs-sha256 \(zeros)\n",
            "status-list https://a.example/l\n  file list.jwt\n  fetched 2025-01-01T00:00:00Z\n",
            "status-list https://a.example/l\n  file list.jwt\n  fetched 2025-01-01\n  max-age 2h\n",
            "status-list https://a.example/l\n  file list.jwt\n  fetched 2025-01-01T01:00:00+01:00\n  max-age 7d\n",
            "revocation-list revoked.crl\n", "revocation-list revoked.pem\n",
            "policy\n  tolerance 5m\n  require status\n  want trust chain\n  report labels\n  fresh-status require\n",
            "root root.der\n  profile lenient\n  for mdoc\nroot root.der\n  profile lenient\n  for tokens\n",
            "issuer\ta  # with a tab\n\ttypes\tA\n", "issuer \"\"\n",
            String(repeating: "\n", count: 19_999),
            "signers authority.pem\n  for aadhaar\n", "signers signers.der\n  for health-certificates\n",
            "signers signers.b64\n  for aadhaar\n", "signers signers.json\n  for aadhaar health-certificates\n",
            "signers gateway.json\n  for aadhaar\n  name \"Ministry\"\n", "aes-key aes.hex\n",
            "issuer a\n  pem key.pem\n  issuer-less accept\n",
            "policy\n  status optional\n", "policy\n  status required\n", "policy\n  tolerance 90s\n  want holder\n",
        ]
    }

    /// Trust files that are refused.
    static var bad: [String] {
        let name = String(repeating: "a", count: 101)
        return [
            "isuer did:web:a", "  document x", "issuer", "issuer a\n  colour red", "issuer a\nissuer a",
            "issuer a\n  types x\n  types y", "issuer \"a", "issuer \"a\"b", "issuer a\"b\"", "issuer a b",
            "key https://a", "key https://a\n  file \(pinned)", "key https://a\n  for b",
            "issuer a\n  document list.jwt sha256 \(zeros)", "issuer a\n  document nowhere sha256 \(zeros)",
            "issuer a\n  document list.jwt md5 \(zeros)", "issuer a\n  document list.jwt sha256 00",
            "issuer a\n  document list.jwt sha256 \(String(repeating: "g", count: 64))",
            "issuer a\n  document list.jwt sha256 \(hash("list.jwt"))", "issuer a\n  document list.jwt",
            "issuer a\n  keys list.jwt sha256 \(hash("list.jwt"))", "issuer a\n  relationships any",
            "issuer a\n  document \(pinned) taken then and now", "issuer a\n  document \(pinned) made 2025-01-02",
            "issuer a\n  document \(pinned) taken", "issuer a\n  document \(pinned) taken never",
            "issuer a\n  types \"a\"b", "issuer a\n  types a\"b", String(repeating: "\n", count: 20_000),
            "method didkey", "method key", "method did:web:a", "method did:", "root list.jwt\n  for tokens",
            "root root.der\n  for everything", "root root.der", "root root.der\n  for tokens country US",
            "root root.der\n  for tokens doctype a", "root root.der\n  for mdoc issuer a",
            "root root.der\n  for mdoc country",
            "root root.der\n  for mdoc country US country DE",
            "root nowhere\n  for mdoc", "root root.der\n  for tokens issuer",
            "root two-roots.pem\n  for tokens", "root end.pem\n  for tokens", "root no-root.pem\n  for tokens",
            "root root.der\n  for tokens\n  profile soft",
            "root root.der\n  for tokens\n  profile lenient\n  profile strict",
            "root root.der\n  for mdoc type a", "root root.der\n  for tokens type",
            "root root.der\n  for tokens\n  sha256 \(zeros)", "root root.der\n  for tokens\n  sha256 1",
            "root root.der\n  for mdoc\nroot root.der\n  for mdoc", "root root.der\n  for mdoc\n  for mdoc",
            "root root.der\n  for mdoc\nroot root.der\n  for tokens\n  for mdoc",
            "vical list.cbor", "vical list.cbor\n  root list.jwt", "vical list.cbor\n  root nowhere",
            "vical list.cbor\n  root root.der\n  sha256 \(zeros)",
            "context https://a\n  jcs-sha256 \(zeros)", "context https://a\n  file ctx.json\n  jcs-sha256 \(zeros)",
            "context https://a\n  file ctx.json", "context https://a\n  file list.jwt\n  jcs-sha256 \(zeros)",
            "context inline\n  jcs-sha256 \(zeros)\n  labels maybe",

            "status-list https://a\n  file list.jwt\n  fetched now", "status-list https://a\n  file list.jwt",
            "status-list https://a\n  file list.jwt\n  fetched 2025-01-01\n  max-age 3w",
            "status-list https://a\n  file list.jwt\n  fetched 2025-01-01\n  max-age h",
            "status-list https://a\n  file list.jwt\n  fetched 2025-01-01\n  max-age -1h",
            "status-list https://a\n  file list.jwt\n  fetched 2025-01-01\n  max-age 1000000001s",
            "status-list https://a\n  file nowhere\n  fetched 2025-01-01", "revocation-list nowhere",
            "revocation-list root.der", "revocation-list root.pem", "revocation-list text.pem",
            "policy\n  require luck", "policy\n  tolerance 1",
            "policy\n  fresh-status maybe", "policy now", "policy\npolicy", "policy\n  status perhaps",
            "policy\n  status optional\n  status required", "policy\n  status optional\n  require status",
            "policy\n  want status\n  status optional",
            "issuer a\n  name", "issuer a\n  name Civil Registry", "issuer a\n  name \"\"",
            "issuer a\n  name \"a\u{202E}b\"", "issuer a\n  name \"\(name)\"", "issuer a\n  pem private.pem",
            "issuer a\n  pem both.pem", "issuer a\n  pem short.pem", "issuer a\n  pem two-roots.pem",
            "issuer a\n  pem text.pem", "issuer a\n  pem two.pem", "issuer a\n  pem key.pem sha256 \(zeros)",
            "signers text.pem\n  for aadhaar", "signers root.der\n  for aadhaar", "signers authority.pem\n  for all",
            "signers nowhere\n  for aadhaar", "aes-key short.hex", "aes-key nowhere", "issuer a\n  issuer-less maybe",
            "issuer a\n  pem key.pem md5 \(zeros)", "issuer a\n  pem key.pem sha256", "issuer a\n  pem nowhere",
        ]
    }
}
