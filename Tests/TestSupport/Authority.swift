import Foundation

/// A certificate authority of the tests, made by openssl in a folder of its own.
public final class Authority: Sendable {
    /// The folder that holds the authority's certificates and keys.
    public let folder: String

    /// The path of the authority's root certificate.
    public var rootPath: String { folder + "/root.pem" }

    /// Makes a certificate authority; throws when openssl is not installed.
    public init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/symbolon-authority-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "root.key",
            "-out", "root.pem", "-days", "2", "-subj", "/CN=Root of a test")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Issues a certificate with a P-256 or RSA key for a name, in the files NAME.pem and NAME.key of the folder.
    public func issue(_ name: String, isRSA: Bool = false) throws -> (chain: String, key: String) {
        let kind = isRSA ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try run(
            ["req", "-newkey"] + kind
                + ["-nodes", "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"])
        let extensions = "subjectAltName=DNS:\(name)\nbasicConstraints=CA:FALSE\n"
        try extensions.write(toFile: folder + "/\(name).ext", atomically: true, encoding: .utf8)
        try run(
            "x509", "-req", "-in", "\(name).csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-out",
            "\(name).pem", "-days", "2", "-extfile", "\(name).ext")
        return (folder + "/\(name).pem", folder + "/\(name).key")
    }

    private struct Failure: Error {}

    private func run(_ arguments: String...) throws { try run(arguments) }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }
}
