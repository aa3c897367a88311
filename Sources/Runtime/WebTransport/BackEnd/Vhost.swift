import CWebSockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The library's virtual host: what the connections of one server, or the clients with one set of roots, share.
@safe final class Vhost {
    /// The key of a virtual host among those of its loop.
    enum Key: Hashable {
        case server(certificate: String?, key: String?, protocols: [String])
        case client(TLSRoots?)
    }

    /// The name of the row that stands for HTTP and for WebSockets without a protocol of their own.
    static let protocolName = "symbolon"

    /// The most bytes of a message that the library delivers at once; each WebSocket needs about that much memory.
    private static let receiveBytes = 4096

    let pointer: OpaquePointer
    private let rows: UnsafeMutableBufferPointer<lws_protocols>
    private let names: CStringArray

    init(_ key: Key, in context: LibraryContext) throws(WebError) {
        let texts = CStringArray()
        var info = unsafe lws_context_creation_info()
        unsafe info.uid = -1
        unsafe info.gid = -1
        var protocols = [Self.protocolName]
        switch key {
        case .server(let certificate, let privateKey, let more):
            protocols += more
            unsafe info.port = -2
            unsafe info.options = 1 << 12
            unsafe info.ssl_options_set = oldVersionsOff
            if let certificate, let privateKey {
                unsafe info.ssl_cert_filepath = texts.keep(certificate)
                unsafe info.ssl_private_key_filepath = texts.keep(privateKey)
            }
        case .client(let roots):
            unsafe info.port = -1
            // Without roots there is no TLS, and reading the system's would cost time and memory.
            unsafe info.options = roots == nil ? 0 : 1 << 12
            if case .file(let path) = roots {
                // The library ignores a file that it cannot read, so this is checked first.
                guard unsafe access(path, R_OK) == 0 else {
                    throw WebError(.tlsConfiguration, "The file of roots cannot be read.")
                }
                unsafe info.options |= 1 << 6
                unsafe info.client_ssl_ca_filepath = texts.keep(path)
            }
            unsafe info.ssl_client_options_set = oldVersionsOff
        }
        unsafe rows = unsafe Self.makeRows(protocols, texts)
        unsafe info.protocols = UnsafePointer(rows.baseAddress)
        unsafe info.alpn = texts.keep("http/1.1")
        // The library would use a proxy from the environment, even for this machine; port 0 switches it off.
        unsafe info.http_proxy_address = texts.keep(":0")
        unsafe info.vhost_name = texts.keep("symbolon-\(UInt.random(in: .min ... .max))")
        unsafe info.keepalive_timeout = Int32(LibraryContext.longestStepSeconds)
        unsafe info.timeout_secs_ah_idle = LibraryContext.longestStepSeconds
        names = texts
        guard let vhost = unsafe lws_create_vhost(context.pointer, &info) else {
            unsafe rows.deallocate()
            throw WebError(.tlsConfiguration, "The certificate, its key or the roots cannot be read, or do not fit.")
        }
        unsafe pointer = vhost
    }

    deinit { unsafe rows.deallocate() }

    /// One row per protocol, and an empty one for the end; the library keeps the address.
    private static func makeRows(_ protocols: [String], _ texts: CStringArray) -> UnsafeMutableBufferPointer<
        lws_protocols
    > {
        let rows = UnsafeMutableBufferPointer<lws_protocols>.allocate(capacity: protocols.count + 1)
        unsafe rows.initialize(repeating: lws_protocols())
        for (index, name) in protocols.enumerated() {
            unsafe rows[index].name = texts.keep(name)
            unsafe rows[index].callback = libraryCallback
            unsafe rows[index].rx_buffer_size = receiveBytes
            // Without this the library writes at most its receive size at once, and buffers the rest.
            unsafe rows[index].tx_packet_size = LibraryConnection.pieceBytes
        }
        return unsafe rows
    }
}

/// `SSL_OP_NO_SSLv3`, `SSL_OP_NO_TLSv1` and `SSL_OP_NO_TLSv1_1` of OpenSSL 3, and no renegotiation.
private let oldVersionsOff = 1 << 25 | 1 << 26 | 1 << 28 | 1 << 30

/// C strings that stay valid as long as this object.
@safe final class CStringArray {
    private var texts: [UnsafeMutablePointer<CChar>] = unsafe []

    func keep(_ text: String) -> UnsafePointer<CChar>? {
        guard let copy = unsafe strdup(text) else { return nil }
        unsafe texts.append(copy)
        return unsafe UnsafePointer(copy)
    }

    deinit {
        while let text = unsafe texts.popLast() { unsafe free(text) }
    }
}
