import Aries
import AriesConnections
import ByteCoding
package import CommandProgram
import DIDComm
import Determinism
package import Terminal

/// `symbolon mediator wake`: sets an address that the mediator posts to when messages wait and nothing runs here.
package enum MediatorWakeCommand {
    /// The change of the wake-up webhook that the command requests.
    private enum WebhookChange: Sendable {
        case off
        case at(ServiceEndpoint)
    }

    private static let change = Operand(
        ValueKind<WebhookChange>("URL|off") { (text) throws(InvalidValue) in
            if text == "off" { return .off }
            guard let endpoint = try? ServiceEndpoint(parsing: text), [.http, .https].contains(endpoint.transport)
            else {
                throw InvalidValue(
                    "is not an address that can be posted to", advice: "Write https:// and a host, or off")
            }
            return .at(endpoint)
        }, "The address to post to, or off to stop; without it you are asked.", arity: .optional)
    private static let token = ValueOption(
        "token", .text("TEXT"), "The token in each post, by which you know the vault (drawn at random).")

    package static let declaration = CommandDeclaration(
        "wake", "Asks the mediator to post to your address when messages wait.",
        discussion: [
            "It posts once for all messages that wait, while the wallet is not connected to it. The post contains only the "
                + "token, as {\"token\":\"…\"}, and is signed as Standard Webhooks defines: the receiver checks "
                + "it by the secret that this command shows, and starts symbolon listen or notifies you. The same address has "
                + "the same secret.",
            "Not every mediator can do this, and each limits where it posts to: symbolon's by its setting wake-hosts.",
        ],
        examples: [
            .init("symbolon mediator wake ~/vault https://hooks.example/me", "Is woken there from now on."),
            .init("symbolon mediator wake ~/vault off", "Is not woken any more."),
            .init("symbolon mediator wake ~/vault", "Shows where, with token and secret."),
        ],
        options: VaultAccess.opening + [
            token.declaration, Options.allowPrivate.declaration, Options.timeout.declaration,
        ],
        operands: [VaultAccess.folder.declaration, change.declaration])

    package static let run: Program.Body = { context in
        let timeout = context.arguments[Options.timeout] ?? .seconds(30)
        let (chosen, token) = (context.arguments[change], context.arguments[token])
        if let token, case .at(let webhook)? = chosen { try check(token, webhook) }
        try await CommandAgentRunner.withWebAgent(context, CommandAgentRunner.configuration(context)) { agent in
            let state: WebhookState?
            switch chosen {
            case nil: state = try await agent.wakeState(within: timeout)
            case .off: state = try await agent.setWake(nil, within: timeout)
            case .at(let webhook):
                var random = context.environment.makeRandom()
                let drawn = Base64URL.encode(random.bytes(count: 16))
                let call = try ClientWebhook(token: token ?? drawn, webhook: webhook)
                state = try await agent.setWake(call, within: timeout)
            }
            report(state, by: context.reporter)
        }
    }

    private static func check(_ token: String, _ webhook: ServiceEndpoint) throws(UsageError) {
        guard (try? ClientWebhook(token: token, webhook: webhook)) == nil else { return }
        throw UsageError(
            .badValue, "The value of --token cannot be used.",
            nextStep: "Write 1 to \(ClientWebhook.maximumTokenBytes) bytes without characters for machines.")
    }

    static func report(_ state: WebhookState?, by reporter: EventReporter) {
        reporter.event(
            .mediatorWake,
            [
                .init("webhook", .string(state?.call.webhook.text)), .init("token", .string(state?.call.token)),
                .init("secret", .string(state?.secret)),
            ])
        guard let state else { return reporter.put("The mediator does not wake this wallet.") }
        for (label, value) in [
            ("posts to", state.call.webhook.text), ("token", state.call.token), ("secret", state.secret),
        ] {
            reporter.put(TerminalText.padded(label, to: 12) + TerminalText.sanitised(value, limit: 4096))
        }
    }
}
