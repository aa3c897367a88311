/// Rules for imports between layers and modules, as Documentation/Architecture.md draws them.
enum ImportRules {
    /// The layers of the package, the lowest first.
    static let layers = ["Foundations", "Protocols", "Radio", "Simulation", "Runtime", "CommandLine", "Lab"]

    /// The modules outside the lab that may import `Air` and the layer Simulation.
    static let simulationReaders: Set<String> = [
        "Air", "StockHeralds", "ProximitySimulation", "VirtualRadio", "CommandProgram", "ProximityCommands",
    ]

    /// The modules of simulated radio, with the cores that each drives in virtual time beside `Bluetooth`.
    static let simulatedCores: [String: Set<String>] = [
        "Air": [], "StockHeralds": [], "ProximitySimulation": ["Herald"], "StockPeers": [],
        "TransferSimulation": ["Tuvali"],
    ]

    /// The cores that may import another core, with that core.
    static let coreArrows = [
        "Aries": "DIDComm", "Credentials": "LinkedData", "Presentations": "Credentials", "Codes": "Credentials",
        "MobileSession": "Credentials",
    ]

    /// The module that each executable calls.
    static let programs = ["symbolon": "Commands", "symbolon-lab": "LabCommands"]

    /// Modules of the toolchain and of the system that a layer may import.
    static let system: [String: Set<String>] = [
        "Foundations": ["FoundationEssentials", "Foundation", "Glibc", "Darwin", "Synchronization", "CryptoKit"],
        "Protocols": ["FoundationEssentials", "Foundation"],
        "Simulation": ["FoundationEssentials", "Foundation"],
        "Radio": [
            "FoundationEssentials", "Foundation", "Glibc", "Darwin", "Dispatch", "Synchronization", "CoreBluetooth",
        ],
        "Runtime": ["FoundationEssentials", "Foundation", "Glibc", "Darwin", "Dispatch", "Synchronization"],
        "CommandLine": ["FoundationEssentials", "Foundation", "Glibc", "Darwin", "Dispatch", "Synchronization"],
        "Lab": ["FoundationEssentials", "Foundation", "Glibc", "Darwin", "Dispatch", "Synchronization"],
    ]

    /// Files that may import more, for the C library's mathematics; each says so in its first comment.
    static let systemByFile: [String: Set<String>] = [
        "Sources/Protocols/Herald/Distance/CLibraryMath.swift": ["Glibc", "Darwin"]
    ]

    /// Finds imports that the architecture forbids, or that Package.swift does not declare.
    static func violations(in tree: SourceTree) -> [Violation] {
        let layerOf = Dictionary(
            tree.files.compactMap { file in file.layer.map { (file.module ?? "", $0) } },
            uniquingKeysWith: { one, _ in one })
        let declared = PackageManifest.dependencies(in: tree.file("Package.swift")?.text ?? "")
        var found: [Violation] = []
        // The stand-ins, whose dependencies AppleRules read, and Compatibility are packages of their own.
        for file in tree.sources + tree.tests
        where file.module != "AppleStandIns" && file.folders.first != "Compatibility" {
            for (number, module) in imports(of: file) {
                let complaint =
                    arrow(from: file, to: module, layerOf: layerOf)
                    ?? declaration(of: module, in: file, known: Set(declared.keys), declared: declared)
                if let complaint { found.append(Violation(path: file.path, line: number, sentence: complaint)) }
            }
        }
        return found
    }

    /// Finds modules that a target declares to use and imports nowhere.
    ///
    /// Programs are left out, which tests start and do not import, and so is `TestSupport`, which all tests may use.
    static func unusedDependencies(in tree: SourceTree) -> [Violation] {
        let manifest = tree.file("Package.swift")?.text ?? ""
        let declared = PackageManifest.dependencies(in: manifest)
        var imported: [String: Set<String>] = [:]
        for file in tree.sources + tree.tests {
            guard let module = file.module else { continue }
            imported[module, default: []].formUnion(imports(of: file).map(\.module))
        }
        let programs = Set(declared.keys.filter { $0.contains("-") })
        return declared.flatMap { own, uses in
            guard let used = imported[own] else { return [Violation]() }
            let tested = own.hasSuffix("Tests") ? String(own.dropLast(5)) : own
            let known = uses.intersection(declared.keys).subtracting(programs).subtracting([own, tested, "TestSupport"])
            return known.subtracting(used).map {
                Violation(
                    path: "Package.swift", line: 0, sentence: "\(own) declares that it uses \($0), and never imports it"
                )
            }
        }
        .sorted { $0.sentence < $1.sentence }
    }

    private static let importKeyword = WordSearch(["import"])

    /// The modules that a file imports, with the lines of the imports.
    static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        file.codeLines(with: importKeyword).compactMap { index in
            let line = file.code[index]
            guard SwiftWords.line(line, holds: "import") else { return nil }
            var words = SwiftWords.words(of: line)
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
            words.removeFirst(keyword + 1)
            let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            if let first = words.first, kinds.contains(first) { words.removeFirst() }
            return words.first.map { (index + 1, $0) }
        }
    }

    private static func arrow(from file: SourceFile, to module: String, layerOf: [String: String]) -> String? {
        guard let layer = file.layer, let own = file.module, module != own else { return nil }
        guard let target = layerOf[module] else {
            if system[layer, default: []].contains(module) { return nil }
            if systemByFile[file.path, default: []].contains(module) { return nil }
            return "layer \(layer) may not import the outside module \(module)"
        }
        if target == "Simulation" || module == "Air", layer != "Lab", !simulationReaders.contains(own) {
            return "only \(simulationReaders.sorted().joined(separator: ", ")), the lab and tests see the simulation"
        }
        let rank = { (name: String) in layers.firstIndex(of: name) ?? 0 }
        if rank(target) > rank(layer) { return "layer \(layer) may not import \(module) of the later layer \(target)" }
        return sibling(of: own, in: layer, module: module, layer: target)
    }

    /// Returns the finding on an import that the order of the layers allows but a stricter rule forbids.
    private static func sibling(of own: String, in layer: String, module: String, layer target: String) -> String? {
        switch (layer, target) {
        case ("Protocols", "Protocols"):
            let allowed = module == "Bluetooth" || coreArrows[own] == module
            return allowed && own != "Bluetooth" ? nil : "the core \(own) may not know its sibling \(module)"
        case (_, "Protocols") where simulatedCores[own] != nil || layer == "Radio":
            return module == "Bluetooth" || simulatedCores[own, default: []].contains(module)
                ? nil : "\(own) carries bytes and may not know the protocol \(module)"
        case ("Radio", "Radio"):
            let isAllowed = module == "Radio" ? own != "Air" : module == "Air" && own == "VirtualRadio"
            return isAllowed && own != "Radio" ? nil : "a radio back end may know the seam alone, not \(module)"
        case ("Simulation", "Radio"):
            return module == "Air" ? nil : "\(own) may know the air alone, not \(module)"
        case ("Runtime", "Radio"):
            return module == "Radio" ? nil : "a driver knows the seam Radio, never the back end \(module)"
        case ("CommandLine", _) where own == "Terminal":
            return target == "Foundations" ? nil : "Terminal knows nothing of \(module)"
        case (_, _) where programs[own] != nil:
            return programs[own] == module ? nil : "the executable \(own) calls \(programs[own] ?? "") and nothing else"
        case ("CommandLine", "CommandLine") where own != "Commands":
            if module == "Terminal" { return nil }
            return own != "CommandProgram" && module == "CommandProgram"
                ? nil : "\(own) may not know the commands of \(module)"
        default: return nil
        }
    }

    private static func declaration(
        of module: String, in file: SourceFile, known: Set<String>, declared: [String: Set<String>]
    ) -> String? {
        guard let own = file.module, known.contains(module), own != module else { return nil }
        guard let list = declared[own] else { return "Package.swift declares no target \(own)" }
        return list.contains(module) ? nil : "Package.swift does not declare that \(own) uses \(module)"
    }
}
