import CommandTestSupport
import CryptoSuite
import Foundation
import TestSupport
import Testing
import Vault

@Suite struct VaultCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var vault: String { "\(folder.path)/vault" }
    private var keyFile: String { "\(folder.path)/key" }

    private func run(_ arguments: String..., answers: [String]? = nil, variables: [String: String] = [:]) async
        -> CommandRun
    {
        var setup = CommandRun.Setup()
        setup.isTerminal = answers != nil
        setup.answers = answers ?? []
        setup.variables["NO_COLOR"] = "1"
        setup.variables.merge(variables) { _, new in new }
        return await CommandRun.run(["vault"] + arguments, setup)
    }

    private func makeVault() async throws {
        let made = await run("create", vault, "--new-key-file", keyFile)
        #expect(made.status == 0, "\(made.talk)")
    }

    @Test func `a vault is created with a key file, shown and checked`() async throws {
        try await makeVault()
        #expect(await run("info", vault).lines == ["opens with a key file"])
        let checked = await run("check", vault, "--key-file", keyFile)
        #expect(checked.lines == ["0 records, 0 findings"])
        #expect(await run("create", vault, "--key-file", keyFile).code == "vault.exists")
        #expect(await run("create", "\(folder.path)/other", "--key-file", keyFile).status == 0)
    }

    @Test func `every JSON line of the vault commands is as the manual says`() async throws {
        let manual = try EventsManual()
        try await makeVault()
        let runs = [
            await run("info", vault, "--json"), await run("check", vault, "--key-file", keyFile, "--json"),
            await run("check", vault, "--json"),
        ]
        #expect(runs.map(\.status) == [0, 0, 2])
        for line in runs.flatMap(\.lines) { #expect(manual.complaints(about: line) == []) }
    }

    @Test(.shows("V8"))
    func `a passphrase is read from a variable, a file or a prompt, and never from an argument`() async throws {
        let made = await run("create", vault, answers: ["open sesame", "open sesame"])
        #expect(made.status == 0, "\(made.talk)")
        #expect(!made.talk.contains("sesame"))
        #expect(await run("check", vault, answers: ["open sesame"]).status == 0)
        let variables = ["WORD": "open sesame"]
        #expect(await run("check", vault, "--passphrase", "env:WORD", variables: variables).status == 0)
        let file = try folder.write("word", "open sesame\n")
        #expect(await run("check", vault, "--passphrase", "file:\(file)").code == "vault.path.permissions")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(await run("check", vault, "--passphrase", "file:\(file)").status == 0)
        #expect(await run("check", vault, "--passphrase", "open sesame").code == "usage.bad-value")
        #expect(await run("check", vault, "--passphrase", "env:NONE").code == "vault.passphrase.missing")
        #expect(await run("check", vault).code == "vault.passphrase.missing", "nobody can be asked")
        #expect(await run("check", vault, answers: ["wrong"]).code == "vault.key.wrong")
    }

    @Test func `two different entries of a new passphrase create no vault`() async throws {
        #expect(await run("create", vault, answers: ["one", "other"]).code == "usage.conflict")
        #expect(try folder.names() == [])
    }

    @Test func `a missing, wrong or conflicting key option fails with its own code`() async throws {
        try await makeVault()
        #expect(await run("check", vault).code == "usage.missing-option")
        let word = ["WORD": "x"]
        #expect(await run("check", vault, "--passphrase", "env:WORD", variables: word).code == "vault.key.kind")
        let both = await run("check", vault, "--passphrase", "env:WORD", "--key-file", keyFile, variables: word)
        #expect(both.code == "usage.conflict")
        #expect(await run("check", "\(folder.path)/none").code == "vault.not-found")
        let missing = await run("check", vault, "--key-file", "\(folder.path)/none")
        #expect(missing.code == "input.not-found" && missing.talk.contains("There is no key file"))
    }

    @Test func `a passphrase typed instead of a passphrase source is not printed`() async throws {
        let refused = await run("check", vault, "--passphrase", "hunter2")
        #expect(refused.status == 2)
        #expect(!refused.talk.contains("hunter2") && refused.talk.contains("file:PATH"))
    }

    @Test(arguments: [[], ["--full"]])
    func `vault rekey gives a vault another key, and the old one no longer opens it`(_ options: [String]) async throws {
        try await makeVault()
        let new = "\(folder.path)/new"
        var arguments = ["vault", "rekey", vault, "--key-file", keyFile, "--new-key-file", new]
        arguments += options
        #expect(await CommandRun.run(arguments).status == 0)
        #expect(await run("check", vault, "--key-file", keyFile).code == "vault.key.wrong")
        #expect(await run("check", vault, "--key-file", new).status == 0)
    }

    @Test func `a vault that cannot be made leaves no key file, and the path that is in the way is named`() async throws
    {
        let missing = await run("create", "\(folder.path)/none/vault", "--new-key-file", keyFile)
        #expect(missing.code == "vault.folder-missing" && missing.words.contains("/none"), "\(missing.talk)")
        let noFolder = await run("create", vault, "--new-key-file", "\(folder.path)/none/key")
        #expect(noFolder.code == "vault.folder-missing")
        #expect(try folder.names().isEmpty)
        try await makeVault()
        let again = await run("create", vault, "--new-key-file", "\(folder.path)/second")
        #expect(again.code == "vault.exists" && again.words.contains("There is a vault in "), "\(again.talk)")
        let taken = await run("create", "\(folder.path)/other", "--new-key-file", keyFile)
        #expect(taken.code == "vault.exists" && taken.words.contains("/key already"), "\(taken.talk)")
        let file = await run("create", keyFile, "--new-key-file", "\(folder.path)/second")
        #expect(file.code == "vault.exists" && file.words.contains("There is a file at"), "\(file.talk)")
        #expect(try folder.names() == ["key", "vault"])
    }

    @Test func `vault records are exported to one file and imported into another vault`() async throws {
        try await makeVault()
        let opened = try await Vault.open(at: vault, key: .keyFile(VaultKeyFile.read(keyFile)))
        try await opened.insert("a", in: "x", value: [1])
        await opened.close()
        let file = "\(folder.path)/export"
        let words = ["WORD": "carry me"]
        let options = ["--key-file", keyFile, "--export-passphrase", "env:WORD"]
        func carry(_ action: String, _ vault: String) async -> CommandRun {
            var setup = CommandRun.Setup()
            setup.variables = words
            return await CommandRun.run(["vault", action, vault, file] + options, setup)
        }
        let out = await carry("export", vault)
        #expect(out.status == 0 && out.lines == [] && out.talk.contains("1 records"), "\(out.talk)")
        #expect(await carry("export", vault).code == "vault.exists")
        #expect(await carry("import", vault).code == "vault.record.exists")
        let other = "\(folder.path)/other"
        #expect(await run("create", other, "--key-file", keyFile).status == 0)
        let into = await carry("import", other)
        #expect(into.lines == [] && into.talk.hasSuffix("1 records\n"), "\(into.talk)")
    }

    @Test func `vault check reports its findings, and they decide the exit status`() async throws {
        try await SampleVault.makeDamaged(vault, keyFile)
        let checked = await run("check", vault, "--key-file", keyFile)
        #expect(checked.code == "vault.integrity.altered" && checked.status == 5, "\(checked.talk)")
        #expect(checked.lines.contains { $0.hasPrefix("vault.integrity.altered  ") })
        #expect(checked.lines.last?.hasPrefix("0 records, ") == true)
    }
}
