/// Rules that let hand-over and proximity compile on Apple's systems, and rules about the stand-ins.
enum AppleRules {
    /// The products that are for Apple's systems too.
    static let products: Set<String> = ["TuvaliHandover", "HeraldProximity", "CoreBluetoothRadio"]

    /// Modules that exist on Linux alone, beside those that pkg-config finds.
    static let linuxModules: Set<String> = ["CLinux", "CPostgres", "CAssets"]

    /// Names of the standard library and its companions that are newer than macOS 13 and iOS 16.
    static let tooNew = [
        "withDiscardingTaskGroup", "withThrowingDiscardingTaskGroup", "InlineArray", "Synchronization", "Mutex",
        "Int128",
        "UInt128", "ExecutorJob", "UTF8Span", "Observation",
    ]

    /// The modules of the products for Apple's systems, with all modules that they need.
    static func modules(in tree: SourceTree) -> Set<String> {
        let manifest = tree.file("Package.swift")?.text ?? ""
        let declared = PackageManifest.dependencies(in: manifest)
        var found: Set<String> = []
        var left = ProductRules.products(in: manifest).filter { products.contains($0.name) }.flatMap(\.targets)
        while let module = left.popLast() {
            guard found.insert(module).inserted else { continue }
            left += (declared[module] ?? []).intersection(declared.keys)
        }
        return found
    }

    /// The modules of system libraries that pkg-config finds.
    static func pkgConfigModules(in manifest: String) -> Set<String> {
        Set(
            manifest.split(separator: "\n").compactMap { line in
                let line = SwiftWords.trimmed(String(line))
                guard line.hasPrefix("library(\"") else { return nil }
                return line.split(separator: "\"").dropFirst().first.map(String.init)
            })
    }

    /// Finds code that does not compile on Apple's systems.
    ///
    /// That is imports of Debian's libraries, C library modules without an alternative, dependencies that are not
    /// conditional, and names that are too new.
    static func violations(in tree: SourceTree) -> [Violation] {
        let manifest = tree.file("Package.swift")?.text ?? ""
        let debian = pkgConfigModules(in: manifest).union(linuxModules)
        let modules = modules(in: tree)
        var found: [Violation] = []
        for module in modules.intersection(debian).subtracting(PackageManifest.linuxDependencies(in: manifest)).sorted()
        {
            found.append(
                Violation(
                    path: "Package.swift", line: 0,
                    sentence: "\(module) is not declared as onLinux, and is none of Apple's"))
        }
        for file in tree.sources where modules.contains(file.module ?? "") && file.layer != nil {
            found += importViolations(in: file, debian)
            for name in tooNew {
                guard let line = file.code.firstIndex(where: { SwiftWords.line($0, holds: name) }) else { continue }
                found.append(
                    Violation(path: file.path, line: line + 1, sentence: "\(name) is newer than macOS 13 and iOS 16"))
            }
        }
        return found
    }

    private static func importViolations(in file: SourceFile, _ debian: Set<String>) -> [Violation] {
        let first = String(SwiftWords.trimmed(file.code.first ?? ""))
        return ImportRules.imports(of: file).compactMap { line, module in
            let sentence: String
            switch module {
            case _ where debian.contains(module):
                if first == "#if DEBIAN_LIBRARIES" { return nil }
                sentence = "\(module) is Debian's: the file has to stand in #if DEBIAN_LIBRARIES"
            case "Glibc", "FoundationEssentials":
                let before = file.code[..<(line - 1)].map(SwiftWords.trimmed)
                if before.last(where: { $0.hasPrefix("#") }) == "#else" { return nil }
                sentence = "\(module) is not on Apple's systems: it has to stand in the #else of canImport(Darwin)"
            case "CoreBluetooth", "CryptoKit":
                let condition = module == "CryptoKit" ? "#if !DEBIAN_LIBRARIES" : "#if CORE_BLUETOOTH"
                if first == condition { return nil }
                sentence = "\(module) is Apple's: the file has to stand in \(condition)"
            default: return nil
            }
            return Violation(path: file.path, line: line, sentence: sentence)
        }
    }

    /// Finds modules that the stand-ins' package leaves out, or compiles with other dependencies than Apple's systems.
    static func standInViolations(in tree: SourceTree) -> [Violation] {
        let path = "Tests/AppleStandIns/Package.swift"
        let manifest = tree.file("Package.swift")?.text ?? ""
        let own = PackageManifest.dependencies(in: manifest)
        let there = PackageManifest.dependencies(in: tree.file(path)?.text ?? "")
        let debian = pkgConfigModules(in: manifest)
        return modules(in: tree).subtracting(debian).sorted().compactMap { module in
            guard let uses = own[module] else { return nil }
            guard let compiled = there[module] else {
                return Violation(path: path, line: 0, sentence: "\(module) is not compiled over the stand-ins")
            }
            let expected = uses.intersection(own.keys).subtracting(debian)
            let found = compiled.intersection(own.keys).subtracting(debian)
            if expected == found { return nil }
            return Violation(
                path: path, line: 0,
                sentence: "\(module) uses \(found.sorted()) there and \(expected.sorted()) in Package.swift")
        }
    }

    /// Finds names that a stand-in declares and that the table of the stand-ins lacks.
    static func unlistedNames(in tree: SourceTree) -> [Violation] {
        let listed = Set(SwiftWords.words(of: tree.file("Documentation/Evidence/AppleStandIns.md")?.text ?? ""))
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "case", "typealias"]
        let folders = ["CoreBluetooth", "CryptoKit"]
        // Calls that a test makes to a simulated phone are not part of Apple's interface.
        let files = tree.tests.filter { file in
            file.module == "AppleStandIns" && file.folders.count == 3 && folders.contains(file.folders[2])
                && !file.path.hasSuffix("/SimulatedPhone.swift")
        }
        return files.flatMap { file in
            file.code.enumerated().compactMap { index, line -> Violation? in
                let words = SwiftWords.words(of: line)
                let isPublic = words.first == "public" || words.first == "open"
                let isDeclared = SwiftWords.trimmed(line).dropFirst(5).first?.isLetter == true
                let hasValue = line.contains(" = ") || file.path.hasSuffix("/Keys.swift")
                let isCase = words.first == "case" && isDeclared && hasValue
                let isRequirement = file.path.hasSuffix("/Delegates.swift") && words.first == "func"
                guard isPublic || isCase || isRequirement, words.count > 1, words[1] != "import",
                    let kind = words.firstIndex(where: { kinds.contains($0) && $0 != "class" })
                        ?? words.firstIndex(of: "class"),
                    kind + 1 < words.count
                else { return nil }
                let name = words[kind + 1]
                if listed.contains(name) { return nil }
                let sentence = "\(name) is not in Documentation/Evidence/AppleStandIns.md"
                return Violation(path: file.path, line: index + 1, sentence: sentence)
            }
        }
    }
}
