import FoundationEssentials
import TestSupport

/// Every text file of the repository that people write.
struct SourceTree: Sendable, CustomStringConvertible {
    let files: [SourceFile]
    /// Files that are not text.
    let otherPaths: Set<String>

    /// This repository, read once.
    static let package = SourceTree(readingFrom: OutsideVectors.packageRoot)

    init(_ files: [SourceFile], otherPaths: Set<String> = []) {
        self.files = files
        self.otherPaths = otherPaths
    }

    /// Short, because a failed expectation prints it.
    var description: String { "a tree of \(files.count) files" }

    var sources: [SourceFile] { files.filter { $0.isSwift && $0.folders.first == "Sources" } }
    var tests: [SourceFile] { files.filter { $0.isSwift && $0.folders.first == "Tests" } }
    var markdown: [SourceFile] { files.filter { $0.path.hasSuffix(".md") } }

    /// The modules of ours: folders that stand below a layer.
    var modules: Set<String> {
        Set(files.compactMap { $0.layer == nil ? nil : $0.module })
    }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

    private init(readingFrom root: URL) {
        var paths: [String] = []
        SourceTree.list(root, prefix: "", into: &paths)
        files = paths.sorted().compactMap { path in
            guard SourceTree.isText(path), let data = try? Data(contentsOf: root.appending(path: path)) else {
                return nil
            }
            return SourceFile(path, String(decoding: data, as: UTF8.self))
        }
        otherPaths = Set(paths.filter { !SourceTree.isText($0) })
    }

    private static func list(_ folder: URL, prefix: String, into paths: inout [String]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        for name in names where !name.hasPrefix(".build") && name != ".git" && name != ".swiftpm" {
            let child = folder.appending(path: name)
            var isFolder = false
            guard FileManager.default.fileExists(atPath: child.path(), isDirectory: &isFolder) else { continue }
            if isFolder {
                list(child, prefix: prefix + name + "/", into: &paths)
            } else {
                paths.append(prefix + name)
            }
        }
    }

    private static func isText(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let endings = [".swift", ".md", ".sh", ".py", ".debian", ".modulemap", ".table", ".h", ".c", ".txt", ".vector"]
        return endings.contains { name.hasSuffix($0) }
            || ["Makefile", "LICENSE", "run", ".swift-format"].contains(name)
    }
}
