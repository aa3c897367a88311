import Aries
import AriesConnections
import ConnectionCommands
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import Vault
import WebAddressing

/// Makes vaults with the content that a test needs.
package enum SampleVault {
    /// Makes a vault of one large record, and flips a bit in the middle of it.
    package static func makeDamaged(_ path: String, _ keyFile: String) async throws {
        var random = SystemRandom()
        let key = try VaultKeyFile.create(at: keyFile, random: &random)
        let vault = try await Vault.create(at: path, key: .keyFile(key))
        try await vault.insert("a", in: "x", value: [UInt8](repeating: 1, count: 200_000))
        await vault.close()
        let database = URL(filePath: "\(path)/vault.sqlite")
        var bytes = try Data(contentsOf: database)
        bytes[bytes.count / 2 + 2000] ^= 1
        try bytes.write(to: database)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database.path())
    }

    /// Begins a connection in a vault, whose inviter never answers; returns its identifier.
    ///
    /// - Parameter isMediator: True when the inviter is to be our mediator.
    package static func makeConnection(in vault: String, keyFile: String, isMediator: Bool = false) async throws
        -> String
    {
        let opened = try await Vault.open(at: vault, key: .keyFile(VaultKeyFile.read(keyFile)))
        let agent = Agent(
            store: opened, transport: NonSendingTransport(), configuration: AgentConfiguration(label: "A"),
            wallTime: { WallTime(millisecondsSinceEpoch: 0) })
        try await agent.start()
        let endpoint = try ServiceEndpoint(parsing: "https://example.org")
        var random = SystemRandom()
        let address = AgentAddress(key: AgentKey.make(from: &random).verkey, endpoint: endpoint)
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        (draft.goal, draft.imageURL) = ("To talk", "https://example.org/logo.png")
        let invitation = try draft.invitation(id: "1", address: address)
        let connection =
            try await isMediator ? agent.useMediator(invitation) : agent.accept(invitation, name: "Them")
        await agent.stop()
        await opened.close()
        return connection.id
    }
}
