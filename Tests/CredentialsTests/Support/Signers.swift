import ByteCoding
import CryptoSuite
import Determinism
import JSON
import Testing

@testable import Credentials

/// The keys that samples and forgeries are signed with.
enum Signer {
    case ed25519(Secret)
    case ecdsa(ECDSA.PrivateKey)
    case rsa(RSA.PrivateKey)

    /// The Ed25519 key with the bytes 00 to 1f as seed.
    static let edwards = Signer.ed25519(Secret(copying: 0..<32))
    static let p256 = named("symbolon p256", .p256)
    static let k1 = named("symbolon k1", .secp256k1)
    static let holder = named("symbolon holder", .p256)
    static let stranger = named("symbolon stranger", .p256)
    static let brainpool = named("symbolon brainpool", .brainpoolP256r1)
    static let p384 = named("symbolon p384", .p384)
    static let p521 = named("symbolon p521", .p521)
    /// A key of P-256 whose point has an even second coordinate, so that its compressed form begins with 2.
    static let even = named("symbolon even 0", .p256)
    static let large: Signer = {
        var random = SeededRandom(seed: 7)
        guard let key = try? RSA.PrivateKey.make(bitCount: 2048, from: &random) else {
            preconditionFailure("no RSA key")
        }
        return .rsa(key)
    }()

    private static func named(_ name: String, _ curve: ECDSA.Curve) -> Signer {
        var scalar = SHA256.hash(Array(name.utf8))
        if curve == .p384 { scalar = SHA2.sha384.hash(Array(name.utf8)) }
        if curve == .p521 { scalar = [0, 0] + SHA2.sha512.hash(Array(name.utf8)) }
        guard let key = try? ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: scalar)) else {
            preconditionFailure("no key of this name")
        }
        return .ecdsa(key)
    }

    var algorithm: String {
        switch self {
        case .ed25519: "EdDSA"
        case .ecdsa(let key):
            switch key.publicKey.curve {
            case .p256, .brainpoolP256r1: "ES256"
            case .p384, .brainpoolP320r1, .brainpoolP384r1: "ES384"
            case .p521, .brainpoolP512r1: "ES512"
            case .secp256k1: "ES256K"
            }
        case .rsa: "RS256"
        }
    }

    /// Signs a message as JOSE and COSE do; for RSA keys with the hash of `algorithm`.
    func sign(_ message: [UInt8], algorithm: String? = nil) -> [UInt8] {
        let signature: [UInt8]?
        switch self {
        case .ed25519(let seed): signature = try? Ed25519.sign(message, seed: seed)
        case .ecdsa(let key):
            let hash: SHA2 = key.publicKey.curve == .p384 ? .sha384 : key.publicKey.curve == .p521 ? .sha512 : .sha256
            signature = try? key.sign(message, hash: hash)
        case .rsa(let key):
            let salted: [String: (hash: SHA2, count: Int)] = [
                "PS256": (.sha256, 32), "PS384": (.sha384, 48), "PS512": (.sha512, 64),
            ]
            signature =
                if let (hash, count) = algorithm.flatMap({ salted[$0] }) {
                    try? key.signPSS(message, hash: hash, salt: [UInt8](repeating: 5, count: count))
                } else {
                    try? key.signPKCS1(message, hash: .sha256)
                }
        }
        return signature ?? []
    }

    /// The public key as JWK.
    var jwk: JSONObject {
        switch self {
        case .ed25519(let seed):
            ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode((try? Ed25519.publicKey(for: seed)) ?? []))]
        case .ecdsa(let key):
            [
                "kty": "EC", "crv": .string(Self.names[key.publicKey.curve] ?? ""),
                "x": .string(Base64URL.encode(key.publicKey.x)), "y": .string(Base64URL.encode(key.publicKey.y)),
            ]
        case .rsa(let key):
            [
                "kty": "RSA", "n": .string(Base64URL.encode(key.publicKey.modulus)),
                "e": .string(Base64URL.encode(key.publicKey.exponent)),
            ]
        }
    }

    private static let names: [ECDSA.Curve: String] = [
        .p256: "P-256", .p384: "P-384", .p521: "P-521", .secp256k1: "secp256k1",
    ]

    /// The public key in PEM: its SubjectPublicKeyInfo, after a change of the bytes.
    func publicKeyPEM(_ change: (inout [UInt8]) -> Void = { _ in }) -> String {
        let key: CertificateTemplate.SigningKey =
            switch self {
            case .ed25519(let seed): .ed25519(seed)
            case .ecdsa(let key): .ecdsa(key)
            case .rsa(let key): .rsa(key)
            }
        guard var bytes = try? key.subjectPublicKeyInfo() else { preconditionFailure("no public key") }
        change(&bytes)
        return "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(bytes))\n-----END PUBLIC KEY-----\n"
    }

    /// Removes the last byte of the key in an Ed25519 SubjectPublicKeyInfo, with lengths that fit.
    static func shortenKey(_ bytes: inout [UInt8]) {
        bytes[1] -= 1
        bytes[10] -= 1
        bytes.removeLast()
    }

    /// The did:key of the public key.
    var did: String {
        switch self {
        case .ed25519(let seed):
            "did:key:" + Multibase.encode([0xED, 0x01] + ((try? Ed25519.publicKey(for: seed)) ?? []))
        case .ecdsa(let key):
            "did:key:" + Multibase.encode((Self.prefixes[key.publicKey.curve] ?? []) + key.publicKey.compressed)
        case .rsa: "did:jwk:" + Base64URL.encode(jwk.encoded)
        }
    }

    private static let prefixes: [ECDSA.Curve: [UInt8]] = [
        .p256: [0x80, 0x24], .p384: [0x81, 0x24], .p521: [0x82, 0x24], .secp256k1: [0xE7, 0x01],
    ]

    /// The DID URL of the verification method, which is the only key of `did`.
    var method: String { did.hasPrefix("did:jwk:") ? did + "#0" : did + "#" + did.dropFirst("did:key:".count) }

    /// Makes a compact signed token (JWS) of a header and a payload.
    func token(_ header: JSONObject, _ payload: JSONObject) -> String {
        token(headerText: header.text, payload: payload.encoded, algorithm: header["alg"]?.string)
    }

    /// Makes a compact signed token (JWS) of any header text and payload bytes.
    func token(headerText: String, payload: [UInt8], algorithm: String? = nil) -> String {
        let input = Base64URL.encode(Array(headerText.utf8)) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(sign(Array(input.utf8), algorithm: algorithm))
    }
}

/// Edits a compact token without signing it again.
enum TokenEdit {
    /// Changes the decoded bytes of one part of a token.
    static func part(_ index: Int, of token: String, _ change: (inout [UInt8]) -> Void) -> String {
        text(index, of: token) { text in
            var bytes = Base64URL.decode(text) ?? []
            change(&bytes)
            return Base64URL.encode(bytes)
        }
    }

    /// Changes the encoded text of one part of a token.
    static func text(_ index: Int, of token: String, _ change: (String) -> String) -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[index] = change(parts[index])
        return parts.joined(separator: ".")
    }
}

/// Sample requests to verify a credential: a policy, trust and time.
extension VerificationRequest {
    static func sample(at seconds: Double = 1_735_689_760, _ trust: TrustStore) -> VerificationRequest {
        VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
    }
}

/// One forgery of a credential: its change, and the code that the report must have.
struct Forgery<Sample>: CustomTestStringConvertible, Sendable {
    let number: Int
    let name: String
    let code: CredentialError.Code
    var result: CredentialReport.CredentialVerdict
    let change: @Sendable (inout Sample) -> Void

    init(
        _ number: Int, _ name: String, _ code: CredentialError.Code,
        _ result: CredentialReport.CredentialVerdict? = nil,
        _ change: @escaping @Sendable (inout Sample) -> Void
    ) {
        self.number = number
        self.name = name
        self.code = code
        self.result = result ?? (code.outcome == .failed ? .refused : .notChecked)
        self.change = change
    }

    var testDescription: String { "\(number) \(name)" }
}
