import CWebSockets

/// The library's handle of a connection; used on the service thread alone, until the connection has got `gone`.
@safe struct LibraryConnection {
    /// The kind of bytes that are written, which decides the library's framing.
    enum Kind {
        case head
        case body(isLast: Bool)
        case frame(isText: Bool, isFirst: Bool, isLast: Bool)
        case ping
    }

    /// The most bytes that are written at once.
    static let pieceBytes = 32768

    /// Bytes that the library wants to write into before what it is given.
    static let reservedBytes = 16

    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Asks for `writable`, once.
    func requestWritable() { _ = unsafe lws_callback_on_writable(pointer) }

    /// Whether arriving bytes are read.
    func setReading(_ isOn: Bool) { _ = unsafe lws_rx_flow_control(pointer, isOn ? 1 : 0) }

    /// Detaches the `ServiceConnection`: no further event reaches it.
    func detach() { unsafe lws_set_opaque_user_data(pointer, nil) }

    /// Ends the connection soon, without a closing handshake.
    func kill() { unsafe lws_set_timeout(pointer, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC) }

    /// Another descriptor of the connection's socket, for its caller to close.
    func duplicateSocket() -> Int32? { unsafe Sockets.duplicate(lws_get_socket_fd(pointer)) }

    /// How many bytes, up to `pieceBytes`, the system takes whole; 0 when `writable` has to come first.
    ///
    /// The library would buffer the rest; a peer that then closes its side makes the library read that end in a busy
    /// loop, without serving other connections.
    var room: Int {
        guard let free = unsafe Sockets.freeBytes(of: lws_get_socket_fd(pointer)) else { return Self.pieceBytes }
        // Each packet costs more than its bytes; a writable socket has at least a third of its buffer free.
        return free < 1024 ? 0 : max(256, min(Self.pieceBytes, free / 2 - 4096))
    }

    /// Whether the library buffers bytes that the system did not accept.
    var keepsSomething: Bool { unsafe lws_partial_buffered(pointer) != 0 }

    /// How many bytes the other side's system has taken since the connection began.
    var takenBytes: UInt64 { unsafe Sockets.takenBytes(of: lws_get_socket_fd(pointer)) }

    /// Switches off the library's own deadline for the present step.
    func clearTimeout() { unsafe lws_set_timeout(pointer, NO_PENDING_TIMEOUT, 0) }

    /// Writes up to `pieceBytes`, as one frame or one piece of a message; what the socket does not take, the library
    /// keeps until it does, and gives no `writable` before.
    ///
    /// - Returns: False when the connection is lost.
    func write(_ bytes: ArraySlice<UInt8>, _ kind: Kind, with scratch: ScratchBuffer) -> Bool {
        precondition(bytes.count <= Self.pieceBytes, "a piece fits the buffer")
        let start = unsafe scratch.start
        unsafe bytes.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { unsafe start.update(from: base, count: source.count) }
        }
        guard unsafe lws_write(pointer, start, bytes.count, Self.protocolFlags(kind)) >= 0 else { return false }
        // Happens when the system is short of memory, see `room`; the connection then ends at its deadline.
        if keepsSomething { setReading(false) }
        return true
    }

    /// Sets the close frame that is sent when the callback says to close.
    func setCloseReason(_ status: UInt16, _ reason: [UInt8]) {
        var reason = reason
        let count = reason.count
        unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe lws_close_reason(pointer, lws_close_status(UInt32(status)), buffer.baseAddress, count)
        }
    }

    /// Tells the library that an answer was sent whole; false when the connection must end now.
    func completeTransaction() -> Bool { unsafe lws_http_transaction_completed(pointer) == 0 }

    /// Tells the library whether a client still has a body to send.
    func setBodyPending(_ isPending: Bool) { unsafe lws_client_http_body_pending(pointer, isPending ? 1 : 0) }

    /// Reads what has come of an answer; the bytes come as `responsePiece` events.
    ///
    /// - Returns: Whether the connection goes on, and whether there was anything to read: there is not when the peer
    ///   has closed.
    func readResponse(with scratch: ScratchBuffer) -> (goesOn: Bool, hasRead: Bool) {
        let buffer = unsafe UnsafeMutableRawPointer(scratch.start).assumingMemoryBound(to: CChar.self)
        var start: UnsafeMutablePointer<CChar>? = unsafe buffer
        var count = Int32(Self.pieceBytes)
        let status = unsafe lws_http_client_read(pointer, &start, &count)
        return (status >= 0, unsafe start != buffer)
    }

    /// The status of an answer.
    var responseStatus: Int { unsafe Int(lws_http_client_http_response(pointer)) }

    /// The position of the bytes just received in their message.
    func position() -> FramePosition {
        unsafe FramePosition(
            isFirst: lws_is_first_fragment(pointer) != 0, isLast: lws_is_final_fragment(pointer) != 0,
            isBinary: lws_frame_is_binary(pointer) != 0, restOfFrameBytes: lws_remaining_packet_payload(pointer))
    }

    /// The WebSocket protocol that a server's side agreed on, empty for none.
    var subprotocol: String {
        guard let row = unsafe lws_get_protocol(pointer), let name = unsafe row.pointee.name else { return "" }
        let text = unsafe String(cString: name)
        return text == Vhost.protocolName ? "" : text
    }

    /// The WebSocket protocol in the answer that a client got, empty for none.
    var answeredSubprotocol: String {
        String(decoding: values(of: WSI_TOKEN_PROTOCOL).first ?? [], as: UTF8.self)
    }

    private static func protocolFlags(_ kind: Kind) -> lws_write_protocol {
        switch kind {
        case .head: return LWS_WRITE_HTTP_HEADERS
        case .body(let isLast): return isLast ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP
        case .ping: return LWS_WRITE_PING
        case .frame(let isText, let isFirst, let isLast):
            let kind = isText ? LWS_WRITE_TEXT : LWS_WRITE_BINARY
            let first = isFirst ? kind.rawValue : LWS_WRITE_CONTINUATION.rawValue
            return lws_write_protocol(first | (isLast ? 0 : LWS_WRITE_NO_FIN.rawValue))
        }
    }
}

// Reading what the library parsed.
extension LibraryConnection {
    /// A field as the library keeps it: a name in lower case and one of its values.
    struct RawField {
        let name: String
        let value: [UInt8]
    }

    /// The method and the decoded path of a request; nil for a method that is not served.
    func requestLine() -> (method: HTTPMethod, path: [UInt8])? {
        let rows: [(HTTPMethod, lws_token_indexes)] = [
            (.get, WSI_TOKEN_GET_URI), (.post, WSI_TOKEN_POST_URI), (.put, WSI_TOKEN_PUT_URI),
            (.patch, WSI_TOKEN_PATCH_URI), (.delete, WSI_TOKEN_DELETE_URI), (.head, WSI_TOKEN_HEAD_URI),
            (.options, WSI_TOKEN_OPTIONS_URI),
        ]
        for (method, token) in rows {
            if let path = values(of: token).first { return (method, path) }
        }
        return nil
    }

    /// The parts of the query, decoded, each with its equals sign.
    func queryFragments() -> [[UInt8]] { values(of: WSI_TOKEN_HTTP_URI_ARGS) }

    /// The version in the request line, such as `HTTP/1.1`.
    func requestVersion() -> [UInt8] { values(of: WSI_TOKEN_HTTP).first ?? [] }

    /// All fields that the library knows, and those of the given names.
    func fields(keeping names: [String]) -> [RawField] {
        var found: [RawField] = []
        for number in 0..<WSI_TOKEN_COUNT.rawValue {
            let token = lws_token_indexes(number)
            guard unsafe lws_hdr_total_length(pointer, token) > 0 || number == WSI_TOKEN_HOST.rawValue else { continue }
            guard let name = Self.name(of: token) else { continue }
            for value in values(of: token) { found.append(RawField(name: name, value: value)) }
        }
        for name in names {
            if let value = custom(name + ":") { found.append(RawField(name: name, value: value)) }
        }
        return found
    }

    /// The value of a field that the library has no token for; the name in lower case, with its colon.
    func custom(_ name: String) -> [UInt8]? {
        let length = unsafe Int(lws_hdr_custom_length(pointer, name, Int32(clamping: name.utf8.count)))
        guard length >= 0 else { return nil }
        return unsafe Self.text(of: length) { buffer, size in
            unsafe lws_hdr_custom_copy(pointer, buffer, size, name, Int32(clamping: name.utf8.count))
        }
    }

    private func values(of token: lws_token_indexes) -> [[UInt8]] {
        var found: [[UInt8]] = []
        while found.count < 128 {
            let index = Int32(found.count)
            let length = unsafe Int(lws_hdr_fragment_length(pointer, token, index))
            // An empty value and a missing one differ only in the result of copying.
            let value = unsafe Self.text(of: length) { buffer, size in
                unsafe lws_hdr_copy_fragment(pointer, buffer, size, token, index)
            }
            guard let value else { return found }
            found.append(value)
        }
        return found
    }

    /// Lets the library copy a text of `length` bytes and its end.
    private static func text(of length: Int, copy: (UnsafeMutablePointer<CChar>?, Int32) -> Int32) -> [UInt8]? {
        guard length >= 0 else { return nil }
        var copied: Int32 = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length + 1) { buffer, count in
            let start = unsafe UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
            unsafe copied = copy(start, Int32(clamping: length + 1))
            count = max(0, min(length, Int(copied)))
        }
        return copied < 0 ? nil : bytes
    }

    /// The name of a token without its colon; nil for what is no header field.
    private static func name(of token: lws_token_indexes) -> String? {
        guard let text = unsafe lws_token_to_string(token) else { return nil }
        let name = unsafe String(cString: text)
        guard name.hasSuffix(":"), !name.hasPrefix(":"), name.utf8.count > 1 else { return nil }
        return String(name.dropLast())
    }
}
