import CWebSockets
import Determinism

/// The library's context, one for each service thread; used by that thread alone, but for `wake`.
@safe struct LibraryContext: @unchecked Sendable {
    // Invariant: nothing but `wake` is called on other threads, and that only while the context lives.

    /// The library's own time-out for a step of a connection for which no deadline of ours is set.
    static let longestStepSeconds: UInt32 = 120

    /// The library's buffer for the header of one message; a longer header ends the connection.
    static let headerRoomBytes: UInt16 = 49152

    /// Whether OpenSSL was set up for this process, which one thread at a time may do.
    ///
    /// Once only: each set-up gives the library a new index in OpenSSL's tables of extra data, and handshakes under way
    /// on other threads would then read the wrong entry and fail.
    private static let isReady = Lock(false)

    let pointer: OpaquePointer

    /// Nil when the library refuses.
    init?(loop: ServiceLoop) {
        var info = unsafe lws_context_creation_info()
        unsafe info.user = Unmanaged.passUnretained(loop).toOpaque()
        unsafe info.port = -1
        unsafe info.gid = -1
        unsafe info.uid = -1
        unsafe info.max_http_header_data = Self.headerRoomBytes
        unsafe info.pt_serv_buf_size = 16384
        unsafe info.timeout_secs = Self.longestStepSeconds
        unsafe info.connect_timeout_secs = Self.longestStepSeconds
        var made: OpaquePointer?
        Self.isReady.withLock { isReady in
            lws_set_log_level(0, nil)
            // Virtual hosts are made one by one, the origin is sent as it is given, OpenSSL is set up by the first
            // context.
            unsafe info.options = 1 << 13 | 1 << 19 | (isReady ? 0 : 1 << 12)
            unsafe made = lws_create_context(&info)
            if unsafe made != nil { isReady = true }
        }
        guard let made = unsafe made else { return nil }
        unsafe pointer = made
    }

    /// Makes `serve` return soon; may be called on any thread.
    func wake() { unsafe lws_cancel_service(pointer) }

    /// Waits for events and passes them to their connections; false when the library has failed.
    func serve() -> Bool { unsafe lws_service(pointer, 0) >= 0 }

    func destroy() { Self.isReady.withLock { _ in unsafe lws_context_destroy(pointer) } }
}
