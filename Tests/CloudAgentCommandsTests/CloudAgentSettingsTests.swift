import Aries
import CloudAgent
import CommandTestSupport
import Commands
import Foundation
import Terminal
import TestSupport
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgentCommands
@testable import CommandProgram

@Suite struct CloudAgentSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> CloudAgentSettings
    {
        let request = try ArgumentParser(Program.symbolon.root).parse(["agent", "run"] + arguments)
        guard case .run(let parsed) = request else { throw CancellationError() }
        return try CloudAgentSettings(parsed, variables)
    }

    private func code(_ body: () throws -> CloudAgentSettings) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return CommandFailure(error).code
        }
    }

    private func source(_ name: String, of settings: CloudAgentSettings) -> CloudAgentSettings.CloudAgentSettingSource?
    {
        settings.found.first { $0.setting.name == name }?.source
    }

    @Test func `an agent option overrides the environment, which overrides the file, which overrides the default`()
        throws
    {
        let file = try folder.write("a.conf", "# ours\n\n  label =  From the file \r\naccounts=7\nadmission = closed\n")
        let variables = ["SYMBOLON_AGENT_CONFIG": file, "SYMBOLON_AGENT_LABEL": "From outside"]
        let settings = try settings(["--open"], variables)
        #expect(settings[CloudAgentSettings.label] == "From outside")
        #expect(source("label", of: settings) == .environment(variable: "SYMBOLON_AGENT_LABEL"))
        #expect(settings[CloudAgentSettings.accounts] == 7)
        #expect(source("accounts", of: settings) == .file(path: file, line: 4))
        #expect(
            settings[CloudAgentSettings.admission] == .open
                && source("admission", of: settings) == .option(name: "open"))
        #expect(settings[CloudAgentSettings.keyMessages] == 400 && source("key-messages", of: settings) == .usual)
        #expect(settings[CloudAgentSettings.publicURL] == nil)
        let again = try self.settings(["--label", "Mine", "--config", file], ["SYMBOLON_AGENT_LABEL": ""])
        #expect(again[CloudAgentSettings.label] == "Mine" && again[CloudAgentSettings.admission] == .closed)
    }

    @Test func `the sample of settings has each setting, commented out, and its defaults change nothing`() throws {
        let lines = CloudAgentConfigSampleCommand.text.split(separator: "\n")
        for setting in CloudAgentSettings.table {
            let assignments = lines.filter { $0.hasPrefix("#\(setting.name) = ") }
            #expect(assignments.count == 1, "\(setting.name)")
            #expect(lines.contains { $0.hasPrefix("# ") && "\(setting.help).".hasPrefix($0.dropFirst(2).prefix(20)) })
        }
        #expect(lines.allSatisfy { $0.hasPrefix("#") })
        let defaults = CloudAgentSettings.table.filter { !$0.usual.isEmpty }
        let uncommented = defaults.compactMap { setting in
            lines.first { $0.hasPrefix("#\(setting.name) = ") }?.dropFirst()
        }
        let settings = try settings(["--config", try folder.write("s.conf", uncommented.joined(separator: "\n"))])
        for setting in defaults {
            #expect(settings.found.first { $0.setting.name == setting.name }?.text == setting.usual)
        }
        _ = try settings.configuration()
    }

    @Test func `a wrong, repeated or unknown line of the agent's configuration file is named by its number`() throws {
        for (text, code, words) in [
            ("label = x\nlabel = y", "config.malformed", "line 2"), ("# x\nlabel", "config.malformed", "line 2"),
            ("label =", "config.malformed", "line 1"), ("= x", "config.malformed", "line 1"),
            ("label = a\u{7}b", "config.malformed", "line 1"),
            ("\nlabell = x", "config.unknown-setting", "Did you mean label?"),
            ("open = yes", "config.unknown-setting", "line 1"), ("\n\naccounts = many", "config.bad-value", "line 3"),
            ("accounts = 0", "config.bad-value", "line 1"),
            ("label = x # no comment\nfoo = 1", "config.unknown-setting", "line 2"),
        ] {
            let file = try folder.write("b.conf", text)
            do {
                _ = try settings(["--config", file])
                Issue.record("“\(text)” was taken")
            } catch let error as CommandError {
                #expect(error.code.rawValue == code && error.reason.contains(words), "\(error)")
            }
        }
        #expect(
            try settings(["--config", folder.write("c.conf", "label = x # y")])[CloudAgentSettings.label] == "x # y")
        #expect(
            code { try settings(["--config", try folder.write("d.conf", [0x61, 0x3D, 0xFF])]) } == "config.malformed")
        #expect(code { try settings(["--config", "\(folder.path)/none"]) } == "config.not-found")
    }

    @Test func `a configuration line that is cut short or contains no text is refused`() {
        let line = Array("label = x".utf8)
        let read: ([UInt8]) throws -> [SettingsFile.Line]? = {
            try SettingsFile.parse($0, name: "file", names: CloudAgentSettings.table.map(\.name))
        }
        #expect(DecoderVerifier.acceptedTruncations(of: line, by: read) == [0], "an empty file decides nothing")
        #expect(DecoderVerifier.acceptedExtensions(of: line, by: read) == [])
    }

    @Test func `a configuration file at the size limit is read and one byte more refused`() throws {
        let rest = String(repeating: "#", count: SettingsFile.maximumBytes - 10)
        #expect(
            try settings(["--config", folder.write("e.conf", "label = x\n" + rest)])[CloudAgentSettings.label] == "x")
        #expect(
            code { try settings(["--config", try folder.write("f.conf", "label = x\n#" + rest)]) } == "input.too-large")
    }

    @Test func `an unknown SYMBOLON_AGENT_ variable is refused, and other variables are ignored`() throws {
        #expect(code { try settings([], ["SYMBOLON_AGENT_LABLE": "x"]) } == "config.unknown-setting")
        #expect(code { try settings([], ["SYMBOLON_AGENT_LISTEN": "8040"]) } == "config.bad-value")
        #expect(try settings([], ["SYMBOLON_AGENTS": "x", "PATH": "/"]).found.allSatisfy { $0.source == .usual })
    }

    @Test func `the default values in the table of settings are those of the libraries`() throws {
        let settings = try settings()
        let (made, plain) = (try settings.configuration(), CloudAgentConfiguration())
        #expect(made.label == plain.label && made.admission == plain.admission && made.messageAge == plain.messageAge)
        #expect(made.server.limits == plain.server.limits && made.server.address == plain.server.address)
        #expect(made.server.port == 8040)
        #expect(made.perSourceRate == plain.perSourceRate && made.perSourceBurst == plain.perSourceBurst)
        #expect(made.perSourceAccounts == plain.perSourceAccounts)
        #expect(settings.storeLimits == StoreLimits())
    }

    @Test func `trusted proxies are a list of networks with the header that they write, or neither`() throws {
        let given = ["--proxies", "10.0.0.5,2001:db8::/32", "--proxy-header", "proxy-protocol"]
        let proxies = try #require(try settings(given).configuration().server.proxies)
        #expect(proxies.method == .proxyProtocol)
        #expect(proxies.networks.map(\.description) == ["10.0.0.5/32", "2001:db8::/32"])
        #expect(try settings().configuration().server.proxies == nil)
        for half in [Array(given[..<2]), Array(given[2...])] {
            #expect(throws: UsageError.self) { try settings(half).configuration() }
        }
        for text in ["10.0.0.5,", ",10.0.0.5", "10.0.0.0/33", "10.0.0.1/8", "a.example", "10.0.0.5, 10.0.0.6"] {
            #expect(code { try settings(["--proxies", text]) } == "usage.bad-value", "\(text)")
        }
    }

    @Test func `1 to 64 threads may serve connections, by default one for each processor`() throws {
        #expect(try settings().configuration().server.threads == ServerConfiguration.processorCount)
        for count in [1, 64] {
            #expect(try settings(["--threads", "\(count)"]).configuration().server.threads == count)
        }
        for text in ["0", "65"] { #expect(code { try settings(["--threads", text]) } == "usage.bad-value") }
    }

    @Test func `byte quotas may be 1 KiB to 1024 GiB, and their soft limits are within the hard ones`() throws {
        for size in ["1024", "1KiB", "1024GiB"] {
            let text = "account-messages = 1\naccount-bytes = \(size)\nkey-messages = 1\nkey-bytes = \(size)\n"
            let limits = try settings(["--config", folder.write("g.conf", text)]).storeLimits
            #expect(limits.account.hard.count == 1 && limits.key.soft.bytes <= limits.key.hard.bytes)
        }
        for size in ["1023", "1025GiB", "0KiB", "1kb", "KiB", "-1", "9223372036854775807GiB", "1 MiB"] {
            #expect(code { try settings(["--account-bytes", size]) } == "usage.bad-value", "\(size)")
        }
    }

    @Test func `the manual's table has each setting with its variable, its form and its default`() throws {
        let file = OutsideVectors.packageRoot.appending(path: "Documentation/Manual/CloudAgent.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        for setting in CloudAgentSettings.table {
            let options = setting.options.map { "`--\($0.name)`" }.joined(separator: " ")
            let form = setting.form.split(separator: "|").joined(separator: "\\|")
            let row =
                "| `\(setting.name)` | \(options) | `\(form)` | \(setting.usual.isEmpty ? "–" : "`\(setting.usual)`") |"
            #expect(rows.contains { $0.hasPrefix(row) }, "\(row)")
        }
        #expect(rows.filter { $0.contains("` | `--") }.count == CloudAgentSettings.table.count)
    }
}
