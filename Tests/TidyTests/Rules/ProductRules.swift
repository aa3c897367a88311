/// Rules for the modules that each product offers to packages that depend on this one.
enum ProductRules {
    /// Finds modules that a product's public interface needs, but that the product does not re-export.
    static func violations(in tree: SourceTree) -> [Violation] {
        var exposed: [String: Set<String>] = [:]
        var exported: [String: Set<String>] = [:]
        for file in tree.sources + tree.tests {
            guard let module = file.module else { continue }
            let lines = file.code.filter { $0.hasPrefix("public import ") || $0.hasPrefix("@_exported public import ") }
            for line in lines {
                guard let name = SwiftWords.words(of: line).last else { continue }
                exposed[module, default: []].insert(name)
                if line.hasPrefix("@_exported") { exported[module, default: []].insert(name) }
            }
        }
        return products(in: tree.file("Package.swift")?.text ?? "").flatMap { product in
            let needed = closure(of: product.targets, in: exposed).filter { tree.modules.contains($0) }
            return needed.subtracting(closure(of: product.targets, in: exported)).sorted().map {
                Violation(
                    path: "Package.swift", line: 0,
                    sentence: "the product \(product.name) does not re-export \($0), which its public interface needs")
            }
        }
    }

    /// The given modules and all that they import, directly or not.
    private static func closure(of modules: [String], in imports: [String: Set<String>]) -> Set<String> {
        var found: Set<String> = []
        var left = modules
        while let module = left.popLast() {
            if found.insert(module).inserted { left += imports[module, default: []] }
        }
        return found
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
