/// A reader of the targets in Package.swift: understands the house's one-line helpers and plain targets.
enum PackageManifest {
    /// Every target of ours with the targets it declares to use.
    static func dependencies(in manifest: String) -> [String: Set<String>] {
        let file = SourceFile("Package.swift", manifest)
        let helpers = ["library", "foundation", "protocolCore", "simulation", "radio", "runtime", "commandLine"]
        let targets = [".target", ".executableTarget", ".testTarget", ".systemLibrary"]
        guard let body = file.text.split(separator: "let package = ", maxSplits: 1).last else { return [:] }
        var found: [String: Set<String>] = [:]
        for call in calls(in: String(body), to: helpers + targets) {
            guard let name = call.strings.first else { continue }
            found[name] = Set(call.strings.dropFirst())
        }
        for call in calls(in: String(body), to: ["tests"]) {
            guard let name = call.strings.first else { continue }
            found[name + "Tests"] = Set(call.strings + ["TestSupport"])
        }
        // The package of the stand-ins names the folder of a module first.
        for call in calls(in: String(body), to: ["module"]) where call.strings.count > 1 {
            found[call.strings[1]] = Set(call.strings.dropFirst(2))
        }
        return found
    }

    private struct Call {
        /// The string literals among its arguments, the name first.
        var strings: [String]
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

    /// The string literals up to the bracket that closes the first one opened.
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
