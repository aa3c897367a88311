import Foundation

/// A temporary folder of one suite, removed with its owner.
final class Folder: Sendable {
    let path: String

    init() {
        let url = FileManager.default.temporaryDirectory.appending(path: "cloud-\(UUID().uuidString.prefix(8))")
        path = url.path()
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
