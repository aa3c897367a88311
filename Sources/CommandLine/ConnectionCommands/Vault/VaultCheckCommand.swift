package import CommandProgram
package import Terminal
import Vault

/// `symbolon vault info`: the facts of a vault that are readable without its key.
package enum VaultInfoCommand {
    package static let declaration = CommandDeclaration(
        "info", "Shows how a vault is opened; needs no key.",
        examples: [.init("symbolon vault info ~/vault", "Says whether a passphrase or a key file opens it.")],
        operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let description = try await Vault.describe(at: VaultAccess.path(context))
        var words = "opens with a key file"
        if let cost = description.passphraseCost {
            let memory = NumberText.bytes(Int(cost.memoryKiB) * 1024)
            words = "opens with a passphrase (Argon2id, \(memory), \(cost.operations) passes)"
        }
        VaultAccess.report(context, action: "info", records: nil, description: description)
        context.reporter.put(words)
    }
}

/// `symbolon vault check`: reads all of a vault and verifies that its parts agree.
package enum VaultCheckCommand {
    package static let declaration = CommandDeclaration(
        "check", "Reads the whole vault and reports damage.",
        discussion: [
            "It finds whatever was altered, exchanged, put back or removed, one finding a line; the exit status is that "
                + "of the first. Only --mark, kept elsewhere, shows that the whole vault is an older copy."
        ],
        examples: [.init("symbolon vault check ~/vault --key-file ~/vault.key", "Checks a vault.")],
        options: VaultAccess.opening, operands: [VaultAccess.folder.declaration])

    package static let run: Program.Body = { context in
        let report = try await VaultAccess.withVault(context) { try await $0.check() }
        for finding in report.findings {
            context.reporter.event(
                .finding, [.init("code", .string(finding.code.rawValue)), .init("reason", .string(finding.reason))])
            context.reporter.put("\(finding.code.rawValue)  \(finding.reason)")
        }
        let words = "\(NumberText.count(report.records)) records, \(NumberText.count(report.findings.count)) findings"
        VaultAccess.report(
            context, action: "check", records: report.records, generation: report.generation)
        context.reporter.put(words)
        if let first = report.findings.first { throw first }
    }
}
