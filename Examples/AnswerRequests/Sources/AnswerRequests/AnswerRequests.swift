// A shop invites a wallet and attaches a request; the wallet answers it with a handler of the request's protocol.
//
// The protocol is the small one of RFC 0509: who asks for a menu gets one. A handler of issue-credential or
// present-proof has the same shape: it reads the request, asks its user, and returns the answering message.

import AriesConnections
import FoundationEssentials

/// Answers requests for a menu.
struct MenuHandler: RequestHandler {
    static let spoken = MessageProtocol("action-menu", 1, 0)
    static let menu = MessageType(spoken, "menu")
    let features = [FeatureList.Feature(spoken, roles: ["responder"])]

    func answer(to request: AttachedRequest) -> RequestAnswer {
        RequestAnswer(
            Self.menu,
            body: [
                "title": "What may we know?", "description": "Choose one.",
                "options": [["name": "name", "title": "My name"], ["name": "nothing", "title": "Nothing"]],
            ])
    }
}

@main
struct AnswerRequests {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "answer-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // An application keeps the key where its system keeps secrets.
        var random = SystemRandom()
        let key = VaultKey.keyFile(Secret(copying: random.bytes(count: VaultKeyFile.keyCount)))

        let shop = try await Agent.open(
            folder: folder + "/shop", key: key, label: "Shop", reach: .listener(ServerConfiguration()))
        var draft = InvitationDraft(.outOfBand, label: "Shop")
        let request = Message(MessageType(MenuHandler.spoken, "menu-request"), id: await shop.makeID())
        draft.requests = [
            MessageAttachment(id: "request-0", mimeType: "application/json", content: .json(.object(request.object)))
        ]
        let invitation = try await shop.invite(draft)
        let answers = await shop.events()

        // The address of this example's shop is of this machine, which a wallet refuses unless it is told otherwise.
        let wallet = try await Agent.open(folder: folder + "/wallet", key: key, label: "Wallet", policy: .allowPrivate)
        {
            $0.requestHandlers = [MenuHandler()]
        }
        let told = await wallet.events()
        let connection = try await wallet.accept(invitation)
        for await event in told {
            guard case .requested(let request) = event else { continue }
            print("The wallet is asked for \(request.message.type.name)")
            // Here an application asks its user, and has the request answered or declined.
            if connection.handler(of: request) != nil { try await connection.answer(request) }
            break
        }
        for await event in answers {
            guard case .received(_, .other(let message)) = event, message.threadID == request.id else { continue }
            print("The shop gets: \(message.object["title"]?.string ?? "")")
            break
        }
        await wallet.close()
        await shop.close()
    }
}
