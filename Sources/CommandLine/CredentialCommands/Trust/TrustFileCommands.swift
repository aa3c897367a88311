package import CommandProgram
import Credentials
import Determinism
package import Terminal

/// `symbolon trust list`: lists the entries of a trust file.
package enum TrustListCommand {
    package static let declaration = CommandDeclaration(
        "list", "Lists the entries of a trust file.",
        examples: [.init("symbolon trust list", "Lists issuers with types, roots with purposes, contexts and lists.")],
        options: [TrustOptions.file.declaration])

    package static let run: Program.Body = { context in
        let location = try TrustOptions.location(context)
        guard !location.isDefault || POSIXFile.exists(location.path) else {
            let path = TerminalText.sanitised(location.path)
            return context.console.say("Nothing is trusted. symbolon trust add FILE makes the trust file \(path).")
        }
        let file = try TrustFile(parsing: try BoundedFile.read(location.path, limit: TrustFile.maximumBytes))
        for entry in file.listing { TrustOptions.report(entry, "listed", in: location.path, context) }
        context.console.say("The trust file is \(TerminalText.sanitised(location.path)).")
    }
}

/// `symbolon trust remove NAME…`: removes entries from a trust file.
package enum TrustRemoveCommand {
    private static let names = Operand(
        .text("ENTRY"), "An identifier, address or path as symbolon trust list shows it.", arity: .many)

    package static let declaration = CommandDeclaration(
        "remove", "Removes entries from a trust file.",
        discussion: [
            "ENTRY is the issuer, address or path of an entry, or its kind and that: “root ca.pem”. All entries of that "
                + "name go. The files beside the trust file stay."
        ],
        examples: [.init("symbolon trust remove https://registry.example", "No longer trusts an issuer.")],
        options: [TrustOptions.file.declaration, TrustOptions.yes.declaration], operands: [names.declaration])

    package static let run: Program.Body = { context in
        let folder = TrustFolder(try TrustOptions.location(context).path)
        let wanted = context.arguments.all(names)
        var text = try TrustFileEditor(try folder.read())
        for name in wanted {
            for entry in try text.remove(name) {
                let summary = TerminalText.sanitised("\(entry.kind) \(entry.summary)", limit: 400)
                context.console.say("line \(entry.lines.lowerBound)  \(summary)")
            }
        }
        guard
            try await TrustOptions.isWanted("No longer trust this?", hint: "Add --yes to remove the entries.", context)
        else { return }
        var removed: [TrustFileEntry] = []
        try folder.update { bytes in
            var text = try TrustFileEditor(bytes)
            removed = []
            for name in wanted { removed += try text.remove(name) }
            return (Array(text.text.utf8), [:])
        }
        for entry in removed { TrustOptions.report(entry, "removed", in: folder.path, context) }
    }
}

/// `symbolon trust check`: checks files, digests and dates of a trust file, and lists what needs attention.
package enum TrustCheckCommand {
    package static let declaration = CommandDeclaration(
        "check", "Checks files, digests and dates of a trust file.",
        discussion: [
            "Reads all files that the trust file names, and compares their digests. Lists when certificates and VICALs "
                + "end, until when status lists and VICALs are fresh, and the lines that trust more than they seem to. The "
                + "exit status is 10 when a certificate or VICAL has ended, a status list is not fresh, or a line trusts "
                + "everyone."
        ],
        examples: [.init("symbolon trust check", "Checks the trust file of this user.")],
        options: [TrustOptions.file.declaration])

    package static let run: Program.Body = { context in
        let path = try TrustOptions.location(context).path
        let file = try TrustFile(parsing: try BoundedFile.read(path, limit: TrustFile.maximumBytes))
        let contents = try TrustFileReader.contents(of: file, at: path)
        var policy = VerificationPolicy()
        try file.apply(to: &policy)
        _ = try file.store(files: contents)
        let ends = try file.ends(files: contents)
        for end in ends {
            let what = end.isFreshness ? "fresh until" : "valid until"
            context.console.say(
                "\(TerminalText.sanitised(end.subject)): \(what) \(CivilDateTime(end.time).text)")
        }
        let findings = file.findings(ends, at: context.environment.wallTime())
        for finding in findings { TrustOptions.report(finding, in: path, context) }
        let counts = [("entries", file.listing.count), ("files", contents.count), ("remarks", findings.count)]
            .map { "\($0) \(NumberText.count($1))" }.joined(separator: ", ")
        context.console.say("\(TerminalText.sanitised(path)): \(counts).")
        let grave = findings.filter(\.isGrave).map { "line \($0.line)" }
        guard grave.isEmpty else {
            throw TrustFileError(.unsound, line: 0, "See \(grave.prefix(8).joined(separator: ", ")).")
        }
    }
}
