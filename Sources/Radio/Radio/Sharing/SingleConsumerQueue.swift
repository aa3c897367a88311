import Determinism

/// A queue for one consumer whose length its producer knows, unlike that of an `AsyncStream` with a buffer.
package final class SingleConsumerQueue<Element: Sendable>: Sendable {
    private struct GuardedState {
        var items: [Element] = []
        /// The number of `items` that have been taken.
        var taken = 0
        var consumer: CheckedContinuation<Element?, Never>?
        var isFinished = false

        mutating func takeFirst() -> Element? {
            guard taken < items.count else { return nil }
            defer { compact() }
            taken += 1
            return items[taken - 1]
        }

        /// Frees the room of taken elements when none is left, or when they are more than 64 and more than half.
        private mutating func compact() {
            guard taken == items.count || taken > 64 && taken * 2 > items.count else { return }
            items.removeFirst(taken)
            taken = 0
        }
    }

    private let state = Lock(GuardedState())

    /// Makes an empty queue.
    package init() {}

    /// The consumer's view; ends after the elements that were put before `finish`.
    ///
    /// One consumer at a time; when it is cancelled, another may go on with a stream of its own.
    package var stream: AsyncStream<Element> {
        AsyncStream {
            await self.next()
        } onCancel: {
            self.cancel()
        }
    }

    /// Appends an element.
    ///
    /// - Returns: False, and nothing is appended, when `limit` elements wait already or the queue is finished.
    @discardableResult package func put(_ element: Element, limit: Int = .max) -> Bool {
        let (isTaken, consumer) = state.withLock { state -> (Bool, CheckedContinuation<Element?, Never>?) in
            guard !state.isFinished, state.items.count - state.taken < limit else { return (false, nil) }
            defer { state.consumer = nil }
            if state.consumer == nil { state.items.append(element) }
            return (true, state.consumer)
        }
        consumer?.resume(returning: element)
        return isTaken
    }

    /// Refuses further elements.
    package func finish() {
        let consumer: CheckedContinuation<Element?, Never>? = state.withLock { state in
            state.isFinished = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    private func cancel() {
        let consumer: CheckedContinuation<Element?, Never>? = state.withLock { state in
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    private func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let immediate: Element?? = state.withLock { state in
                // Cancelling sets the mark before it looks for the consumer, so one of the two is seen.
                if Task.isCancelled { return .some(nil) }
                if let element = state.takeFirst() { return .some(element) }
                if state.isFinished || state.consumer != nil { return .some(nil) }
                state.consumer = continuation
                return nil
            }
            if let immediate { continuation.resume(returning: immediate) }
        }
    }
}
