import Testing

@Suite struct WordRulesTests {
    private let tree = SourceTree.package

    private func count(_ text: String) -> Int { WordRules.count(in: SourceFile("Sources/A/B/C.swift", text)) }

    @Test func `comments and test names have at most the allowed number of banned words`() {
        let roots: Set<String> = ["Sources", "Tests", "Fuzz", "Examples", "Scripts", "Packaging"]
        let sum = tree.files.filter { roots.contains($0.folders.first ?? "") }.reduce(0) {
            $0 + WordRules.count(in: $1)
        }
        print("banned words: \(sum), at most \(WordRules.ceiling)")
        #expect(sum <= WordRules.ceiling)
        #expect(sum >= WordRules.ceiling - 60, "lower WordRules.ceiling to \(sum)")
    }

    @Test func `no type name has a metaphor or misuses a reserved word`() {
        let roots: Set<String> = ["Sources", "Tests", "Fuzz", "Examples"]
        let files = tree.files.filter { roots.contains($0.folders.first ?? "") }
        #expect(WordRules.nameViolations(in: files) == [])
    }

    @Test func `a planted banned word in a comment or in the name of a test is caught`() {
        let word = WordRules.bannedPhrases[0]
        #expect(count("/// Is for \(word).") == 1)
        #expect(count("    // \(word.uppercased()), and \(word)") == 2)
        #expect(count("    @Test func `\(word) is refused`() {") == 1)
        #expect(count("let a = \"\(word)\"") == 0)
        #expect(count("/// \(word)s are another word") == 0)
    }

    @Test func `a planted banned word in a conformance case or a script's comment is detected`() {
        let word = WordRules.bannedPhrases[0]
        #expect(count("        Case(\"\(word) is refused\") { bench in") == 1)
        func script(_ text: String) -> Int { WordRules.count(in: SourceFile("Scripts/a.py", text)) }
        #expect(script("# Is for \(word).\nx = 1  # \(word)\n") == 2)
        #expect(script("\"\"\"Is for \(word).\n\(word) again\n\"\"\"\n") == 2)
        #expect(script("user = \"\(word)\"\n") == 0)
        #expect(WordRules.count(in: SourceFile("Scripts/a.sh", "as_user \(word)\n    # for \(word)\n")) == 1)
    }

    @Test func `no function, variable or case of the sources has a banned part in its name`() {
        #expect(WordRules.declarationViolations(in: tree.sources) == [])
    }

    @Test func `a planted banned part in the name of a function, variable or case is detected`() {
        let part = "told"
        let found = WordRules.declarationViolations(in: [
            SourceFile("Sources/A/B/C.swift", "func \(part)(_ a: Int) {}\nlet isTold = true\nvar soldTolder = 1\n"),
            SourceFile("Sources/A/B/D.swift", "enum E {\n    case goodbyeWait\n}\n// let \(part)\n"),
        ])
        #expect(
            found.map(\.sentence) == [
                "told: told is no term", "isTold: told is no term", "goodbyeWait: goodbye is no term",
            ])
        #expect(found.map(\.line) == [1, 2, 2])
    }

    @Test func `a planted banned part in the name of a type is caught`() {
        let found = WordRules.nameViolations(in: [
            SourceFile("Sources/A/B/KeyCabinet.swift", "struct KeyCabinet {\n}\n"),
            SourceFile("Sources/A/B/KeyCache.swift", "public struct KeyCache {\n    enum GuestBook {}\n}\n"),
            SourceFile("Sources/A/B/SerialLine.swift", "\nprivate final class HTTPLine {}\n"),
            SourceFile("Sources/A/CloudAgent/Store.swift", "actor AgentKiosk {}\nstruct CloudAgentServer {}\n"),
            SourceFile("Tests/BTests/C.swift", "protocol Earth {}\nlet a = \"struct Desk\"\n// enum Desk\n"),
            SourceFile("Fuzz/Sources/D.swift", "typealias MediatorDesk = Int\n"),
        ])
        #expect(
            found.map(\.sentence) == [
                "KeyCabinet: Cabinet is a metaphor, no term", "GuestBook: Guest is a metaphor, no term",
                "HTTPLine: Line stands for a line of text alone",
                "AgentKiosk: an agent is the wallet's; the server is a mediator",
                "MediatorDesk: Desk is a metaphor, no term",
            ])
        #expect(found.map(\.line) == [1, 2, 2, 1, 1])
    }

    @Test func `every listed exception of a naming rule is still needed`() {
        let keys = Set(
            tree.files.flatMap { file in
                WordRules.typeNames(in: file).map { WordRules.key(of: $0.name, in: file) }
            })
        #expect(Set(Exceptions.names.keys).subtracting(keys) == [])
        #expect(Exceptions.linesOfText.subtracting(keys) == [])
        let declared = Set(
            tree.sources.flatMap { file in
                WordRules.declarations(in: file).map { WordRules.key(of: $0.name, in: file) }
            })
        #expect(Set(Exceptions.declarations.keys).subtracting(declared) == [])
    }

    @Test func `the glossary has each term once, with meaning and source`() throws {
        let page = try #require(tree.file("Documentation/Architecture.md"))
        #expect(WordRules.glossary(of: page).count > 80)
        #expect(WordRules.glossaryViolations(in: page) == [])
    }

    @Test func `a planted glossary term that is listed twice or without its source is caught`() {
        let table = "| We say | Meaning | From | Others say |\n|---|---|---|---|\n"
        let page = SourceFile(
            "A.md",
            "| a | b |\n## Words\n\n\(table)| link, queue | x | – | – |\n| Queue | y | – | – |\n| line | z | – |\n")
        #expect(WordRules.glossary(of: page) == ["link", "queue", "Queue", "line"])
        #expect(WordRules.glossaryViolations(in: page) == ["Queue", "line 8"])
    }
}
