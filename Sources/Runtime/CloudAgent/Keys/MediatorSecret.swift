import ByteCoding
public import CryptoSuite
package import DIDComm
import Determinism
import JSON

/// The one secret of a cloud agent: the keys for hashing and sealing in its store are derived from it.
///
/// The store alone shows how many accounts, keys and messages there are, how large and how old, and nothing of their
/// owners. All instances on one store need the same secret; without it the store is useless.
public final class MediatorSecret: Sendable {
    /// The length of the secret in bytes.
    public static let byteCount = 32

    /// The purpose of a sealed value: it can be unsealed for this purpose only.
    enum Purpose: String, Sendable {
        case account
        case clientKey = "client key"
        case ownKey = "own key"
        case wake
        case name
        case answer
        case shortLink = "short link"
    }

    private let hashing: Secret
    private let sealing: Secret
    private let seeding: Secret

    /// Takes 32 random bytes.
    ///
    /// - Throws: `cloud.secret.malformed` for any other number.
    public init(_ secret: Secret) throws(CloudAgentError) {
        guard secret.count == Self.byteCount else {
            throw CloudAgentError(.secretMalformed, "The secret of a cloud agent has \(Self.byteCount) bytes.")
        }
        do throws(CryptoError) {
            hashing = try Self.derive(secret, "hashing")
            sealing = try Self.derive(secret, "sealing")
            seeding = try Self.derive(secret, "seeding")
        } catch {
            throw CloudAgentError(.internal, "No keys can be derived: \(error)")
        }
    }

    private static func derive(_ secret: Secret, _ name: String) throws(CryptoError) -> Secret {
        try HKDF.deriveSHA256(inputKey: secret, salt: [], info: Array("symbolon-cloud-1 \(name)".utf8), count: 32)
    }

    /// Keyed hash by which a key is found in the store.
    package func hash(_ key: Verkey) -> KeyHash { hash("key", key.bytes) }

    /// MAC that proves that an account was opened under this name.
    func hash(name: String) -> KeyHash { hash("name", Array(name.utf8)) }

    /// Keyed hash of an `@id`, by which a repeated message of a client is recognised.
    func claim(_ id: String) -> KeyHash { hash("claim", Array(id.utf8)) }

    /// Keyed hash of the `@id` of a message that shows that its client was active.
    func sign(_ id: String) -> KeyHash { hash("sign", Array(id.utf8)) }

    /// Keyed hash of the name of a short link, by which its invitation is found.
    func hash(shortLink name: String) -> KeyHash { hash("short link", Array(name.utf8)) }

    /// The name of the short link that a client asked for by the message with this `@id`: 23 characters, 72 bits of
    /// which cannot be guessed, and which show the account to agents with this secret only.
    func shortLinkName(of account: Int64, for id: String) -> String {
        let tag = Array(hash("short link tag", Array("\(account) \(id)".utf8)).bytes.prefix(9))
        let masked = UInt64(bitPattern: account) ^ shortLinkMask(tag)
        return Base64URL.encode(tag + (0..<8).map { UInt8(truncatingIfNeeded: masked >> (56 - 8 * $0)) })
    }

    /// The account of the client whose short link has this name; nil for a name that cannot be one.
    func account(ofShortLink name: String) -> Int64? {
        guard let bytes = Base64URL.decode(name), bytes.count == 17 else { return nil }
        let masked = UInt64(bigEndianBytes: bytes.suffix(8))
        let number = masked ^ shortLinkMask(Array(bytes.prefix(9)))
        // No store has as many accounts, so that hardly any guessed name is looked up.
        return (1..<(1 << 40)).contains(number) ? Int64(number) : nil
    }

    private func shortLinkMask(_ tag: [UInt8]) -> UInt64 {
        UInt64(bigEndianBytes: hash("short link account", tag).bytes.prefix(8))
    }

    /// The mark that a store of this secret holds, by which the use of another secret is noticed.
    var mark: [UInt8] { hash("mark", []).bytes }

    private func hash(_ kind: String, _ bytes: [UInt8]) -> KeyHash {
        let tag = HMACSHA256.authenticate(Array("\(kind)\u{0}".utf8) + bytes, key: hashing)
        guard let hash = KeyHash(tag) else { preconditionFailure("a tag has as many bytes as a hash") }
        return hash
    }

    /// Derives a key of the mediator from the secret, so that each instance has the same one.
    func key(_ name: String, _ parts: [[UInt8]] = []) -> AgentKey {
        var text = Array("\(name)\u{0}".utf8)
        for part in parts { text += Array("\(part.count) ".utf8) + part }
        var seed = HMACSHA256.authenticate(text, key: seeding)
        guard let key = try? AgentKey(seed: Secret(consuming: &seed)) else {
            preconditionFailure("a tag has as many bytes as a seed")
        }
        return key
    }

    /// The key that signs the wake-ups of an account at an address.
    func wakeKey(of routing: Verkey, for webhook: ServiceEndpoint) -> WebhookKey {
        var text = Array("wake\u{0}".utf8) + routing.bytes
        text += Array(webhook.text.utf8)
        var bytes = HMACSHA256.authenticate(text, key: seeding)
        return WebhookKey(Secret(consuming: &bytes))
    }

    /// Derives an identifier from the secret, so that each instance has the same one.
    func identifier(_ name: String) -> String {
        Hex.encode(Array(hash("identifier", Array(name.utf8)).bytes.prefix(16)))
    }

    /// The name under which an account was opened; nil for none, or when the account was sealed with another secret.
    public func name(of account: AccountEntry) -> String? { try? AccountRecord(account.body, by: self).name }

    /// Seals bytes for agents with this secret.
    func seal(_ bytes: [UInt8], as purpose: Purpose) -> [UInt8] {
        var random = SystemRandom()
        let nonce = random.bytes(count: AuthenticatedCipher.xChaChaPoly.nonceCount)
        let sealed = try? AuthenticatedCipher.xChaChaPoly.seal(
            bytes, key: sealing, nonce: nonce, additionalData: Array(purpose.rawValue.utf8))
        guard let sealed else { preconditionFailure("what a store holds is short enough to be sealed") }
        return nonce + sealed
    }

    /// Unseals what was sealed for this purpose.
    ///
    /// - Throws: `cloud.store.damaged`.
    func open(_ bytes: [UInt8], as purpose: Purpose) throws(CloudAgentError) -> [UInt8] {
        guard bytes.count > AuthenticatedCipher.xChaChaPoly.nonceCount else { throw Self.damaged }
        do throws(CryptoError) {
            return try AuthenticatedCipher.xChaChaPoly.open(
                bytes[AuthenticatedCipher.xChaChaPoly.nonceCount...], key: sealing,
                nonce: Array(bytes[..<AuthenticatedCipher.xChaChaPoly.nonceCount]),
                additionalData: Array(purpose.rawValue.utf8))
        } catch {
            throw Self.damaged
        }
    }

    /// Marks a new store, and checks the mark of an existing one.
    ///
    /// - Throws: `cloud.secret.wrong`, and what the store throws.
    public func claim(_ store: any MediatorStore) async throws(CloudAgentError) {
        if let kept = try await Self.mark(of: store) { return try check(kept) }
        try await probe(store)
    }

    /// Marks a new store or checks its mark, as `claim`, but always in a writing step, which fails when the disk is
    /// full.
    func probe(_ store: any MediatorStore) async throws(CloudAgentError) {
        let mark = mark
        try check(try await store.write(adding: mark.count) { try $0.settings.settle(Self.setting, mark) })
    }

    /// The setting of a store that holds the mark of its secret.
    private static let setting = "secret"

    /// Reads the mark of a store's secret; nil for a store without one.
    static func mark(of store: any MediatorStore) async throws(CloudAgentError) -> [UInt8]? {
        try await store.read { try $0.settings.value(setting) }
    }

    private func check(_ kept: [UInt8]) throws(CloudAgentError) {
        guard ConstantTime.equals(kept, mark) else {
            throw CloudAgentError(.secretWrong, "The store was made with another secret.")
        }
    }

    private static var damaged: CloudAgentError {
        CloudAgentError(.damaged, "Something sealed in the store does not open.")
    }
}
