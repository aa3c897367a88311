import ByteCoding
import CryptoSuite
import Determinism
import JSON

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Writes a trust store as a trust file, with the files that it names.
///
/// Files are named by their contents, so that cases share them.
struct KitTrustFile {
    /// The files beside the trust file, by name.
    private(set) var files: [String: [UInt8]] = [:]
    private var lines: [String] = []

    init(_ request: VerificationRequest) {
        let trust = request.trust
        for method in trust.methods { lines.append("method \(method)") }
        for issuer in trust.issuers { add(issuer) }
        for key in trust.keys {
            lines.append("key \(Self.word(key.address))")
            lines.append("  file " + pin(key.document))
            lines.append("  for " + key.issuers.map(Self.word).joined(separator: " "))
        }
        for context in trust.contexts { add(context) }
        for root in trust.roots { add(root) }
        for list in trust.authorityLists {
            lines.append("vical \(add(list.bytes, "cbor"))")
            lines.append("  root \(add(list.root, "der"))")
        }
        for list in trust.statusLists {
            lines.append("status-list \(Self.word(list.address))")
            lines.append("  file \(add(list.bytes, Self.suffix(of: list.bytes)))")
            lines.append("  fetched \(Self.text(of: list.fetchedAt))")
            if list.maximumAgeSeconds != PinnedStatusList.usualMaximumAgeSeconds {
                lines.append("  max-age \(Int(list.maximumAgeSeconds))s")
            }
        }
        for list in trust.signerLists {
            let texts = list.signers.map { Self.pem(ofCertificate: $0.certificate.der) }
            lines.append("signers \(add(Array(texts.joined().utf8), "pem"))")
            lines.append("  for " + list.purposes.map(\.rawValue).joined(separator: " "))
            if let name = list.name { lines.append("  name \(Self.word(name))") }
        }
        for key in trust.decryptionKeys {
            lines.append("aes-key \(add(Array(Hex.encode(key.copyBytes()).utf8), "hex"))")
        }
        for list in trust.revocationLists { lines.append("revocation-list \(add(list, "der"))") }
        add(request.policy)
    }

    /// The text of the trust file.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The name of the trust file, by its text.
    var name: String { Self.name(of: Array(text.utf8), "txt") }

    /// A time as a trust file and the command have it.
    static func text(of time: WallTime) -> String {
        Date(timeIntervalSince1970: Double(time.millisecondsSinceEpoch) / 1000).formatted(.iso8601)
    }

    private mutating func add(_ issuer: TrustedIssuer) {
        lines.append("issuer \(Self.word(issuer.identifier))")
        if let name = issuer.name { lines.append("  name \(Self.word(name))") }
        if let document = issuer.document { lines.append("  document " + pin(document)) }
        if let key = issuer.pemKey { lines.append("  pem " + add(Self.pem(of: key), "pem")) }
        if let keys = issuer.keySet { lines.append("  keys " + pin(keys)) }
        if issuer.acceptsIssuerless { lines.append("  issuer-less accept") }
        if issuer.relationships != .listed { lines.append("  relationships \(issuer.relationships.rawValue)") }
        let lists = [("types", issuer.types), ("contexts", issuer.contexts ?? []), ("status", issuer.statusIssuers)]
        for (name, values) in lists where !values.isEmpty {
            lines.append("  \(name) " + values.map(Self.word).joined(separator: " "))
        }
    }

    private mutating func add(_ context: PinnedJSONLDContext) {
        lines.append("context \(context.address ?? "inline")")
        if let document = context.document { lines.append("  file \(add(document.encoded, "json"))") }
        lines.append("  jcs-sha256 \(Hex.encode(context.digest))")
        if context.acceptsLabels { lines.append("  labels accept") }
    }

    private mutating func add(_ root: TrustedRoot) {
        lines.append("root \(add(root.certificate, "der"))")
        if let name = root.name { lines.append("  name \(Self.word(name))") }
        if !root.statusIssuers.isEmpty {
            lines.append("  status " + root.statusIssuers.map(Self.word).joined(separator: " "))
        }
        if root.isLenient { lines.append("  profile lenient") }
        switch root.purpose {
        case .mobileDocuments(let types, let country):
            let words = types.map { "doctype \($0)" } + (country.map { ["country \($0)"] } ?? [])
            lines.append("  for " + (["mdoc"] + words).joined(separator: " "))
        case .tokens(let issuers, let types):
            let words = issuers.map { "issuer \(Self.word($0))" } + types.map { "type \(Self.word($0))" }
            lines.append("  for " + (["tokens"] + words).joined(separator: " "))
        }
    }

    private mutating func add(_ policy: VerificationPolicy) {
        let usual = VerificationPolicy()
        var settings: [String] = []
        let names: [(VerificationPolicy.CheckRequirement, String)] = [
            (.required, "require"), (.wanted, "want"), (.reported, "report"),
        ]
        // Demands of the holder by a nonce, an audience or the manifest are not said again.
        var own = policy
        (own.nonce, own.audience) = (nil, nil)
        let isAsked = (policy.nonce ?? policy.audience) != nil
        if isAsked, own.requiresHolderProof { settings.append("  require holder") }
        for (demand, name) in names {
            let kinds = CredentialCheck.Kind.allCases.filter {
                policy.demand(on: $0) == demand && usual.demand(on: $0) != demand && $0 != .status
                    && ($0 != .holder || demand != .required)
            }
            if !kinds.isEmpty { settings.append("  \(name) " + kinds.map(\.rawValue).joined(separator: " ")) }
        }
        if policy.isStatusOptional { settings.append("  status optional") }
        if policy.requiresFreshStatus { settings.append("  fresh-status require") }
        if policy.toleranceSeconds != usual.toleranceSeconds {
            settings.append("  tolerance \(Int(policy.toleranceSeconds))s")
        }
        if !settings.isEmpty { lines += ["policy"] + settings }
    }

    private mutating func pin(_ document: JSONValue) -> String {
        let bytes = document.encoded
        return "\(add(bytes, "json")) sha256 \(Hex.encode(SHA256.hash(bytes)))"
    }

    private mutating func add(_ bytes: [UInt8], _ suffix: String) -> String {
        let name = Self.name(of: bytes, suffix)
        files[name] = bytes
        return name
    }

    /// The PEM text of a key, which is that of a signer.
    private static func pem(of key: VerificationKey) -> [UInt8] {
        let texts = [Signer.p256, .edwards, .large].map { Array($0.publicKeyPEM().utf8) }
        return texts.first { (try? VerificationKey(pem: $0)) == key } ?? []
    }

    private static func pem(ofCertificate der: [UInt8]) -> String {
        "-----BEGIN CERTIFICATE-----\n\(Base64.encode(der))\n-----END CERTIFICATE-----\n"
    }

    private static func suffix(of bytes: [UInt8]) -> String {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return "cbor" }
        return bytes.first == 0x7B ? "json" : "txt"
    }

    /// The name of a file: the first bytes of its digest.
    static func name(of bytes: [UInt8], _ suffix: String) -> String {
        Hex.encode(SHA256.hash(bytes).prefix(6)) + "." + suffix
    }

    private static func word(_ text: String) -> String {
        text.contains(where: \.isWhitespace) || text.hasPrefix("#") || text.isEmpty ? "\"\(text)\"" : text
    }
}
