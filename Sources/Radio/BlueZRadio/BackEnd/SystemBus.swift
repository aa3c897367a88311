import CSystemd
import Glibc

/// A connection to the system's message bus by sd-bus.
///
/// Everything happens on the queue of its owner: no call waits, and the closures are called from `process`.
@safe final class SystemBus {
    /// A call to an object of ours; to be answered exactly once.
    @safe final class IncomingBusCall: @unchecked Sendable {
        // Invariant: made, answered and released on the queue of the bus alone.
        /// The method call; without its arguments when it is a `write`.
        let message: DBusMessage
        /// The central's write, when the call is a `WriteValue`.
        let write: WriteValueCall?
        /// True when the caller of this D-Bus method wants an answer.
        let expectsReply: Bool
        private let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer) {
            unsafe self.handle = unsafe sd_bus_message_ref(handle)
            write = unsafe WriteValueCall(of: handle)
            unsafe message = SystemBus.message(of: handle, readsArguments: write == nil)
            unsafe expectsReply = sd_bus_message_get_expect_reply(handle) > 0
        }

        deinit { _ = unsafe sd_bus_message_unref(handle) }

        /// Answers the method call with these values.
        func reply(_ values: [DBusValue] = []) {
            guard expectsReply else { return }
            var answer: OpaquePointer?
            guard unsafe sd_bus_message_new_method_return(handle, &answer) >= 0, let answer = unsafe answer else {
                return
            }
            let isWritten = values.allSatisfy { unsafe DBusMessageWriter.append($0, to: answer) }
            if isWritten { _ = unsafe sd_bus_send(nil, answer, nil) }
            _ = unsafe sd_bus_message_unref(answer)
        }

        /// Answers with an error.
        func fail(_ error: DBusError) {
            guard expectsReply else { return }
            var answer = unsafe sd_bus_error()
            _ = unsafe sd_bus_error_set(&answer, error.name, error.text)
            _ = unsafe sd_bus_reply_method_error(handle, &answer)
            unsafe sd_bus_error_free(&answer)
        }
    }

    /// The Swift closure that the C callback of sd-bus calls; the bus keeps it alive.
    @safe fileprivate final class BusCallbackClosure {
        let body: (OpaquePointer) -> Int32
        init(_ body: @escaping (OpaquePointer) -> Int32) { unsafe self.body = unsafe body }
    }

    private let bus: OpaquePointer
    private var lastNumber: UInt64 = 0
    private var handlers: [UInt64: BusCallbackClosure] = [:]
    private var slots: [UInt64: OpaquePointer] = unsafe [:]
    private var replies: [UInt64: (Result<[DBusValue], DBusError>) -> Void] = [:]
    private var done: [BusCallbackClosure] = []

    /// Connects to the system bus; nil when there is none.
    init?() {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0, let bus = unsafe bus else { return nil }
        unsafe self.bus = unsafe bus
        _ = unsafe sd_bus_set_exit_on_disconnect(bus, 0)
    }

    deinit {
        while let (_, slot) = unsafe slots.popFirst() { _ = unsafe sd_bus_slot_unref(slot) }
        _ = unsafe sd_bus_flush_close_unref(bus)
    }

    /// Another descriptor of the same socket, to be watched; nil when the process has no descriptor left.
    ///
    /// Not the library's own: that is closed with the bus, and its number may belong to another file before the watch
    /// has ended, which would then end the watch of that file.
    func makeDescriptor() -> FileDescriptor? {
        let copy = unsafe fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? FileDescriptor(copy) : nil
    }

    /// True when a message waits to be sent because the socket had no room for it.
    var wantsToWrite: Bool { unsafe sd_bus_get_events(bus) & POLLOUT != 0 }

    /// The time at which `process` is due even if nothing arrives, in microseconds of CLOCK_MONOTONIC; nil for never.
    var wakeUpMicroseconds: UInt64? {
        var time = UInt64.max
        return unsafe sd_bus_get_timeout(bus, &time) >= 0 && time != .max ? time : nil
    }

    /// Handles the messages that have come, at most 256.
    ///
    /// - Returns: Whether there may be more; nil when the bus is gone, after which every call has failed.
    func process() -> Bool? {
        defer { done = [] }
        for _ in 0..<256 {
            let status = unsafe sd_bus_process(bus, nil)
            if status < 0 {
                failAll()
                return nil
            }
            if status == 0 { return false }
        }
        return true
    }

    /// Calls a method; `completion` is called once, with the values or the error, also after the time-out.
    func call(
        _ message: DBusMessage, at destination: String = BlueZNames.service, timeoutMicroseconds: UInt64,
        _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        lastNumber += 1
        let number = lastNumber
        guard let handle = unsafe methodCall(message, destination) else {
            return completion(
                .failure(DBusError("org.freedesktop.DBus.Error.InvalidArgs", "the call cannot be written")))
        }
        let handler = unsafe BusCallbackClosure { [unowned self] reply in
            unsafe finish(number, Self.outcome(of: reply))
            return 0
        }
        handlers[number] = handler
        replies[number] = completion
        var slot: OpaquePointer?
        let status = unsafe sd_bus_call_async(
            bus, &slot, handle, enterSwift, Unmanaged.passUnretained(handler).toOpaque(), timeoutMicroseconds)
        _ = unsafe sd_bus_message_unref(handle)
        if status < 0 {
            finish(number, .failure(.disconnected))
        } else {
            unsafe slots[number] = unsafe slot
        }
    }

    /// Listens to the signals that a match rule describes.
    func listen(to rule: String, _ body: @escaping (DBusMessage) -> Void) -> Bool {
        lastNumber += 1
        let handler = unsafe BusCallbackClosure { message in
            unsafe body(SystemBus.message(of: message))
            return 0
        }
        handlers[lastNumber] = handler
        var slot: OpaquePointer?
        let status = unsafe sd_bus_add_match(bus, &slot, rule, enterSwift, Unmanaged.passUnretained(handler).toOpaque())
        unsafe slots[lastNumber] = unsafe slot
        return status >= 0
    }

    /// Serves every object below `prefix`.
    func serve(_ prefix: String, _ body: @escaping (IncomingBusCall) -> Void) -> Bool {
        lastNumber += 1
        let handler = unsafe BusCallbackClosure { message in
            unsafe body(IncomingBusCall(message))
            return 1
        }
        handlers[lastNumber] = handler
        var slot: OpaquePointer?
        let status = unsafe sd_bus_add_fallback(
            bus, &slot, prefix, enterSwift, Unmanaged.passUnretained(handler).toOpaque())
        unsafe slots[lastNumber] = unsafe slot
        return status >= 0
    }

    /// Sends a D-Bus signal.
    func emit(_ message: DBusMessage) {
        var handle: OpaquePointer?
        guard unsafe sd_bus_message_new_signal(bus, &handle, message.path, message.interface, message.member) >= 0,
            let handle = unsafe handle
        else { return }
        let isWritten = message.arguments.allSatisfy { unsafe DBusMessageWriter.append($0, to: handle) }
        if isWritten { _ = unsafe sd_bus_send(bus, handle, nil) }
        _ = unsafe sd_bus_message_unref(handle)
    }

    // MARK: - Inside

    private func methodCall(_ message: DBusMessage, _ destination: String) -> OpaquePointer? {
        var handle: OpaquePointer?
        let status = unsafe sd_bus_message_new_method_call(
            bus, &handle, destination, message.path, message.interface, message.member)
        guard status >= 0, let handle = unsafe handle else { return nil }
        guard message.arguments.allSatisfy({ unsafe DBusMessageWriter.append($0, to: handle) }) else {
            _ = unsafe sd_bus_message_unref(handle)
            return nil
        }
        return unsafe handle
    }

    private func finish(_ number: UInt64, _ result: Result<[DBusValue], DBusError>) {
        // The handler may be the one that runs; it goes when `process` is through.
        if let handler = handlers.removeValue(forKey: number) { done.append(handler) }
        if let slot = unsafe slots.removeValue(forKey: number) { _ = unsafe sd_bus_slot_unref(slot) }
        replies.removeValue(forKey: number)?(result)
    }

    /// Fails every pending call with a disconnection; the bus is unusable after it.
    func failAll() {
        for number in replies.keys.sorted() { finish(number, .failure(.disconnected)) }
    }

    private static func outcome(of reply: OpaquePointer) -> Result<[DBusValue], DBusError> {
        guard let error = unsafe sd_bus_message_get_error(reply) else {
            return unsafe .success(DBusMessageReader.arguments(of: reply))
        }
        let name = unsafe error.pointee.name.map { unsafe String(cString: $0) }
        let text = unsafe error.pointee.message.map { unsafe String(cString: $0) }
        return .failure(DBusError(name ?? "org.freedesktop.DBus.Error.Failed", text ?? ""))
    }

    private static func message(of handle: OpaquePointer, readsArguments: Bool = true) -> DBusMessage {
        func text(_ pointer: UnsafePointer<CChar>?) -> String {
            unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        }
        return unsafe DBusMessage(
            path: text(sd_bus_message_get_path(handle)), interface: text(sd_bus_message_get_interface(handle)),
            member: text(sd_bus_message_get_member(handle)), sender: text(sd_bus_message_get_sender(handle)),
            arguments: readsArguments ? DBusMessageReader.arguments(of: handle) : [])
    }
}

/// The one C function that sd-bus calls.
private func enterSwift(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message = unsafe message, let context = unsafe context else { return 0 }
    return unsafe Unmanaged<SystemBus.BusCallbackClosure>.fromOpaque(context).takeUnretainedValue().body(message)
}
