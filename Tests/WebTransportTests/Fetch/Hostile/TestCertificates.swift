import Foundation
import Testing

/// Certificates that `openssl` makes for one test, in a folder of their own.
///
/// All are for `a.test` unless they say otherwise.
struct TestCertificates {
    enum Kind: String, CaseIterable {
        /// Signed by the root that is trusted.
        case good
        /// Signed by it, and over since yesterday.
        case expired
        /// Signed by it, for `b.test`.
        case otherName = "other-name"
        /// Signed by its own key.
        case selfSigned = "self-signed"
        /// Signed by a root that is not trusted.
        case stranger
    }

    let folder: URL

    /// The file of the root that is trusted.
    var root: String { folder.appendingPathComponent("root.pem").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try authority("root")
        try authority("other")
        try leaf(.good, signedBy: "root")
        try leaf(.expired, signedBy: "root", period: ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"])
        try leaf(.otherName, signedBy: "root", name: "b.test")
        try leaf(.stranger, signedBy: "other")
        try openssl(
            newKey("self-signed") + [
                "-x509", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test", "-out", "self-signed.pem",
            ])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Starts `openssl s_server` with one of the certificates; the port is that which it names itself.
    ///
    /// - Parameter asFiles: True to answer with the files of the folder, header and all, instead of a page.
    func serve(_ kind: Kind, asFiles: Bool = false) throws -> (process: Process, port: UInt16) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", "\(kind.rawValue).pem", "-key", "\(kind.rawValue).key",
            asFiles ? "-HTTP" : "-www",
        ]
        process.currentDirectoryURL = folder
        process.standardInput = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("\n") || !text.contains("ACCEPT ") {
            let chunk = pipe.fileHandleForReading.availableData
            guard !chunk.isEmpty else { break }
            text += String(decoding: chunk, as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") })
        return (process, try #require(line.split(separator: ":").last.flatMap { UInt16($0) }))
    }

    /// Ends a server for certain: it may have been started where the signals that ask for an end are blocked.
    static func end(_ process: Process) {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func authority(_ name: String) throws {
        try openssl(
            newKey(name) + ["-x509", "-subj", "/CN=\(name)", "-days", "30", "-out", "\(name).pem"])
    }

    /// - Parameter period: when it is valid, as options of `openssl ca`: `openssl x509` of Debian 12 takes no dates,
    ///   and that of Debian 13 no negative days.
    private func leaf(
        _ kind: Kind, signedBy root: String, name: String = "a.test", period: [String] = ["-days", "30"]
    ) throws {
        let file = kind.rawValue
        try openssl(newKey(file) + ["-subj", "/CN=\(name)", "-out", "\(file).csr"])
        try Data("subjectAltName=DNS:\(name)\n".utf8).write(to: folder.appendingPathComponent("\(file).ext"))
        try Data(Self.settings.utf8).write(to: folder.appendingPathComponent("ca.cnf"))
        try Data().write(to: folder.appendingPathComponent("issued"))
        try openssl(
            [
                "ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "\(root).pem",
                "-keyfile", "\(root).key", "-in", "\(file).csr", "-extfile", "\(file).ext", "-out", "\(file).pem",
            ] + period)
    }

    /// The configuration that `openssl ca` needs.
    private static let settings = """
        [ca]
        default_ca = authority
        [authority]
        rand_serial = yes
        database = issued
        new_certs_dir = .
        default_md = sha256
        policy = names
        [names]
        commonName = supplied

        """

    private func newKey(_ name: String) -> [String] {
        [
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key",
        ]
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
    }
}
