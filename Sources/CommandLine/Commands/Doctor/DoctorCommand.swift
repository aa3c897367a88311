import BlueZRadio
package import CommandProgram
import Radio
package import Terminal

/// `symbolon doctor`: reports the Bluetooth roles that work on this machine, and how to fix the rest.
package enum DoctorCommand {
    private static let fix = FlagOption("fix", "Writes only the commands and settings that fix what was found.")

    private static let loopBack = FlagOption("loop-back", "Lets two adapters that are on talk to each other.")

    package static let declaration = CommandDeclaration(
        "doctor", "Checks Bluetooth on this machine and reports what works.",
        discussion: [
            "It looks at bluetoothd, adapters, switches, rights and settings, and changes nothing. A wallet needs no "
                + "right; a verifier needs two, and without one of them still serves some wallets.",
            "The exit status is 15 when neither role is possible.",
            "With --loop-back one adapter advertises for a moment, and another finds it, connects and asks.",
        ],
        examples: [
            .init("symbolon doctor", "Says what works, and for which wallets."),
            .init("symbolon doctor --fix", "Writes what mends the rest; read it, then run it."),
            .init("symbolon doctor --loop-back", "Tries two adapters over the air as well."),
        ],
        options: [fix.declaration, loopBack.declaration])

    package static let run: Program.Body = { context in
        let facts = await context.environment.examineBluetooth()
        var diagnosis = BluetoothDiagnosis(facts)
        if context.arguments[loopBack] { diagnosis.add(await RadioLoopbackTest.finding(facts, context.environment)) }
        for finding in diagnosis.findings { report(finding, context) }
        if context.arguments[fix] { return fixes(diagnosis, context) }
        let roles = [
            ("wallet", diagnosis.isWallet ? "can hand over to every verifier" : "not possible"),
            ("verifier", verifier(diagnosis)),
        ]
        for finding in diagnosis.findings {
            context.reporter.put("\(mark(finding.gravity))  \(finding.sentence)")
            if let cure = finding.cure { context.reporter.put("         fix:  \(cure)") }
        }
        for (role, text) in roles { context.reporter.put("\(role): \(text)") }
        guard diagnosis.isWallet || diagnosis.isVerifier else {
            throw CommandError(.bluetoothUnusable, "Neither a wallet nor a verifier is possible.")
        }
    }

    private static func verifier(_ diagnosis: BluetoothDiagnosis) -> String {
        if !diagnosis.isVerifier { return "not possible" }
        return diagnosis.servesSilentWallets
            ? "serves every wallet" : "serves wallets that subscribe (iOS, symbolon), not stock Android wallets"
    }

    private static func mark(_ gravity: BluetoothDiagnosis.Severity) -> String {
        switch gravity {
        case .fine: "fine   "
        case .note: "note   "
        case .missing: "missing"
        }
    }

    /// Writes each remedy once, in the order of the findings.
    private static func fixes(_ diagnosis: BluetoothDiagnosis, _ context: CommandContext) {
        var cures: [String] = []
        for finding in diagnosis.findings {
            guard let cure = finding.cure, !cures.contains(cure) else { continue }
            cures.append(cure)
            context.reporter.put("# \(finding.sentence)")
            context.reporter.put(cure)
        }
        if cures.isEmpty { context.console.say("There is nothing to fix.") }
    }

    private static func report(_ finding: BluetoothDiagnosis.Finding, _ context: CommandContext) {
        context.reporter.event(
            .diagnosis,
            [
                .init("name", .string(finding.name)), .init("gravity", .string(finding.gravity.rawValue)),
                .init("sentence", .string(finding.sentence)), .init("cure", .string(finding.cure)),
            ])
    }
}
