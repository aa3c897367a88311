import COpenSSL
import CWebSockets

/// The one callback of libwebsockets, for every event; a free function, so that it is isolated to no actor.
func libraryCallback(
    _ pointer: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    guard let pointer = unsafe pointer else { return 0 }
    if reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
        guard let context = unsafe lws_get_context(pointer), let user = unsafe lws_context_user(context) else {
            return 0
        }
        unsafe Unmanaged<ServiceLoop>.fromOpaque(user).takeUnretainedValue().drain()
        return 0
    }
    if reason == LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION {
        // Called for every certificate of a chain; the library fails the handshake.
        if count == 0, let opaque = unsafe lws_get_opaque_user_data(pointer), let user = unsafe user {
            let connection = unsafe Unmanaged<ServiceConnection>.fromOpaque(opaque).takeUnretainedValue()
            connection.certificateFault = unsafe Int(X509_STORE_CTX_get_error(OpaquePointer(user)))
        }
        return 0
    }
    // The library passes a placeholder connection with events that concern none; its fields mean nothing.
    guard reason == LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER || concernsConnection(reason) else { return 0 }
    guard let opaque = unsafe lws_get_opaque_user_data(pointer) else { return 0 }
    let connection = unsafe Unmanaged<ServiceConnection>.fromOpaque(opaque).takeUnretainedValue()
    if connection.wsi == nil { connection.wsi = unsafe LibraryConnection(pointer) }
    if reason == LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER {
        return unsafe append(connection.extraHeaderLines(), to: input, room: count)
    }
    guard let event = unsafe event(for: reason, pointer, input, count) else { return 0 }
    let verdict = connection.handle(event)
    if case .gone = event {
        unsafe lws_set_opaque_user_data(pointer, nil)
        connection.wsi = nil
        connection.loop.release(connection)
    }
    return verdict == .close ? -1 : 0
}

private func concernsConnection(_ reason: lws_callback_reasons) -> Bool {
    switch reason {
    case LWS_CALLBACK_RAW_RX_FILE, LWS_CALLBACK_HTTP, LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_HTTP_BODY,
        LWS_CALLBACK_HTTP_BODY_COMPLETION, LWS_CALLBACK_HTTP_WRITEABLE, LWS_CALLBACK_SERVER_WRITEABLE,
        LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_CLIENT_HTTP_WRITEABLE, LWS_CALLBACK_CLIENT_CONNECTION_ERROR,
        LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP, LWS_CALLBACK_RECEIVE_CLIENT_HTTP,
        LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ, LWS_CALLBACK_COMPLETED_CLIENT_HTTP, LWS_CALLBACK_ESTABLISHED,
        LWS_CALLBACK_CLIENT_ESTABLISHED, LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_RECEIVE_PONG,
        LWS_CALLBACK_CLIENT_RECEIVE_PONG, LWS_CALLBACK_WS_PEER_INITIATED_CLOSE, LWS_CALLBACK_WSI_DESTROY,
        LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
        true
    default: false
    }
}

private func event(
    for reason: lws_callback_reasons, _ pointer: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ count: Int
) -> ConnectionEvent? {
    switch reason {
    case LWS_CALLBACK_RAW_RX_FILE: return .acceptable
    case LWS_CALLBACK_HTTP: return .requestHead
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return unsafe .upgradeAsked(text(input))
    case LWS_CALLBACK_HTTP_BODY: return unsafe .bodyPiece(bytes(input, count))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return .bodyEnd
    case LWS_CALLBACK_HTTP_WRITEABLE, LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE,
        LWS_CALLBACK_CLIENT_HTTP_WRITEABLE:
        return .writable
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: return unsafe .connectFailed(text(bytes(input, count)))
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP: return .responseHead
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP: return .responseReadable
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ: return unsafe .responsePiece(bytes(input, count))
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP: return .responseEnd
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH: return .socketAnswered
    case LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_CLIENT_ESTABLISHED: return .socketOpen
    case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
        return unsafe .socketPiece(bytes(input, count), LibraryConnection(pointer).position())
    case LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_CLIENT_RECEIVE_PONG: return .pong
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: return unsafe closeEvent(bytes(input, count))
    case LWS_CALLBACK_WSI_DESTROY: return .gone
    default: return nil
    }
}

private func closeEvent(_ bytes: [UInt8]) -> ConnectionEvent {
    guard bytes.count >= 2 else { return .peerClose(nil, []) }
    return .peerClose(UInt16(bytes[0]) << 8 | UInt16(bytes[1]), Array(bytes.dropFirst(2)))
}

private func bytes(_ input: UnsafeMutableRawPointer?, _ count: Int) -> [UInt8] {
    guard let input = unsafe input, count > 0 else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: input, count: count))
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A text that ends with a zero byte.
private func text(_ input: UnsafeMutableRawPointer?) -> String {
    guard let input = unsafe input else { return "" }
    return unsafe String(cString: input.assumingMemoryBound(to: CChar.self))
}

/// Copies header lines into the library's buffer and advances its write pointer.
private func append(_ lines: [UInt8], to input: UnsafeMutableRawPointer?, room: Int) -> Int32 {
    guard let input = unsafe input, lines.count < room else { return -1 }
    let mark = unsafe input.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    guard let start = unsafe mark.pointee else { return -1 }
    unsafe lines.withUnsafeBufferPointer { source in
        if let base = source.baseAddress { unsafe start.update(from: base, count: source.count) }
    }
    unsafe mark.pointee = start + lines.count
    return 0
}
