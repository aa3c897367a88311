import FoundationEssentials
import TestSupport

/// Every text file of the repository that people write.
struct SourceTree: Sendable, CustomStringConvertible {
    let files: [SourceFile]
    /// The Swift files of the layers, the lab among them.
    let sources: [SourceFile]
    /// The Swift files below `Tests`.
    let tests: [SourceFile]
    /// The pages in Markdown.
    let markdown: [SourceFile]
    /// The paths of the files that are not text.
    let otherPaths: Set<String>
    /// The folders that hold a file of text, at any depth.
    let folders: Set<String>
    private let fileByPath: [String: SourceFile]

    /// The source tree of this repository, read once.
    static let package = SourceTree(readingFrom: OutsideVectors.packageRoot)

    init(_ files: [SourceFile], otherPaths: Set<String> = []) {
        self.files = files
        self.otherPaths = otherPaths
        sources = files.filter { $0.isSwift && $0.layer != nil }
        tests = files.filter { $0.isSwift && $0.isOfTests }
        markdown = files.filter { $0.path.hasSuffix(".md") }
        folders = Set(files.map { $0.folders.joined(separator: "/") }).reduce(into: []) { found, folder in
            let parts = folder.split(separator: "/")
            for count in parts.indices { found.insert(parts[...count].joined(separator: "/")) }
        }
        fileByPath = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
    }

    /// The number of files in the tree; short, because a failed expectation prints it.
    var description: String { "a tree of \(files.count) files" }

    /// The modules of this package: the folders directly below a layer.
    var modules: Set<String> {
        Set(files.compactMap { $0.layer == nil ? nil : $0.module })
    }

    func file(_ path: String) -> SourceFile? { fileByPath[path] }

    private init(readingFrom root: URL) {
        var paths: [String] = []
        SourceTree.list(root, prefix: "", into: &paths)
        let files = paths.sorted().compactMap { path -> SourceFile? in
            guard SourceTree.isText(path), let data = try? Data(contentsOf: root.appending(path: path)) else {
                return nil
            }
            return SourceFile(path, String(decoding: data, as: UTF8.self))
        }
        self.init(files, otherPaths: Set(paths.filter { !SourceTree.isText($0) }))
    }

    private static func list(_ folder: URL, prefix: String, into paths: inout [String]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        for name in names where !name.hasPrefix(".build") && name != ".git" && name != ".swiftpm" {
            let child = folder.appending(path: name)
            // The target of a symbolic link is read in its own place.
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: child.path())) != nil { continue }
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
