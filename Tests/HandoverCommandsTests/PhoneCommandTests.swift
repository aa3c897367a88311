import CommandTestSupport
import Foundation
import Terminal
import TestSupport
import Testing
import VirtualRadio

@testable import CommandProgram
@testable import HandoverCommands

/// `receive --phone` and `send --show` in this process on one virtual air.
@Suite struct PhoneCommandTests {
    private let handOver: HandOver
    private let licence: String
    private let trust: String

    init() async throws {
        handOver = try HandOver()
        let folder = "\(handOver.folder.path)/test"
        let made = await CommandRun.run("mdoc", "make", "--out", folder)
        try #require(made.status == 0)
        licence = "\(folder)/licence.mdoc"
        trust = "\(folder)/trust.txt"
        let added = await CommandRun.run(
            "trust", "add", "\(folder)/authority.pem", "--for", "mdoc", "--trust", trust, "--yes")
        try #require(added.status == 0)
    }

    private func show(
        _ arguments: [String] = ["--yes"], _ setup: CommandRun.Setup = .init()
    ) async throws -> (code: String, run: Task<CommandRun, Never>) {
        let line = ["send", licence, "--show", "--air", handOver.airPath] + arguments
        let run = Task { await CommandRun.run(line, setup) }
        return (try await setup.output.line(beginningWith: "mdoc:"), run)
    }

    private func read(_ code: String, _ arguments: [String], _ setup: CommandRun.Setup = .init()) async -> CommandRun {
        await CommandRun.run(["receive", code, "--phone", "--air", handOver.airPath] + arguments, setup)
    }

    @Test(arguments: ["central", "peripheral", "auto"])
    func `a phone is read in each mode, and its document is genuine`(_ mode: String) async throws {
        let (code, holder) = try await show()
        let reader = await read(code, ["--ask", "over-20,name", "--trust", trust, "--mode", mode])
        #expect(reader.status == 0, "\(reader.talk)")
        #expect(reader.output.hasPrefix("genuine\n"))
        #expect(reader.output.contains("family_name: Sample"))
        #expect(reader.output.contains("age: at least 21; asked 20"))
        let shown = await holder.value
        #expect(shown.status == 0, "\(shown.talk)")
        #expect(shown.talk.contains("The reader is not named"))
    }

    @Test(arguments: [
        (["receive", "--phone", "--ask", "name", "--timeout", "9s"], "--timeout is for wallets"),
        (["receive", "--phone", "--ask", "name", "--require-answer", "-v"], "--verbose and --require-answer are for"),
        (["receive", "--out", "x", "--mode", "auto", "--retain", "a"], "--retain and --mode are for phones."),
        (["receive", "mdoc:x", "--out", "x"], "A code is given to read a phone."),
        (["send", "--show", "--timeout", "9s", "--refuse", "declined"], "--timeout and --refuse are for a verifier"),
        (["send", "x", "--show", "--mark", "m"], "--mark is for documents of a vault."),
        (["send", "x", "--to", "y", "--mode", "auto"], "--mode is for --show."),
        (["send", "x", "--to", "y", "--key-file", "k"], "--key-file is for --show."),
        (["send", "x", "--to", "y", "--accept-unbound"], "--accept-unbound is for --wallet."),
        (["demo", "--phone", "--profile", "tuvali-0.4"], "--profile is for wallet and verifier."),
    ])
    func `an option that a command would ignore is refused by its name`(line: [String], words: String) async {
        let run = await CommandRun.run(line)
        #expect(run.code == "usage.conflict" && run.talk.contains(words), "\(run.talk)")
    }

    @Test func `a request file says what is asked, --retain what of it is kept, and a misspelt member is refused`()
        async throws
    {
        let type = "org.iso.18013.5.1"
        let elements = "\"elements\": {\"\(type)\": {\"given_name\": false, \"family_name\": true}}"
        let file = try handOver.folder.write(
            "request.json", "{\"documents\": [{\"type\": \"\(type).mDL\", \(elements)}]}")
        let (code, holder) = try await show()
        let kept = "\(handOver.folder.path)/kept"
        let reader = await read(
            code, ["--request", file, "--retain", "given_name", "--out", kept, "--trust", trust])
        #expect(reader.status == 0, "\(reader.talk)")
        let files = try FileManager.default.contentsOfDirectory(atPath: kept)
        let text = try String(contentsOfFile: "\(kept)/\(try #require(files.first))", encoding: .utf8)
        #expect(text.contains("given_name") && text.contains("family_name"))
        _ = await holder.value
        let other = try handOver.folder.write(
            "other.json", "{\"documents\": [{\"type\": \"\(type).mDL\", \(elements), \"issuer\": []}]}")
        let refused = await read("mdoc:x", ["--request", other, "--trust", trust])
        #expect(refused.code == "usage.bad-value" && refused.talk.contains("“issuer” is no member"), "\(refused.talk)")
        #expect(refused.talk.contains("{\"documents\""))
    }

    @Test func `the verdict is there before the connection is down`() async throws {
        let (code, holder) = try await show()
        var setup = CommandRun.Setup()
        setup.adapters = try await VirtualAir.shared(path: handOver.airPath)
        let output = setup.output
        setup.delay = { radio in
            DelayedRadio(radio) {
                if (try? await output.line(beginningWith: "genuine")) == nil { Issue.record("there is no verdict") }
            }
        }
        let line = ["--phone", "--radio", "bluez", "--mode", "central", "--ask", "name", "--trust", trust]
        let reader = await CommandRun.run(["receive", code] + line, setup)
        #expect(reader.status == 0, "\(reader.talk)")
        #expect(await holder.value.status == 0)
    }

    /// The arguments and the setting of a command whose radio has a fault.
    private func faulty(
        _ radio: @escaping @Sendable (VirtualRadio) -> DelayedRadio
    ) async throws -> (arguments: [String], setup: CommandRun.Setup) {
        var setup = CommandRun.Setup()
        setup.adapters = try await VirtualAir.shared(path: handOver.airPath)
        setup.delay = radio
        return (["--radio", "bluez"], setup)
    }

    @Test func `a phone with both modes is read at once by a radio that cannot advertise`() async throws {
        let (code, holder) = try await show()
        let (arguments, setup) = try await faulty { DelayedRadio($0, advertises: false) }
        let line = ["receive", code, "--phone", "--ask", "name", "--trust", trust, "--json"] + arguments
        let reader = await CommandRun.run(line, setup)
        #expect(reader.status == 0, "\(reader.talk)")
        #expect(reader.output.contains(#""mode":"peripheral""#), "\(reader.output)")
        #expect(await holder.value.status == 0)
    }

    @Test(arguments: [("auto", ["central"]), ("peripheral", ["peripheral"])])
    func `a holder whose radio loses long writes connects to the reader, unless that is ruled out`(
        _ mode: String, _ modes: [String]
    ) async throws {
        let (arguments, setup) = try await faulty { DelayedRadio($0, losesLongWrites: true) }
        let line = ["send", licence, "--show", "--yes", "--mode", mode] + arguments
        let holder = Task { await CommandRun.run(line, setup) }
        let code = try await setup.output.line(beginningWith: "mdoc:")
        let reader = await read(code, ["--ask", "name", "--trust", trust, "--json"])
        #expect(reader.status == 0, "\(reader.talk)")
        for mode in modes { #expect(reader.output.contains("\"mode\":\"\(mode)\""), "\(reader.output)") }
        #expect(await holder.value.status == 0)
    }

    @Test func `a holder is done when the reader leaves, also while the person is being asked`() async throws {
        var setup = CommandRun.Setup()
        (setup.isTerminal, setup.lineSource) = (true, SilentLineSource())
        let (code, holder) = try await show([], setup)
        let reading = CommandRun.Setup()
        let reader = Task { await read(code, ["--ask", "name", "--trust", trust, "--json"], reading) }
        _ = try await reading.output.text(containing: #""state":"asked""#)
        reader.cancel()
        _ = await reader.value
        let shown = await holder.value
        #expect(shown.status == 4 && shown.talk.contains("mdoc.peer-status (20)"), "\(shown.talk)")
    }

    @Test func `an authority that is not trusted is not checked, and the line to add it stands there`() async throws {
        let (code, holder) = try await show()
        let empty = try handOver.folder.write("empty.txt", "method did:key\n")
        let reader = await read(code, ["--ask", "over-18", "--trust", empty])
        #expect(reader.status == 13, "\(reader.talk)")
        #expect(reader.output.hasPrefix("not-checked"))
        #expect(reader.talk.contains("symbolon trust add"))
        _ = await holder.value
    }

    @Test(.shows("MDR-028", "MDC-018", "MS6"))
    func `what is asked to be kept is written, and no other element is in any file`() async throws {
        let (code, holder) = try await show()
        let kept = "\(handOver.folder.path)/kept"
        let reader = await read(
            code, ["--ask", "name,over-18", "--retain", "given_name,over-18", "--out", kept, "--trust", trust])
        #expect(reader.status == 0, "\(reader.talk)")
        let files = try FileManager.default.contentsOfDirectory(atPath: kept)
        try #require(files.count == 1)
        let text = try String(contentsOfFile: "\(kept)/\(files[0])", encoding: .utf8)
        let elements = #"{"org.iso.18013.5.1":{"given_name":"Holder","age_over_18":true}}"#
        #expect(text == #"{"documents":[{"type":"org.iso.18013.5.1.mDL","elements":\#(elements)}]}"# + "\n")
        #expect(await holder.value.talk.contains("given_name; it means to keep it"))
    }

    @Test(.shows("MS4")) func `a person is asked, and one who declines sends nothing`() async throws {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = ["n", "n"]
        let (code, holder) = try await show([], setup)
        let reader = await read(code, ["--ask", "over-18", "--trust", trust])
        #expect(reader.talk.contains("mdoc.nothing-returned"))
        #expect(await holder.value.talk.contains("send.declined"))
    }

    @Test func `a list of authorities that should have been replaced is noted with its age`() async throws {
        let folder = "\(handOver.folder.path)/stale"
        try #require(await CommandRun.run("mdoc", "make", "--out", folder, "--fault", "stale-list").status == 0)
        for file in ["authority.pem --for mdoc", "authorities.vical --root \(folder)/authority.pem"] {
            let line = "trust add \(folder)/\(file) --trust \(folder)/trust.txt --yes".split(separator: " ").map(
                String.init)
            let added = await CommandRun.run(line)
            try #require(added.status == 0, "\(added.talk)")
        }
        let note = "note: The list of authorities of Symbolon test authority is 40 days old; the next one was due"
        let verified = await CommandRun.run("verify", "\(folder)/licence.mdoc", "--trust", "\(folder)/trust.txt")
        #expect(verified.status == 0 && verified.output.contains(note), "\(verified.output)")
    }

    @Test func `a reader that signs is known under its authority, and names itself without it`() async throws {
        let folder = "\(handOver.folder.path)/reader"
        let made = await CommandRun.run("mdoc", "reader", "--name", "Bar Example", "--out", folder, "--test")
        #expect(made.status == 0, "\(made.talk)")
        let signing = [
            "--ask", "over-18", "--trust", trust, "--reader-key", "\(folder)/reader-key.pem", "--reader-certificate",
            "\(folder)/reader.pem",
        ]
        let known = try await show(["--yes", "--reader-authority", "\(folder)/reader-authority.pem"])
        #expect(await read(known.code, signing).status == 0)
        #expect(await known.run.value.talk.contains("The reader is Bar Example (test)."))
        let unknown = try await show()
        #expect(await read(unknown.code, signing).status == 0)
        #expect(await unknown.run.value.talk.contains("unknown; its certificate names Bar Example (test)"))
    }

    @Test func `a reader's key is readable by its owner only, and its request for a certificate is no certificate`()
        async throws
    {
        let folder = "\(handOver.folder.path)/reader"
        let made = await CommandRun.run("mdoc", "reader", "--name", "Bar Example", "--out", folder)
        #expect(made.output == "\(folder)/reader-key.pem\n\(folder)/reader-request.pem\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/reader-key.pem")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let run = await read(
            "mdoc:x",
            [
                "--ask", "over-18", "--reader-key", "\(folder)/reader-key.pem", "--reader-certificate",
                "\(folder)/reader-request.pem",
            ])
        #expect(run.code == "mdoc.reader-identity", "\(run.talk)")
        #expect(run.talk.contains("The file holds a request for a certificate"), "\(run.talk)")
    }

    /// Makes a vault, and puts copies of single use, or one licence, into it; returns the arguments that show it.
    private func vault(copies: Int? = nil, portrait: [UInt8]? = nil) async throws -> [String] {
        let (path, key) = ("\(handOver.folder.path)/vault", "\(handOver.folder.path)/vault.key")
        let made = await CommandRun.run("vault", "create", path, "--new-key-file", key)
        try #require(made.status == 0, "\(made.talk)")
        var file = licence
        if let copies {
            let folder = "\(handOver.folder.path)/copies"
            var line = ["mdoc", "make", "--out", folder, "--copies", "\(copies)"]
            if let portrait { line += ["--portrait", try handOver.folder.write("portrait.jpg", portrait)] }
            try #require(await CommandRun.run(line).status == 0)
            let added = await CommandRun.run(
                "trust", "add", "\(folder)/authority.pem", "--for", "mdoc", "--trust", trust, "--yes")
            try #require(added.status == 0, "\(added.talk)")
            file = "\(folder)/licence.mdoc"
        }
        let added = await CommandRun.run("mdoc", "add", path, file, "--key-file", key)
        try #require(added.status == 0, "\(added.talk)")
        #expect(added.talk.contains("remove it"))
        return ["--vault", path, "--key-file", key]
    }

    private func show(vault: [String]) async throws -> (code: String, run: Task<CommandRun, Never>) {
        let setup = CommandRun.Setup()
        let line = ["send", "--show", "--yes", "--air", handOver.airPath] + vault
        let run = Task { await CommandRun.run(line, setup) }
        return (try await setup.output.line(beginningWith: "mdoc:"), run)
    }

    private func list(_ vault: [String]) async -> String {
        await CommandRun.run(["mdoc", "list"] + vault.dropFirst()).output
    }

    @Test func `a document is shown from the vault as often as a reader asks, until it is removed`() async throws {
        let vault = try await vault()
        for _ in 0..<2 {
            let (code, holder) = try await show(vault: vault)
            let reader = await read(code, ["--ask", "name", "--trust", trust])
            #expect(reader.output.hasPrefix("genuine\n"), "\(reader.talk)")
            #expect(await holder.value.status == 0)
        }
        let id = String(try #require(await list(vault).split(separator: " ").first))
        let removed = await CommandRun.run(
            ["mdoc", "remove", vault[1], id, "--yes"] + vault.dropFirst(2))
        #expect(removed.status == 0, "\(removed.talk)")
        let empty = await CommandRun.run(["send", "--show", "--yes", "--air", handOver.airPath] + vault)
        #expect(empty.code == "input.not-found" && empty.talk.contains("symbolon mdoc add"), "\(empty.talk)")
        let again = await CommandRun.run(["mdoc", "remove", vault[1], id, "--yes"] + vault.dropFirst(2))
        #expect(again.code == "vault.record.not-found", "\(again.talk)")
    }

    @Test func `a copy of single use is shown once, the next reader gets the next copy, and then there is none`()
        async throws
    {
        let vault = try await vault(copies: 2)
        for used in 1...2 {
            let (code, holder) = try await show(vault: vault)
            let reader = await read(code, ["--ask", "name", "--trust", trust])
            #expect(reader.status == 0, "\(reader.talk)")
            #expect(await holder.value.status == 0)
            let lines = await list(vault).split(separator: "\n")
            #expect(lines.count == 2 && lines.filter { $0.hasSuffix("  used") }.count == used)
        }
        let empty = await CommandRun.run(["send", "--show", "--yes", "--air", handOver.airPath] + vault)
        #expect(empty.code == "input.not-found", "\(empty.talk)")
        let again = await CommandRun.run(
            ["mdoc", "add", vault[1], "\(handOver.folder.path)/copies/licence.mdoc"] + vault.dropFirst(2))
        #expect(again.code == "vault.record.exists", "\(again.talk)")
    }

    @Test func `a copy of single use is not used by a person who declines, nor by a reader that leaves too early`()
        async throws
    {
        let picture = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 900_000)
        let vault = try await vault(copies: 1, portrait: picture)
        var setup = CommandRun.Setup()
        (setup.isTerminal, setup.answers) = (true, ["n", "n"])
        let (output, line) = (setup.output, ["send", "--show", "--air", handOver.airPath] + vault)
        let declining = Task { [setup] in await CommandRun.run(line, setup) }
        _ = await read(try await output.line(beginningWith: "mdoc:"), ["--ask", "portrait", "--trust", trust])
        let declined = await declining.value
        #expect(declined.talk.contains("send.declined"), "\(declined.talk)")
        #expect(await list(vault).contains("  single use"))

        let (code, holder) = try await show(vault: vault)
        let reading = CommandRun.Setup()
        let reader = Task { await read(code, ["--ask", "portrait", "--trust", trust, "--json"], reading) }
        _ = try await reading.output.text(containing: #""state":"receiving""#)
        reader.cancel()
        _ = await reader.value
        #expect(await holder.value.status != 0)
        #expect(await list(vault).contains("  single use"))
    }

    @Test func `a file with copies of single use is not shown, because it cannot record that one was`() async throws {
        let folder = "\(handOver.folder.path)/copies"
        try #require(await CommandRun.run("mdoc", "make", "--out", folder, "--copies", "2").status == 0)
        let run = await CommandRun.run(
            "send", "\(folder)/licence.mdoc", "--show", "--yes", "--air", handOver.airPath)
        #expect(run.code == "usage.conflict" && run.talk.contains("symbolon mdoc add"), "\(run.talk)")
    }

    @Test func `what would be sent in the place of something else is named to the person`() async throws {
        var setup = CommandRun.Setup()
        (setup.isTerminal, setup.answers) = (true, ["y"])
        let (code, holder) = try await show([], setup)
        let reader = await read(code, ["--ask", "over-17", "--trust", trust])
        #expect(reader.status == 0, "\(reader.talk)")
        let shown = await holder.value
        #expect(shown.talk.contains("in the place of another: age_over_18"), "\(shown.talk)")
    }

    @Test func `a portrait that is refused keeps everything else of the licence back, and the person is told`()
        async throws
    {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = ["n", "n"]
        let (code, holder) = try await show([], setup)
        let reader = await read(code, ["--ask", "name,portrait", "--trust", trust])
        #expect(reader.talk.contains("mdoc.nothing-returned"))
        let shown = await holder.value
        #expect(shown.talk.contains("Without portrait nothing") && shown.talk.contains("send.declined"))
    }

    @Test(arguments: [
        ["send", "x", "--show", "--vault", "y", "--yes"], ["send", "x", "--to", "y", "--vault", "z"],
        ["send", "--show", "--yes"], ["mdoc", "make", "--out", "x", "--copies", "0"],
        ["mdoc", "make", "--out", "x", "--copies", "65"], ["mdoc", "make", "--out", "x", "--fault", "other"],
    ])
    func `a vault and a file together, and counts that are too small or too large, are errors of usage`(
        _ line: [String]
    ) async {
        #expect(await CommandRun.run(line).status == 2)
    }

    @Test(arguments: [
        ["receive", "--phone", "mdoc:x", "--ask", "over-18", "--reader-key", "x"],
        ["receive", "--phone", "mdoc:x", "--ask", "over-18", "--reader-certificate", "x"],
        ["receive", "--out", "x", "--reader-key", "x"], ["send", "x", "--to", "x", "--reader-authority", "x"],
        ["receive", "--phone", "mdoc:x"], ["receive", "--phone", "mdoc:x", "--ask", "over-18", "--accept", "always"],
        ["receive", "mdoc:x", "--out", "x"], ["receive", "--out", "x", "--retain", "portrait"],
        ["receive", "--phone", "mdoc:x", "--ask", "portrait", "--retain", "portrait"],
        ["receive", "--phone", "mdoc:x", "--ask", "foo-bar"],
        ["receive", "--phone", "mdoc:x", "--ask", "over-18,over-20,over-21"],
        ["demo", "--phone", "--ask", "name"],
    ])
    func `options that do not go together are an error of usage`(_ line: [String]) async throws {
        let run = await CommandRun.run(line + (line[0] == "demo" ? [] : ["--air", handOver.airPath]))
        #expect(run.status == 2, "\(run.talk)")
    }

    @Test func `a file that is no document of a holder is said to be none, and names the command that makes one`()
        async throws
    {
        let file = try handOver.folder.write("text.mdoc", "a text")
        let run = await CommandRun.run("send", file, "--show", "--yes", "--air", handOver.airPath)
        #expect(run.status != 0)
        #expect(run.talk.contains("input.not-recognised") && run.talk.contains("symbolon mdoc make"), "\(run.talk)")
    }

    @Test(arguments: [
        ("mdoc:", "mdoc.engagement-malformed"), ("openid4vp://x", "mdoc.engagement-malformed"),
        ("mdoc:gGEx", "mdoc.engagement-malformed"),
    ])
    func `a text that is no code of a phone is an error before there is a radio`(
        _ code: String, _ error: String
    ) async throws {
        let run = await CommandRun.run("receive", code, "--phone", "--ask", "over-18", "--trust", trust)
        #expect(run.status != 0)
        #expect(run.talk.contains(error), "\(run.talk)")
    }
}
