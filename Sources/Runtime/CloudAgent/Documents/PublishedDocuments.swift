import ByteCoding
import CryptoSuite
import DIDComm
import JSON
import WebAddressing
import WebTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The documents of did:web that the owner of a cloud agent publishes: files of one folder, read for each request.
///
/// `GET /.well-known/did.json` is answered with the file `well-known.json`, and `GET /NAME/did.json` with `NAME.json`;
/// a name has 1 to 64 letters, digits, hyphens, underscores and full stops, and begins with a letter or digit. A file
/// is given to anyone, as it is, if it is a regular file and no link, has at most 32 KiB, and is the document of the
/// did:web whose path was asked for, on the agent's own public host where that is known. Everything else is 404,
/// whatever the reason; no list of names is given.
struct PublishedDocuments: Sendable {
    /// The time for which others may use an answer without asking again, in seconds.
    private static let maximumAge = 300

    private static let rootName = "well-known"

    private let folder: String
    /// The host of the agent's public address, with its port if it is not the usual one; nil where it has none.
    private let authority: String?

    init(folder: String, publicAddress: String?) {
        self.folder = folder
        authority = publicAddress.flatMap { try? WebAddress(parsing: $0) }?.authority
    }

    /// The answer to a request for `/NAME/did.json`, or for `/.well-known/did.json` with nil as the name.
    func response(to request: HTTPRequest, name: String?) -> HTTPResponse {
        guard name.map(Self.isName) ?? true,
            let bytes = read("\(folder)/\(name ?? Self.rootName).json"),
            let document = try? DIDDocument(parsing: bytes), isOurs(document.did, at: request.target.path)
        else {
            var missing = HTTPResponse(404, text: "There is no document here.\n")
            missing.headers["Cache-Control"] = "no-store"
            return missing
        }
        let tag = "\"\(Hex.encode(SHA256.hash(bytes).prefix(16)))\""
        var headers: HTTPHeaders = [
            "ETag": tag, "Cache-Control": "public, max-age=\(Self.maximumAge)", "X-Content-Type-Options": "nosniff",
            "Access-Control-Allow-Origin": "*",
        ]
        guard request.headers["If-None-Match"] != tag else { return HTTPResponse(304, headers: headers) }
        headers["Content-Type"] = "application/did+json"
        return HTTPResponse(200, headers: headers, body: bytes)
    }

    /// Returns true when the document of a DID belongs to the path of the request.
    private func isOurs(_ did: DID, at path: String) -> Bool {
        guard let address = try? DIDLookup.webAddress(of: did), address.path == path else { return false }
        return authority.map { $0 == address.authority } ?? true
    }

    private static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard (1...64).contains(bytes.count), isLetterOrDigit(bytes[0]), name != rootName else { return false }
        return bytes.allSatisfy { isLetterOrDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    /// A regular file that is no link, at most as long as a document may be.
    private func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        let limit = DIDDocument.limits.maximumBytes
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            return nil
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: limit + 1)
        while bytes.count <= limit {
            let count = systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        return nil
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    #if canImport(Glibc)
        Glibc.read(descriptor, &buffer, buffer.count)
    #else
        Darwin.read(descriptor, &buffer, buffer.count)
    #endif
}
