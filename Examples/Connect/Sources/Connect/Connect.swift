// Two agents of one machine connect and exchange texts: what a wallet does with the library, and nothing else.
//
// The wallet opens its agent on a folder, accepts a link, and waits. Then it is closed and opened again, as an application is:
// all that it has to remember is the connection's name.

import AriesConnections
import FoundationEssentials

@main
struct Connect {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "connect-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // An application keeps the key where its system keeps secrets.
        var random = SystemRandom()
        let key = VaultKey.keyFile(Secret(copying: random.bytes(count: VaultKeyFile.keyCount)))

        // The inviter listens on a free port of this machine; a wallet needs no address.
        let bank = try await Agent.open(
            folder: folder + "/bank", key: key, label: "Bank", reach: .listener(ServerConfiguration()))
        let link = try await bank.invite(InvitationDraft(.outOfBand, label: "Bank")).link(base: "https://bank.example")
        print("The bank invites: \(link.prefix(40))…")
        var wallet = try await openWallet(folder, key)
        guard case .invitation(let invitation) = try InvitationText(parsing: link) else { return }
        let begun = try await wallet.accept(invitation, name: "My bank")
        for await stage in begun.stages { print("The wallet's connection is \(stage.rawValue)") }

        // The process ends and begins again: a handle by name goes on at any stage.
        await wallet.close()
        wallet = try await openWallet(folder, key)
        guard let connection = try await wallet.connection(begun.id) else { return }
        let completed = try await connection.completed(within: .seconds(30))
        print("The wallet is connected with \(completed.label ?? "an inviter without a name")")

        // Both sides send; events say what arrived.
        let events = await bank.events()
        try await connection.send(text: "Good morning.")
        for await event in events {
            guard case .received(_, .text(let message)) = event else { continue }
            print("The bank reads: \(message.content)")
            break
        }
        await wallet.close()
        await bank.close()
    }

    /// Opens the wallet's agent; addresses of this machine are allowed, because the bank of this example has one.
    static func openWallet(_ folder: String, _ key: VaultKey) async throws -> Agent {
        try await Agent.open(folder: folder + "/wallet", key: key, label: "Wallet", policy: .allowPrivate)
    }
}
