import Foundation
import Terminal
import Testing

@Suite struct CompletionScriptTests {
    /// Returns the completions that bash offers after `words`, the last of which is being typed.
    private func offers(_ words: [String]) throws -> [String] {
        let script = CompletionScript.text(for: SampleProgram.root, shell: .bash)
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "--norc", "-c",
            script
                + "\nCOMP_WORDS=(sample \(quoted)); COMP_CWORD=\(words.count); _sample; printf '%s\\n' \"${COMPREPLY[@]}\"",
        ]
        process.currentDirectoryURL = URL(filePath: "/")
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `bash completion offers commands, then options, then values`() throws {
        #expect(try offers(["s"]) == ["send"])
        #expect(try offers(["tape", "r"]) == ["replay"])
        #expect(try offers(["send", "--t"]) == ["--to", "--tag", "--timeout"])
        #expect(try offers(["send", "--link", "phone"]) == ["phone-5", "phone-4.2"])
        #expect(try offers(["look", "et"]).contains("etc"))
        #expect(try offers(["send", "--to", ""]).isEmpty)
    }

    @Test func `every option and command is in the completion scripts of all shells`() {
        for shell in CompletionScript.Shell.allCases {
            let script = CompletionScript.text(for: SampleProgram.root, shell: shell)
            for word in ["send", "look", "peek", "tape", "replay", "timeout", "phone-4.2"] {
                #expect(script.contains(word), "\(word) in \(shell)")
            }
        }
    }

    @Test func `an apostrophe in a help text cannot end a string of the fish script`() {
        let root = CommandDeclaration("x", "X.", subcommands: [CommandDeclaration("y", "It's y.")])
        #expect(CompletionScript.text(for: root, shell: .fish).contains("'It\\'s y.'"))
    }
}
