import CommandTestSupport
import Foundation
import Terminal
import Testing

@testable import CommandProgram
@testable import HandoverCommands

@Suite struct ReceiveScreenTests {
    /// Returns the lines that a terminal of 80 by 24 shows after `text`.
    private static func screen(_ text: String, rows: Int = 24) -> [String] {
        var lines = [""]
        var row = 0
        var rest = Substring(text)
        while let next = rest.first {
            rest.removeFirst()
            switch next {
            case "\n":
                row += 1
                if row == lines.count { lines.append("") }
            case "\r": break
            case "\u{1B}":
                let end = rest.firstIndex { $0.isLetter } ?? rest.index(before: rest.endIndex)
                let sequence = rest[...end]
                rest = rest[rest.index(after: end)...]
                if sequence == "[1A" { row = max(0, row - 1) }
                if sequence == "[2K" { lines[row] = "" }
            default: lines[row].append(next)
            }
        }
        return lines[max(0, row + 1 - rows)...row].map { String($0) }
    }

    private static let credential = """
        {"@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential", "LibraryCard"],
         "issuer": {"id": "did:example:library", "name": "City Library"}, "validFrom": "2026-01-01T00:00:00Z",
         "validUntil": "2031-05-06T00:00:00Z",
         "credentialSubject": {"givenName": "Ada", "familyName": [{"language": "de", "value": "Muster"},
         {"language": "en", "value": "Sample"}], "portrait": "data:image/png;base64,AAAA"}}
        """

    private func received(
        _ content: String, window: WindowSize, answers: [String] = ["y"], _ arguments: [String] = []
    ) async throws -> CommandRun {
        let handOver = try HandOver()
        let file = try handOver.folder.write("card.json", content)
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.window = window
        setup.answers = answers
        setup.variables["NO_COLOR"] = "1"
        let (uri, receiving) = try await handOver.receive(arguments, setup)
        _ = await handOver.send(file, to: uri)
        return await receiving.value
    }

    @Test func `at 80 by 24 the screen says that the radio is simulated, and that a QR code is in use`() async throws {
        let run = try await received(Self.credential, window: WindowSize(columns: 80, rows: 24))
        let waits = try #require(run.talk.range(of: "Waits for"))
        let waiting = Self.screen(String(run.talk[..<waits.upperBound])).joined(separator: " ")
        #expect(waiting.contains("Simulated radio: no phone can"))
        #expect(!waiting.contains("in use"))
        let taken = try #require(run.talk.range(of: "A wallet uses this code."))
        let after = run.talk[taken.upperBound...].range(of: "in use")
        #expect(after != nil)
        let end = try #require(run.talk.range(of: "Accept it? [y/N] "))
        let screen = Self.screen(String(run.talk[..<end.upperBound]))
        #expect(screen.contains { $0.contains("in use") })
        #expect(!screen.contains { $0.contains("█") }, "the code cannot be scanned again")
    }

    @Test func `at 80 by 24 check words, URI, credential and question are on the screen together`() async throws {
        let run = try await received(Self.credential, window: WindowSize(columns: 80, rows: 24))
        #expect(run.status == 0)
        let end = try #require(run.talk.range(of: "Accept it? [y/N] "))
        let screen = Self.screen(String(run.talk[..<end.upperBound]))
        try #require(screen.count == 24, "\(run.talk)")
        #expect(screen.allSatisfy { TerminalText.width(of: $0) <= 80 })
        #expect(screen[..<23].allSatisfy { $0.hasPrefix("░") })
        let beside = screen[..<23].map { String($0.dropFirst(47)) }
        let uri = try #require(run.lines.first { $0.hasPrefix("OPENID4VP://") })
        #expect(beside.joined().contains(uri))
        #expect(beside.contains("check words:"))
        let text = beside.joined(separator: " ")
        #expect(text.contains("type: LibraryCard"))
        #expect(text.contains("issuer: “did:example:library”,   as it claims"))
        #expect(text.contains("name: Ada Sample"))
        #expect(text.contains("valid: 2026-01-01 to   2031-05-06"))
        #expect(text.contains("pictures: 1"))
        #expect(text.contains("check:"))
        #expect(screen[23].hasPrefix("? Accept it?"))
    }

    @Test func `at 80 by 24 the longer QR code of receive --ask is on the screen too`() async throws {
        let run = try await received(
            Self.credential, window: WindowSize(columns: 80, rows: 24), ["--ask", "age-over-18,name"])
        #expect(!run.talk.contains("The QR code needs"))
        let end = try #require(run.talk.range(of: "Waits for"))
        let screen = Self.screen(String(run.talk[..<end.upperBound]))
        #expect(screen.joined().contains("check words:"))
        #expect(screen.allSatisfy { TerminalText.width(of: $0) <= 80 })
    }

    @Test func `a window too small for the QR code gets a hint, and the credential as lines`() async throws {
        let run = try await received(Self.credential, window: WindowSize(columns: 60, rows: 20))
        #expect(run.talk.contains("--qr-file code.png writes it as a picture."))
        #expect(run.talk.contains("name         Ada Sample"))
    }

    @Test(arguments: [60, 80, 120])
    func `text in a credential cannot imitate a line of the program, and its claimed issuer is quoted`(
        columns: Int
    ) async throws {
        for gap in [
            String(repeating: " ", count: 57), String(repeating: "\u{A0}", count: 57),
            String(repeating: ".", count: 57),
        ] {
            let claimed = "Example University (https://uni.example)"
            let text = Self.credential
                .replacing(
                    "\"value\": \"Sample\"", with: "\"value\": \"Sample\(gap)check        The credential is genuine\""
                )
                .replacing("did:example:library", with: claimed)
            let run = try await received(text, window: WindowSize(columns: columns, rows: 20))
            let lines = run.talk.split(whereSeparator: \.isNewline)
            #expect(!lines.contains { $0.hasPrefix("check") && $0.contains("genuine") }, "\(run.talk)")
            #expect(run.words.contains("“\(claimed)”, as it claims"))
        }
    }

    @Test func `a rejected credential ends receive with 14 and without an error`() async throws {
        let run = try await received(Self.credential, window: WindowSize(columns: 80, rows: 24), answers: ["n"])
        #expect(run.status == 14)
        #expect(run.talk.contains("Rejected.") && !run.talk.contains("error:"))
        #expect(CommandError(.arrivalRejected, "").code.rawValue == "receive.rejected")
    }

    @Test func `an empty answer of the operator rejects a credential that is not genuine`() async throws {
        for arguments in [[], ["--check"]] {
            let run = try await received(
                Self.credential, window: WindowSize(columns: 80, rows: 24), answers: [""], arguments)
            #expect(run.status == 14, "\(run.talk)")
            #expect(run.talk.contains("Accept it? [y/N] ") && run.talk.contains("Rejected."))
        }
    }

    @Test func `a payload that is no credential is called that before the question`() async throws {
        let run = try await received("{\"x\": 1}", window: WindowSize(columns: 100, rows: 50))
        #expect(run.talk.contains("type: no credential that is known"))
    }

    @Test func `without a terminal receive prints no hint about the window`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive()
        _ = await handOver.send(file.path, to: uri)
        let run = await receiving.value
        #expect(run.status == 0)
        // The check words come from a list in which “window” is one.
        let lines = run.talk.split(separator: "\n").filter { !$0.contains("check words") }
        #expect(lines.count > 3)
        #expect(!lines.contains { $0.contains("window") || $0.contains("Ctrl-C") })
    }
}
