import CloudAgentConformance
import CryptoSuite
import DIDComm
import TestSupport
import Testing

@testable import CloudAgent

@Suite struct MediatorSecretTests {
    private static func secret(_ byte: UInt8, count: Int = 32) throws -> MediatorSecret {
        try MediatorSecret(Secret(copying: [UInt8](repeating: byte, count: count)))
    }

    @Test func `a mediator secret has 32 bytes`() throws {
        for count in [31, 33] {
            #expect(throws: CloudAgentError(.secretMalformed, "")) { try Self.secret(1, count: count) }
        }
        _ = try Self.secret(1)
    }

    @Test func `data sealed with a mediator secret opens only with the same secret and for the same purpose`() throws {
        let (secret, other) = (try Self.secret(1), try Self.secret(2))
        let sealed = secret.seal([1, 2, 3], as: .account)
        #expect(try secret.open(sealed, as: .account) == [1, 2, 3])
        #expect(secret.seal([1, 2, 3], as: .account) != sealed, "each time with another nonce")
        let damaged = CloudAgentError(.damaged, "")
        #expect(throws: damaged) { try other.open(sealed, as: .account) }
        #expect(throws: damaged) { try secret.open(sealed, as: .ownKey) }
        #expect(throws: damaged) { try secret.open(Array(sealed.dropLast()), as: .account) }
        #expect(throws: damaged) { try secret.open([], as: .account) }
    }

    @Test func `keys and hashes derived from a mediator secret are equal for the same secret and differ for others`()
        throws
    {
        let (secret, same, other) = (try Self.secret(1), try Self.secret(1), try Self.secret(2))
        #expect(secret.key("a").verkey == same.key("a").verkey && secret.key("a").verkey != other.key("a").verkey)
        #expect(secret.key("a", [[1], [2]]).verkey != secret.key("a", [[1, 2], []]).verkey)
        let key = secret.key("b").verkey
        #expect(secret.hash(key) == same.hash(key) && secret.hash(key) != other.hash(key))
        #expect(secret.claim("1") != secret.claim("2"))
    }

    @Test func `a cloud agent store belongs to the secret that claimed it first`() async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite")
            try await Self.secret(1).claim(store)
            try await Self.secret(1).claim(store)
            await #expect(throws: CloudAgentError(.secretWrong, "")) { try await Self.secret(2).claim(store) }
            await store.close()
        }
    }

    @Test func `a cloud agent store address names a file or a database`() throws {
        #expect(try StoreAddress(parsing: "sqlite:a/b") == .sqlite(path: "a/b"))
        for text in ["postgres://u:secret@h/d", "postgresql:///d"] {
            let address = try StoreAddress(parsing: text)
            #expect(address == .postgres(address: text) && address.description == "postgres", "no password is shown")
            // A shorter text may be an address, too, but none without its kind.
            let accepted = DecoderVerifier.acceptedTruncations(of: Array(text.utf8)) {
                try StoreAddress(parsing: String(decoding: $0, as: UTF8.self))
            }
            #expect(accepted.first == (text.hasPrefix("postgres:") ? 12 : 14))
        }
        for text in ["", "sqlite:", "postgres://", "file:x", "sqlite:a\u{0}b"] {
            #expect(throws: CloudAgentError(.path, "")) { try StoreAddress(parsing: text) }
        }
    }

    #if !PostgreSQL
        @Test func `a program built without PostgreSQL refuses such a store address and says so`() async throws {
            let address = try StoreAddress(parsing: "postgres:///d")
            await #expect(throws: CloudAgentError(.unsupported, "")) { try await address.open() }
        }
    #endif
}
