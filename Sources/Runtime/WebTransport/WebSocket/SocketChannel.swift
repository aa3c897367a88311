import Determinism

/// What a WebSocket's users and the service thread share: messages that wait to be read or sent.
final class SocketChannel: Sendable {
    /// How a socket ended.
    enum Ending: Sendable {
        /// In order, by whichever side.
        case closed(WebSocketCloseCode?)
        /// Otherwise.
        case failed(WebError)
    }

    /// A message that waits until there is room for it.
    private struct Writer {
        let number: UInt64
        let message: WebSocketMessage
        /// Whether room is enough, or the system has to take it.
        let waitsForSystem: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// A message that waits to be sent, and who waits for that.
    private struct Unsent {
        let message: WebSocketMessage
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct State {
        var unread: [WebSocketMessage] = []
        var unreadBytes = 0
        var isReadingPaused = false
        var reader: CheckedContinuation<WebSocketMessage?, any Error>?
        var unsent: [Unsent] = []
        var unsentBytes = 0
        var writers: [Writer] = []
        var isWoken = false
        var close: (code: WebSocketCloseCode, reason: [UInt8])?
        var ending: Ending?
        var nextNumber: UInt64 = 0
        /// What is held of the budget: messages that wait, and the one that the reader was handed.
        var heldBytes = 0
        var inHandBytes = 0
    }

    private let state = Lock(State())
    private let limits: WebSocketLimits
    /// What all sockets of a server share; nil for a client's.
    private let budget: ByteBudget?
    /// Makes the service thread look at this channel; set once, before anybody else has the channel.
    private let wake: @Sendable () -> Void
    /// Makes the service thread read again.
    private let resumeReading: @Sendable () -> Void

    init(
        limits: WebSocketLimits, budget: ByteBudget? = nil, wake: @escaping @Sendable () -> Void,
        resumeReading: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        self.budget = budget
        self.wake = wake
        self.resumeReading = resumeReading
    }
}

// For users.
extension SocketChannel {
    /// The next message; nil at an end in order, and when the task is cancelled.
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

    /// Puts a message into the queue, and waits until there is room for it, or until the system has taken it.
    func send(_ message: WebSocketMessage, waitsForSystem: Bool = false) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(
                    Writer(
                        number: number, message: message, waitsForSystem: waitsForSystem, continuation: continuation))
            }
        } onCancel: {
            let writer = state.withLock { state -> Writer? in
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

    /// Asks for the end, after what waits to be sent; the first call counts.
    func close(_ code: WebSocketCloseCode, _ reason: String) {
        var words = Array(reason.utf8.prefix(123))
        while String(validating: words, as: UTF8.self) == nil { words.removeLast() }
        let mustWake = state.withLock { state in
            guard state.ending == nil, state.close == nil else { return false }
            state.close = (code.isSendable ? code : .normal, words)
            return markWoken(&state)
        }
        if mustWake { wake() }
    }

    /// How it ended, nil while it goes on.
    var ending: Ending? { state.withLock { $0.ending } }

    /// How many bytes wait to be sent.
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
            // Cancelling sets the mark before it looks for the reader, so one of the two is seen.
            if Task.isCancelled { return (.success(nil), false) }
            precondition(state.reader == nil, "a WebSocket has one reader at a time")
            state.reader = continuation
            return (nil, false)
        }
        if mustResume { resumeReading() }
        if let result { continuation.resume(with: result) }
    }

    private func mayReadAgain(_ state: inout State) -> Bool {
        guard state.isReadingPaused, state.unreadBytes <= limits.maximumUnreadBytes / 2,
            state.unread.count <= limits.maximumUnreadMessages / 2
        else { return false }
        state.isReadingPaused = false
        return true
    }

    private func add(_ writer: Writer) {
        let (result, mustWake) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
            if Task.isCancelled { return (.failure(CancellationError()), false) }
            if let error = Self.sendFailure(state) { return (.failure(error), false) }
            guard writer.message.sizeBytes <= limits.maximumSentMessageBytes else {
                return (.failure(WebError(.sendTooLarge, "The message is larger than allowed.")), false)
            }
            guard reserve(writer.message.sizeBytes, &state) else {
                state.close = state.close ?? (.tryAgainLater, Array(Self.noRoom.utf8))
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

    private static func sendFailure(_ state: State) -> WebError? {
        switch state.ending {
        case .failed(let error): return error
        case .closed(let code):
            return WebError(.socketClosed, "The WebSocket is closed.", wireCode: code.map { Int($0.rawValue) })
        case nil:
            return state.close == nil ? nil : WebError(.socketClosed, "The WebSocket is about to be closed.")
        }
    }

    private static func result(of ending: Ending) -> Result<WebSocketMessage?, any Error> {
        switch ending {
        case .closed: .success(nil)
        case .failed(let error): .failure(error)
        }
    }

    private static let noRoom = "There is no room for more messages now."

    /// Takes room in the budget, as long as the socket is open.
    private func reserve(_ count: Int, _ state: inout State) -> Bool {
        guard let budget else { return true }
        guard budget.take(count) else { return false }
        state.heldBytes += count
        return true
    }

    /// Gives room back; what was given back at the end is not given twice.
    private func release(_ count: Int, _ state: inout State) {
        let held = min(count, state.heldBytes)
        state.heldBytes -= held
        budget?.give(held)
    }

    private func hasRoom(for message: WebSocketMessage, _ state: State) -> Bool {
        state.unsent.isEmpty || message.sizeBytes <= limits.maximumUnsentBytes - state.unsentBytes
    }

    private func append(_ message: WebSocketMessage, to state: inout State) {
        state.unsent.append(Unsent(message: message))
        state.unsentBytes += message.sizeBytes
    }

    private func append(_ writer: Writer, to state: inout State) {
        let continuation = writer.waitsForSystem ? writer.continuation : nil
        state.unsent.append(Unsent(message: writer.message, continuation: continuation))
        state.unsentBytes += writer.message.sizeBytes
    }

    private func markWoken(_ state: inout State) -> Bool {
        defer { state.isWoken = true }
        return !state.isWoken
    }
}

// For the service thread.
extension SocketChannel {
    /// Takes room in the budget for bytes of a message that is coming; `deliver` takes it over.
    func reserve(_ count: Int) -> Bool { budget?.take(count) ?? true }

    /// Gives room back that was taken for a message that does not come.
    func forgo(_ count: Int) { budget?.give(count) }

    /// Hands a message to the reader or the queue.
    ///
    /// - Returns: Whether reading must pause until `resumeReading` is called.
    func deliver(_ message: WebSocketMessage) -> Bool {
        let (reader, mustPause) = state.withLock { state in
            // The room for it was taken while it came.
            if let budget {
                if state.ending == nil { state.heldBytes += message.sizeBytes } else { budget.give(message.sizeBytes) }
            }
            if let reader = state.reader {
                state.reader = nil
                state.inHandBytes = message.sizeBytes
                return (Optional(reader), false)
            }
            state.unread.append(message)
            state.unreadBytes += message.sizeBytes
            let isFull =
                state.unreadBytes >= limits.maximumUnreadBytes || state.unread.count >= limits.maximumUnreadMessages
            state.isReadingPaused = isFull
            return (nil, isFull)
        }
        reader?.resume(returning: message)
        return mustPause
    }

    /// The message to be sent next, which stays in the queue until `sent`.
    func firstUnsent() -> WebSocketMessage? {
        state.withLock { state in
            if state.unsent.isEmpty { state.isWoken = false }
            return state.unsent.first?.message
        }
    }

    /// The system has taken the first message; those that waited for room move up.
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

    /// What the close frame shall say, once everything is sent.
    var closeRequest: (code: WebSocketCloseCode, reason: [UInt8])? { state.withLock { $0.close } }

    /// It is over; the first word counts.
    func finish(_ ending: Ending) {
        let (reader, writers) = state.withLock { state in
            guard state.ending == nil else {
                return (
                    nil as CheckedContinuation<WebSocketMessage?, any Error>?, [CheckedContinuation<Void, any Error>]()
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
            return (state.reader, state.unsent.compactMap(\.continuation) + state.writers.map(\.continuation))
        }
        reader?.resume(with: Self.result(of: ending))
        let error = WebError(.socketClosed, "The WebSocket was closed before the message was sent.")
        for writer in writers { writer.resume(throwing: error) }
    }
}
