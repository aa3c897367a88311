/// Counts the settings that the libraries promise to applications.
enum SettingRules {
    /// The most public settings; only a page in `Documentation/Decisions` raises it.
    static let budget = 120

    /// The endings by which the names of settings types are recognised.
    static let typeEndings = [
        "Configuration", "Limits", "Options", "Parameters", "Policy", "Profile", "Rules", "Settings", "Times", "Timing",
    ]

    /// Modules whose settings have the names of another library, which applications move from.
    static let foreignModules: Set<String> = ["HeraldCompatibility", "TuvaliCompatibility"]

    /// The public stored variables with a default in types of settings, each as `Type.name`.
    ///
    /// An optional variable has the default nil.
    static func settings(in file: SourceFile) -> [String] {
        guard let module = file.module, !foreignModules.contains(module) else { return [] }
        var types: [(indentation: Int, name: String)] = []
        var found: [String] = []
        for line in file.code {
            let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            let words = SwiftWords.words(of: line)
            if let kind = words.firstIndex(where: { ["struct", "class", "enum", "actor", "extension"].contains($0) }),
                kind + 1 < words.count, words[..<kind].allSatisfy({ $0 != "var" && $0 != "let" && $0 != "func" })
            {
                types.removeAll { $0.indentation >= indentation }
                types.append((indentation, words[(kind + 1)...].prefix { $0 != "where" }.first ?? ""))
            }
            guard let type = types.last(where: { $0.indentation < indentation }),
                typeEndings.contains(where: type.name.hasSuffix), let name = setting(line, words)
            else { continue }
            found.append("\(type.name).\(name)")
        }
        return found
    }

    /// The name of the public stored variable with a default that a line declares; nil for any other line.
    private static func setting(_ line: String, _ words: [String]) -> String? {
        guard let start = words.firstIndex(of: "public"), start + 2 < words.count, words[start + 1] == "var" else {
            return nil
        }
        let head = line.prefix { $0 != "{" }
        let isOptional = SwiftWords.trimmed(line).hasSuffix("?") && !line.contains("{")
        return head.contains("=") || isOptional ? words[start + 2] : nil
    }
}
