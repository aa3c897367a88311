import Aries
import CryptoSuite
import DIDComm

/// Signs data with the keys of connections: Ed25519 over a line that names the purpose, and the data.
final class ConnectionDataSigner {
    /// A prefix of the data, so that data which a peer asks us to sign cannot be a signed part of a protocol.
    private static let purpose = Array("symbolon signed data 1\n".utf8)

    private let handshakes: ConnectionHandshakes
    private let keys: KeyStore

    init(handshakes: ConnectionHandshakes, keys: KeyStore) { (self.handshakes, self.keys) = (handshakes, keys) }

    /// The signature of `data` by our key of a connection.
    func sign(_ data: [UInt8], on id: String) async throws -> [UInt8] {
        let connection = try await handshakes.living(id)
        guard let key = try await keys.key(connection.ours.key)?.key else {
            throw AgentError(.keyMissing, "The key of the connection is not in the store.")
        }
        return try Ed25519.sign(Self.purpose + data, seed: key.seed)
    }

    /// Returns true when the other side of a connection has signed `data`.
    func verify(_ signature: [UInt8], of data: [UInt8], on id: String) async throws -> Bool {
        let connection = try await handshakes.living(id)
        return connection.theirs.verkeys.contains { key in
            Ed25519.verify(signature: signature, message: Self.purpose + data, publicKey: key.bytes)
        }
    }
}
