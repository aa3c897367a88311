import Aries
import CloudAgent
package import CommandProgram
import Determinism
package import Terminal
import Vault

/// `symbolon agent accounts`: the clients of an agent, by numbers.
package enum CloudAgentAccountsCommand {
    private static let close = ValueOption(
        "close", .integer("NUMBER", in: 1...Int.max), "Closes this account, with its keys and all that waits for it.")
    private static let yes = FlagOption("yes", "Answers the question before an account is closed.")
    private static let step = 500

    package static let declaration = CommandDeclaration(
        "accounts", "Lists accounts and what waits for them, or closes one.",
        discussion: [
            "An account has a number, and the name under which it was opened where there is a list and the secret can be "
                + "read. It works beside a running agent. "
                + "On a terminal --close asks first; --yes answers. What is closed cannot be brought back."
        ],
        examples: [
            .init("symbolon agent accounts", "Lists all accounts."),
            .init("symbolon agent accounts --close 12 --yes", "Closes account 12."),
        ],
        options: CloudAgentSettings.locationOptions + [close.declaration, yes.declaration])

    package static let run: Program.Body = { context in
        let settings = try CloudAgentSettings(context)
        let location = try CloudAgentLocation(settings, context)
        if let number = context.arguments[close] { return try await end(Int64(number), in: location, context) }
        let now = context.environment.wallTime()
        var table = TextTable([
            .init("account", alignsRight: true), .init("keys", alignsRight: true), .init("messages", alignsRight: true),
            .init("bytes", alignsRight: true), .init("oldest", alignsRight: true), .init("seen", alignsRight: true),
            .init("state"), .init("name"),
        ])
        let secret = CloudAgentVerifyCommand.known(location)
        for account in try await all(in: location) {
            add(account, secret?.name(of: account), to: &table, at: now, context)
        }
        for line in table.lines(width: context.console.outputColumns) { context.reporter.put(line) }
        context.console.say(limits(settings.storeLimits))
    }

    private static func limits(_ limits: StoreLimits) -> String {
        let waiting = limits.account.hard
        return "By these settings an account may have \(NumberText.count(limits.maximumKeys)) keys (account-keys), and "
            + "\(NumberText.count(waiting.count)) messages (account-messages) of \(NumberText.bytes(waiting.bytes)) "
            + "(account-bytes) may wait for it."
    }

    private static func all(in location: CloudAgentLocation) async throws -> [AccountEntry] {
        try await location.withStore { store in
            var (accounts, last): ([AccountEntry], Int64) = ([], 0)
            while true {
                try Task.checkCancellation()
                let from = last
                let some = try await store.read { try $0.accounts.list(after: from, limit: step) }
                guard let end = some.last else { return accounts }
                accounts += some
                last = end.number
            }
        }
    }

    private static func add(
        _ account: AccountEntry, _ name: String?, to table: inout TextTable, at now: WallTime, _ context: CommandContext
    ) {
        let oldest = account.queue.oldest.map { MediatorStatus.seconds(from: $0, to: now) }
        let seen = MediatorStatus.seconds(from: account.seen, to: now)
        context.reporter.event(
            .cloudAccount,
            [
                .init("account", .integer(Int(account.number))), .init("isServed", .bool(account.isServed)),
                .init("age", .integer(MediatorStatus.seconds(from: account.created, to: now))),
                .init("seen", .integer(seen)), .init("keys", .integer(account.keyCount)),
                .init("messages", .integer(account.queue.count)), .init("bytes", .integer(account.queue.bytes)),
                .init("oldest", .integer(oldest)), .init("name", .string(name)),
            ])
        table.add([
            "\(account.number)", NumberText.count(account.keyCount), NumberText.count(account.queue.count),
            NumberText.bytes(account.queue.bytes), oldest.map { NumberText.seconds(Double($0)) } ?? "–",
            NumberText.seconds(Double(seen)), account.isServed ? "served" : "opening",
            name.map { TerminalText.sanitised($0) } ?? "",
        ])
    }

    private static func end(_ number: Int64, in location: CloudAgentLocation, _ context: CommandContext) async throws {
        try await location.withStore { store in
            guard let account = try await store.read({ try $0.accounts.account(number) }) else {
                throw CloudAgentError(.accountUnknown, "There is no account \(number).")
            }
            guard try await isWanted(account, context) else { return context.console.say("Nothing was closed.") }
            guard try await store.write({ try $0.accounts.close(number) }) else {
                throw CloudAgentError(.accountUnknown, "Account \(number) was closed meanwhile.")
            }
            report(context, "close", number: Int(number), "account \(number) closed")
        }
    }

    private static func isWanted(_ account: AccountEntry, _ context: CommandContext) async throws -> Bool {
        if context.arguments[yes] { return true }
        guard context.console.canAsk else {
            throw UsageError(
                .missingOption, "There is no terminal on which to ask.", nextStep: "Add --yes to close the account.")
        }
        let words = "Close account \(account.number) with \(NumberText.count(account.queue.count)) messages?"
        return await context.console.ask(words, fallback: false) ?? false
    }

    /// Reports an operation on a store.
    static func report(_ context: CommandContext, _ action: String, number: Int, _ words: String) {
        context.reporter.event(.cloudStore, [.init("action", .string(action)), .init("number", .integer(number))])
        context.reporter.put(words)
    }
}

/// `symbolon agent backup`: copies the store while it is in use.
package enum CloudAgentBackupCommand {
    private static let file = Operand(.path("FILE"), "The new file; nothing may be there yet.")

    package static let declaration = CommandDeclaration(
        "backup", "Copies the store to a new file while the agent runs.",
        discussion: [
            "The copy is the store as it is at one moment, mode 0600. It is useful only with the agent's secret, which is "
                + "not in it: keep a copy of that file too, elsewhere. A store in PostgreSQL is copied by pg_dump."
        ],
        examples: [.init("symbolon agent backup agent-monday.sqlite", "Copies the store of the usual folder.")],
        options: CloudAgentSettings.locationOptions, operands: [file.declaration])

    package static let run: Program.Body = { context in
        let path = try context.arguments.required(file)
        let location = try CloudAgentLocation(try CloudAgentSettings(context), context)
        let bytes = try await location.store.backUp(to: path)
        CloudAgentAccountsCommand.report(
            context, "backup", number: bytes, "\(TerminalText.sanitised(path))  \(NumberText.bytes(bytes))")
        context.console.say(
            "Keep the secret file with it, without which it cannot be read: \(TerminalText.sanitised(location.secretPath, limit: 4096))."
        )
    }
}

/// `symbolon agent verify`: verifies that all parts of the store agree.
package enum CloudAgentVerifyCommand {
    package static let declaration = CommandDeclaration(
        "verify", "Reads the whole store and reports damage.",
        discussion: [
            "One finding a line. It works beside a running agent, whose messages wait meanwhile as long as a step of it. "
                + "Whether the secret is the store's own is looked at too, where its file can be read."
        ],
        examples: [.init("symbolon agent verify --store sqlite:agent-monday.sqlite", "Checks a copy.")],
        options: CloudAgentSettings.locationOptions)

    package static let run: Program.Body = { context in
        let location = try CloudAgentLocation(try CloudAgentSettings(context), context)
        let secret = try location.secret()
        let (findings, unchecked) = try await location.withStore { store in
            if let secret { try await secret.verify(store) }
            return (try await store.check(), try await store.uncheckedMessages())
        }
        for finding in findings {
            let code = CloudAgentError.Code.damaged.rawValue
            context.reporter.event(.finding, [.init("code", .string(code)), .init("reason", .string(finding))])
            context.reporter.put("\(code)  \(finding)")
        }
        CloudAgentAccountsCommand.report(
            context, "verify", number: findings.count, "\(NumberText.count(findings.count)) findings")
        if unchecked > 0 {
            context.console.say(
                "\(NumberText.count(unchecked)) messages came before version 5 of the store and have no digest to compare."
            )
        }
        if secret == nil { context.console.say("The secret was not looked at: its file is not there.") }
        if let first = findings.first { throw CloudAgentError(.damaged, first) }
    }

    /// Returns the mediator's secret; nil where its file is missing or cannot be read.
    static func known(_ location: CloudAgentLocation) -> MediatorSecret? { (try? location.secret()) ?? nil }
}

/// `symbolon agent prune`: drops messages by their age.
package enum CloudAgentPruneCommand {
    private static let age = ValueOption(
        "older-than", .duration("TIME", in: .zero ... .seconds(315_360_000)),
        "How old what is dropped is at least (the setting message-age).")
    private static let step = 100_000

    package static let declaration = CommandDeclaration(
        "prune", "Deletes messages that have waited too long.",
        discussion: [
            "A running agent does so automatically, by its setting message-age. What is dropped cannot be brought back."
        ],
        examples: [.init("symbolon agent prune --older-than 72h", "Drops what is older than three days.")],
        options: CloudAgentSettings.locationOptions + [age.declaration])

    package static let run: Program.Body = { context in
        let settings = try CloudAgentSettings(context)
        let age = context.arguments[age] ?? settings[CloudAgentSettings.messageAge] ?? .seconds(604_800)
        let now = context.environment.wallTime().millisecondsSinceEpoch
        let time = WallTime(millisecondsSinceEpoch: now - age.components.seconds * 1000)
        let dropped = try await CloudAgentLocation(settings, context).withStore { store in
            var dropped = 0
            while true {
                try Task.checkCancellation()
                let count = try await store.prune(before: time, limit: step)
                dropped += count
                if count < step { return dropped }
            }
        }
        CloudAgentAccountsCommand.report(
            context, "prune", number: dropped, "\(NumberText.count(dropped)) messages dropped")
    }
}
