/// Rules for the modules that a package which depends on this one finds in each product.
enum ProductRules {
    /// Products of programs: their modules are for the programs of this package and for its fuzz targets.
    static let programs: Set<String> = ["SymbolonCommand", "SymbolonLab"]

    /// Every product that leaves out a module of the public interface of one that it names.
    static func violations(in tree: SourceTree) -> [Violation] {
        var exposed: [String: Set<String>] = [:]
        for file in tree.sources + tree.tests {
            guard let module = file.module else { continue }
            let lines = file.code.filter { $0.hasPrefix("public import ") }
            exposed[module, default: []].formUnion(lines.compactMap { SwiftWords.words(of: $0).last })
        }
        return products(in: tree.file("Package.swift")?.text ?? "").flatMap { product in
            guard !programs.contains(product.name) else { return [Violation]() }
            var needed: Set<String> = []
            var left = product.targets
            while let module = left.popLast() {
                guard let names = exposed[module], needed.insert(module).inserted else { continue }
                left += names
            }
            return needed.subtracting(product.targets).sorted().map {
                Violation(
                    path: "Package.swift", line: 0,
                    sentence: "the product \(product.name) leaves out \($0), which its public interface needs")
            }
        }
    }

    /// The library products of a manifest, with the targets that they name.
    static func products(in manifest: String) -> [(name: String, targets: [String])] {
        guard let start = manifest.firstRange(of: "products: [") else { return [] }
        let rest = manifest[start.upperBound...]
        let end = rest.firstRange(of: "\n    ],")?.lowerBound ?? rest.endIndex
        let calls = rest[..<end].split(separator: ".library(").dropFirst()
        return calls.map { call in
            let texts = call.split(separator: "\"", omittingEmptySubsequences: false)
            let strings = texts.indices.filter { $0 % 2 == 1 }.map { String(texts[$0]) }
            return (strings.first ?? "", Array(strings.dropFirst()))
        }
    }
}
