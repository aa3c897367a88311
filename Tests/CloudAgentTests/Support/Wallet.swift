import Aries
import AriesConnections
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import Vault
import WebAddressing
import WebTransport

/// A wallet's agent on a vault in a test's temporary folder.
final class Wallet: Sendable {
    let agent: Agent
    private let vault: Vault
    private let service: WebService

    static let time: @Sendable () -> WallTime = { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) }

    /// Opens the wallet of this name, and creates it if it does not exist.
    init(
        _ name: String, in folder: String,
        transport: (WebService) -> any MessageTransport = { WebMessageTransport($0, policy: .allowPrivate) },
        change: @Sendable (inout AgentConfiguration) -> Void = { _ in }
    ) async throws {
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))
        let path = "\(folder)/\(name)"
        vault =
            FileManager.default.fileExists(atPath: path)
            ? try await Vault.open(at: path, key: key) : try await Vault.create(at: path, key: key)
        service = WebService()
        var configuration = AgentConfiguration(label: name)
        configuration.mediator.retryAfter = [.milliseconds(50)]
        change(&configuration)
        agent = Agent(
            store: vault, transport: transport(service), configuration: configuration,
            random: SystemRandom(), wallTime: Self.time)
        try await agent.start()
    }

    func stop() async {
        await agent.stop()
        await service.stop()
        await vault.close()
    }

    /// Makes a cloud agent the wallet's mediator; returns when mediation is granted.
    @discardableResult
    func use(_ invitation: Invitation) async throws -> MediationClientSummary {
        _ = try await agent.useMediator(invitation).completed()
        return try await agent.mediated(within: .seconds(60))
    }

    /// The texts that the wallet received on a connection, in their order.
    func texts(on connection: String) async throws -> [String] {
        var (found, cursor): ([ConnectionMessage], RecordCursor?) = ([], nil)
        repeat {
            let page = try await agent.messages(on: connection, after: cursor)
            found += page.messages
            cursor = page.next
        } while cursor != nil
        return found.filter { $0.direction == .received }.compactMap { $0.message.object["content"]?.string }
    }

    func send(_ text: String, on connection: String) async throws {
        let id = await agent.makeID()
        try await agent.send(BasicMessage(text, sent: nil).message(id: id), on: connection)
    }

    /// Connects two wallets; returns the identifier of the connection at each.
    static func connect(_ inviter: Wallet, _ invitee: Wallet) async throws -> (inviter: String, invitee: String) {
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let connection = try await invitee.agent.accept(invitation).completed()
        for _ in 0..<6000 {
            for known in try await inviter.agent.connections().connections
            where known.stage == .completed && known.role == .inviter {
                return (known.id, connection.id)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Unconnected()
    }

    private struct Unconnected: Error {}
}

/// Polls until a condition holds, for a minute at most; false when it never did.
func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<6000 {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
