import Determinism

/// The queues between a WebSocket's users and the service thread: messages to be read, and to be sent.
final class WebSocketQueues: Sendable {
    /// The reason for the end of a WebSocket.
    enum SocketEndReason: Sendable {
        /// The socket ended with a closing handshake, by either side.
        case closed(WebSocketCloseCode?)
        /// The socket ended without a closing handshake.
        case failed(WebError)
    }

    /// A writer that waits until the queue has room for its message.
    private struct SuspendedWriter {
        let number: UInt64
        let message: WebSocketMessage
        /// True when the writer waits until the system has taken the message, not only until the queue has room.
        let waitsForSystem: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// A queued message, and the writer that waits until the system has taken it.
    private struct QueuedSocketMessage {
        let message: WebSocketMessage
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct GuardedState {
        var unread: [WebSocketMessage] = []
        var unreadBytes = 0
        var isReadingPaused = false
        var reader: CheckedContinuation<WebSocketMessage?, any Error>?
        /// The receiver that gets the messages in place of a reader; nil after it has heard of the end.
        var receiver: (any WebSocketReceiver)?
        /// True while a task gives messages to the receiver.
        var isGiving = false
        var unsent: [QueuedSocketMessage] = []
        var unsentBytes = 0
        var writers: [SuspendedWriter] = []
        var isWoken = false
        var close: (code: WebSocketCloseCode, reason: String)?
        var ending: SocketEndReason?
        var nextNumber: UInt64 = 0
        /// The bytes reserved from the budget: messages that wait, and the last one that the reader took.
        var heldBytes = 0
        var inHandBytes = 0
    }

    private let state = Lock(GuardedState())
    private let limits: WebSocketLimits
    /// The part of the server's memory that the peer's source may use; nil for a client's socket.
    private let share: SourceByteBudget?
    /// Makes the service thread look at this channel; set once, before the channel is shared.
    private let wake: @Sendable () -> Void
    /// Makes the service thread read again.
    private let resumeReading: @Sendable () -> Void

    init(
        limits: WebSocketLimits, share: SourceByteBudget? = nil, wake: @escaping @Sendable () -> Void,
        resumeReading: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        self.share = share
        self.wake = wake
        self.resumeReading = resumeReading
    }
}

// For users.
extension WebSocketQueues {
    /// The next message; nil after a closing handshake, and when the task is cancelled.
    func next() async throws -> WebSocketMessage? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in takeNext(continuation) }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }

    /// Gives all messages to a receiver from now on; called once, in place of `next`.
    func give(to receiver: any WebSocketReceiver) {
        let isFirst = state.withLock { state in
            state.receiver = receiver
            return Self.beginsGiving(&state)
        }
        if isFirst { give() }
    }

    /// Returns true when a task must be made that gives messages to the receiver.
    ///
    /// There is a message or the end to give, and no such task.
    private static func beginsGiving(_ state: inout GuardedState) -> Bool {
        guard state.receiver != nil, !state.isGiving, !state.unread.isEmpty || state.ending != nil else { return false }
        state.isGiving = true
        return true
    }

    /// Makes a task for the messages that have come, which ends when none is left: a waiting one costs memory.
    private func give() {
        Task {
            while let (receiver, message) = takeForReceiver() {
                guard let message else { return await receiver.ended() }
                await receiver.received(message)
            }
        }
    }

    /// The next message for the receiver, or the end; nil when there is neither.
    private func takeForReceiver() -> (any WebSocketReceiver, WebSocketMessage?)? {
        let (found, mustResume) = state.withLock { state -> ((any WebSocketReceiver, WebSocketMessage?)?, Bool) in
            release(state.inHandBytes, &state)
            state.inHandBytes = 0
            guard let receiver = state.receiver else { return (nil, false) }
            if !state.unread.isEmpty {
                let message = state.unread.removeFirst()
                state.unreadBytes -= message.sizeBytes
                state.inHandBytes = message.sizeBytes
                if state.unread.isEmpty { state.unread = [] }
                return ((receiver, message), mayReadAgain(&state))
            }
            state.isGiving = false
            guard state.ending != nil else { return (nil, false) }
            state.receiver = nil
            return ((receiver, nil), false)
        }
        if mustResume { resumeReading() }
        return found
    }

    /// Puts a message into the queue, and waits until there is room for it, or until the system has taken it.
    func send(_ message: WebSocketMessage, waitsForSystem: Bool = false) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(
                    SuspendedWriter(
                        number: number, message: message, waitsForSystem: waitsForSystem, continuation: continuation))
            }
        } onCancel: {
            let writer = state.withLock { state -> SuspendedWriter? in
                guard let place = state.writers.firstIndex(where: { $0.number == number }) else { return nil }
                let writer = state.writers.remove(at: place)
                release(writer.message.sizeBytes, &state)
                return writer
            }
            writer?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Puts a message into the queue if there is room for it.
    func offer(_ message: WebSocketMessage) -> Bool {
        let (isTaken, mustWake) = state.withLock { state -> (Bool, Bool) in
            guard state.ending == nil, state.close == nil, state.writers.isEmpty,
                message.sizeBytes <= limits.maximumSentMessageBytes, hasRoom(for: message, state),
                reserve(message.sizeBytes, &state)
            else { return (false, false) }
            append(message, to: &state)
            return (true, markWoken(&state))
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Requests the closing handshake after the queued messages; the first call counts.
    func close(_ code: WebSocketCloseCode, _ reason: String) {
        let mustWake = state.withLock { state in
            guard state.ending == nil, state.close == nil else { return false }
            state.close = (code.isSendable ? code : .normal, reason)
            return markWoken(&state)
        }
        if mustWake { wake() }
    }

    /// The reason for the end of the socket; nil while it is open.
    var ending: SocketEndReason? { state.withLock { $0.ending } }

    /// The number of bytes that wait to be sent.
    var unsentBytes: Int { state.withLock { $0.unsentBytes } }

    private func takeNext(_ continuation: CheckedContinuation<WebSocketMessage?, any Error>) {
        let (result, mustResume) = state.withLock { state -> (Result<WebSocketMessage?, any Error>?, Bool) in
            release(state.inHandBytes, &state)
            state.inHandBytes = 0
            if !state.unread.isEmpty {
                let message = state.unread.removeFirst()
                state.unreadBytes -= message.sizeBytes
                state.inHandBytes = message.sizeBytes
                return (.success(message), mayReadAgain(&state))
            }
            if let ending = state.ending { return (Self.result(of: ending), false) }
            // Cancellation sets the flag before it looks for the reader, so that either the reader or the flag is seen.
            if Task.isCancelled { return (.success(nil), false) }
            precondition(state.reader == nil, "a WebSocket has one reader at a time")
            state.reader = continuation
            return (nil, false)
        }
        if mustResume { resumeReading() }
        if let result { continuation.resume(with: result) }
    }

    private func mayReadAgain(_ state: inout GuardedState) -> Bool {
        guard state.isReadingPaused, state.unreadBytes <= limits.maximumUnreadBytes / 2,
            state.unread.count <= limits.maximumUnreadMessages / 2
        else { return false }
        state.isReadingPaused = false
        return true
    }

    private func add(_ writer: SuspendedWriter) {
        let (result, mustWake) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
            if Task.isCancelled { return (.failure(CancellationError()), false) }
            if let error = Self.sendFailure(state) { return (.failure(error), false) }
            guard writer.message.sizeBytes <= limits.maximumSentMessageBytes else {
                return (.failure(WebError(.sendTooLarge, "The message is larger than allowed.")), false)
            }
            guard reserve(writer.message.sizeBytes, &state) else {
                state.close = state.close ?? (.tryAgainLater, Self.noRoom)
                return (.failure(WebError(.socketClosed, Self.noRoom)), markWoken(&state))
            }
            guard state.writers.isEmpty, hasRoom(for: writer.message, state) else {
                state.writers.append(writer)
                return (nil, false)
            }
            append(writer, to: &state)
            return (writer.waitsForSystem ? nil : .success(()), markWoken(&state))
        }
        if mustWake { wake() }
        if let result { writer.continuation.resume(with: result) }
    }

    private static func sendFailure(_ state: GuardedState) -> WebError? {
        switch state.ending {
        case .failed(let error): return error
        case .closed(let code):
            return WebError(.socketClosed, "The WebSocket is closed.", wireCode: code.map { Int($0.rawValue) })
        case nil:
            return state.close == nil ? nil : WebError(.socketClosed, "The WebSocket is about to be closed.")
        }
    }

    private static func result(of ending: SocketEndReason) -> Result<WebSocketMessage?, any Error> {
        switch ending {
        case .closed: .success(nil)
        case .failed(let error): .failure(error)
        }
    }

    private static let noRoom = "There is no room for more messages now."

    /// Reserves bytes of the budget, as long as the socket is open.
    private func reserve(_ count: Int, _ state: inout GuardedState) -> Bool {
        guard let share else { return true }
        guard share.take(count) else { return false }
        state.heldBytes += count
        return true
    }

    /// Releases bytes of the budget, once: the end of the socket releases all.
    private func release(_ count: Int, _ state: inout GuardedState) {
        let held = min(count, state.heldBytes)
        state.heldBytes -= held
        share?.give(held)
    }

    private func hasRoom(for message: WebSocketMessage, _ state: GuardedState) -> Bool {
        state.unsent.isEmpty || message.sizeBytes <= limits.maximumUnsentBytes - state.unsentBytes
    }

    private func append(_ message: WebSocketMessage, to state: inout GuardedState) {
        state.unsent.append(QueuedSocketMessage(message: message))
        state.unsentBytes += message.sizeBytes
    }

    private func append(_ writer: SuspendedWriter, to state: inout GuardedState) {
        let continuation = writer.waitsForSystem ? writer.continuation : nil
        state.unsent.append(QueuedSocketMessage(message: writer.message, continuation: continuation))
        state.unsentBytes += writer.message.sizeBytes
    }

    private func markWoken(_ state: inout GuardedState) -> Bool {
        defer { state.isWoken = true }
        return !state.isWoken
    }
}

// For the service thread.
extension WebSocketQueues {
    /// Reserves bytes for a message that is arriving; `deliver` takes the reservation over.
    func reserve(_ count: Int) -> Bool { share?.take(count) ?? true }

    /// Releases the reservation of a message that does not arrive.
    func forgo(_ count: Int) { share?.give(count) }

    /// Gives a message to the waiting reader, or queues it.
    ///
    /// - Returns: Whether reading must pause until `resumeReading` is called.
    func deliver(_ message: WebSocketMessage) -> Bool {
        let (reader, mustGive, mustPause) = state.withLock { state in
            // Its bytes were reserved while it arrived.
            if let share {
                if state.ending == nil { state.heldBytes += message.sizeBytes } else { share.give(message.sizeBytes) }
            }
            if let reader = state.reader {
                state.reader = nil
                state.inHandBytes = message.sizeBytes
                return (Optional(reader), false, false)
            }
            state.unread.append(message)
            state.unreadBytes += message.sizeBytes
            let isFull =
                state.unreadBytes >= limits.maximumUnreadBytes || state.unread.count >= limits.maximumUnreadMessages
            state.isReadingPaused = isFull
            return (nil, Self.beginsGiving(&state), isFull)
        }
        reader?.resume(returning: message)
        if mustGive { give() }
        return mustPause
    }

    /// The message to be sent next, which stays in the queue until `sent`.
    func firstUnsent() -> WebSocketMessage? {
        state.withLock { state in
            if state.unsent.isEmpty { state.isWoken = false }
            return state.unsent.first?.message
        }
    }

    /// Removes the first message, which the system has taken; waiting writers get its room.
    func sent() {
        let done = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard !state.unsent.isEmpty else { return [] }
            let first = state.unsent.removeFirst()
            let size = first.message.sizeBytes
            state.unsentBytes -= size
            release(size, &state)
            var done = first.continuation.map { [$0] } ?? []
            while let writer = state.writers.first, hasRoom(for: writer.message, state) {
                append(writer, to: &state)
                state.writers.removeFirst()
                if !writer.waitsForSystem { done.append(writer.continuation) }
            }
            return done
        }
        for continuation in done { continuation.resume() }
    }

    /// The contents of the close frame, to be sent after the queued messages.
    var closeRequest: (code: WebSocketCloseCode, reason: String)? { state.withLock { $0.close } }

    /// Ends the channel; the first ending counts.
    func finish(_ ending: SocketEndReason) {
        let (reader, writers, mustGive) = state.withLock { state in
            guard state.ending == nil else {
                return (
                    nil as CheckedContinuation<WebSocketMessage?, any Error>?,
                    [CheckedContinuation<Void, any Error>](), false
                )
            }
            state.ending = ending
            defer {
                state.reader = nil
                state.writers = []
                state.unsent = []
                state.unsentBytes = 0
                release(state.heldBytes, &state)
            }
            let waiting = state.unsent.compactMap(\.continuation) + state.writers.map(\.continuation)
            return (state.reader, waiting, Self.beginsGiving(&state))
        }
        if mustGive { give() }
        reader?.resume(with: Self.result(of: ending))
        let error = WebError(.socketClosed, "The WebSocket was closed before the message was sent.")
        for writer in writers { writer.resume(throwing: error) }
    }
}
