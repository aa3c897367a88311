/// A reader of the targets in Package.swift: rows whose first text is a folder, and plain targets.
enum PackageManifest {
    /// The names of all targets in a manifest, with the targets that each declares to use.
    static func dependencies(in manifest: String) -> [String: Set<String>] {
        let file = SourceFile("Package.swift", manifest)
        let rows = ["library", "module", "program"]
        let targets = [".target", ".executableTarget", ".testTarget", ".systemLibrary"]
        guard let body = file.text.split(separator: "let package = ", maxSplits: 1).last else { return [:] }
        var found: [String: Set<String>] = [:]
        for call in calls(in: String(body), to: rows + targets) {
            guard let name = call.name else { continue }
            found[name] = Set(call.words)
        }
        for call in calls(in: String(body), to: ["tests"]) {
            guard let name = call.name else { continue }
            found[name] = Set(call.words + [String(name.dropLast("Tests".count)), "TestSupport"])
        }
        return found
    }

    /// The targets that the manifest uses on Linux only.
    static func linuxDependencies(in manifest: String) -> Set<String> {
        let texts = manifest.split(separator: "onLinux: \"").dropFirst()
        return Set(texts.flatMap { $0.prefix { $0 != "\"" }.split(separator: " ").map(String.init) })
    }

    private struct Call {
        /// The string literals among the call's arguments, the name or the folder first.
        var strings: [String]

        /// The name of the target: the last component of the first text.
        var name: String? { strings.first?.split(separator: "/").last.map(String.init) }

        /// The words of the texts after the first.
        var words: [String] {
            strings.dropFirst().flatMap { $0.split { $0 == " " || $0 == "\n" }.map(String.init) }
        }
    }

    /// The calls to the named functions that stand at the beginning of a line, with every string inside their brackets.
    private static func calls(in text: String, to names: [String]) -> [Call] {
        var found: [Call] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let line = SwiftWords.trimmed(String(line))
            guard names.contains(where: { line.hasPrefix($0 + "(") }) else { continue }
            let rest = lines[number...].joined(separator: "\n")
            found.append(Call(strings: strings(of: rest)))
        }
        return found
    }

    /// The string literals in the parentheses of a call.
    private static func strings(of text: String) -> [String] {
        var found: [String] = []
        var current: String?
        var depth = 0
        for character in text {
            if let open = current {
                current = character == "\"" ? nil : open + String(character)
                if character == "\"" { found.append(open) }
            } else if character == "\"" {
                current = ""
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth -= 1
                if depth == 0 { break }
            }
        }
        return found
    }
}
