import Aries
import CryptoSuite
import DIDComm

/// Signing data with the keys of a connection.
///
/// A signature is one of Ed25519 over a line that names the purpose and then the data, so that data that somebody asks to
/// have signed cannot turn out to be a step of a protocol.
extension Agent {
    private static let purpose = Array("symbolon signed data 1\n".utf8)

    /// Signs data with our key of a connection.
    ///
    /// - Returns: 64 bytes.
    /// - Throws: `agent.connection.*`, `agent.key.missing`, `agent.*`, and errors of the store.
    public func sign(_ data: [UInt8], on id: String) async throws -> [UInt8] {
        try await perform { agent in
            let connection = try await agent.livingConnection(id)
            guard let key = try await agent.keyRecord(connection.ours.key)?.key else {
                throw AgentError(.keyMissing, "The key of the connection is not in the store.")
            }
            return try Ed25519.sign(Self.purpose + data, seed: key.seed)
        }
    }

    /// Whether the other side of a connection has signed data.
    ///
    /// - Throws: `agent.connection.*`, `agent.*`, and errors of the store.
    public func verify(_ signature: [UInt8], of data: [UInt8], on id: String) async throws -> Bool {
        try await perform { agent in
            let connection = try await agent.livingConnection(id)
            return connection.theirs.verkeys.contains { key in
                Ed25519.verify(signature: signature, message: Self.purpose + data, publicKey: key.bytes)
            }
        }
    }
}
