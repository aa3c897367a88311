import CommandProgram
import Dispatch
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Posts prepared requests over connections that stay open, from one thread, and measures the time of each.
struct ForwardLoadGenerator: Sendable {
    /// The result.
    struct Result: Sendable {
        var accepted = 0
        var refused = 0
        /// The times from due time to response, in seconds, sorted.
        var seconds: [Double] = []
        var duration = 0.0

        var perSecond: Double { duration > 0 ? Double(accepted) / duration : 0 }

        func quantile(_ share: Double) -> Double {
            seconds.isEmpty ? 0 : seconds[min(seconds.count - 1, Int(Double(seconds.count) * share))]
        }
    }

    let port: UInt16
    /// Encoded requests, posted in turn.
    let requests: [[UInt8]]

    /// Wraps envelopes into requests to `endpoint`.
    init(_ envelopes: [[UInt8]], to endpoint: BenchClient.Endpoint) {
        port = endpoint.target.port
        requests = envelopes.map { envelope in
            let head =
                "POST \(endpoint.path) HTTP/1.1\r\nHost: 127.0.0.1:\(endpoint.target.port)\r\n"
                + "Content-Type: application/didcomm-envelope-enc\r\nContent-Length: \(envelope.count)\r\n\r\n"
            return Array(head.utf8) + envelope
        }
    }

    /// Posts for `seconds`.
    ///
    /// - Parameters:
    ///   - rate: how many are due in a second; nil posts the next as soon as a connection is free.
    ///   - sent: called with the index of each request when it is due.
    func run(
        connections: Int, seconds: Double, rate: Double? = nil, sent: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Result {
        let result: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
            // A separate thread, because it blocks in system calls.
            LoadDispatchQueue.start {
                continuation.resume(
                    returning: Swift.Result {
                        var run = LoadRun(self, connections: connections, rate: rate, sent: sent)
                        defer { run.end() }
                        return try run.go(for: seconds)
                    })
            }
        }
        return try result.get()
    }

    private enum LoadDispatchQueue {
        static func start(_ body: @escaping @Sendable () -> Void) {
            DispatchQueue(label: "symbolon.bench.load").async(execute: DispatchWorkItem(block: body))
        }
    }
}

/// One run of a load.
private struct LoadRun {
    private struct Connection {
        var socket: Int32 = -1
        var reader = HTTPAnswerReader()
        /// The time at which the request under way was due; nil when the connection is free.
        var due: Double?
    }

    private let load: ForwardLoadGenerator
    private let rate: Double?
    private let sent: @Sendable (Int) -> Void
    private var connections: [Connection]
    private var free: [Int]
    private var next = 0
    private var result = ForwardLoadGenerator.Result()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ load: ForwardLoadGenerator, connections: Int, rate: Double?, sent: @escaping @Sendable (Int) -> Void) {
        self.load = load
        self.rate = rate
        self.sent = sent
        self.connections = Array(repeating: Connection(), count: connections)
        free = Array(0..<connections)
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    mutating func end() { for connection in connections where connection.socket >= 0 { close(connection.socket) } }

    mutating func go(for seconds: Double) throws -> ForwardLoadGenerator.Result {
        for index in connections.indices { connections[index].socket = try LoopbackSocket.connect(to: load.port) }
        let start = Self.now
        let end = start + seconds
        // Waits for requests under way at the end, up to 30 seconds.
        while Self.now < end || free.count < connections.count {
            let now = Self.now
            guard now < end + 30 else { break }
            if now < end { try begin(at: now, since: start) }
            try waitForAnswers(until: now < end ? dueNext(start).map { min($0, end) } : nil)
        }
        result.duration = max(seconds, rate == nil ? Self.now - start : 0)
        result.seconds.sort()
        return result
    }

    /// Returns the time at which the next request is due; nil without a rate or a free connection.
    private func dueNext(_ start: Double) -> Double? {
        guard let rate, !free.isEmpty else { return nil }
        return start + Double(next) / rate
    }

    private mutating func begin(at now: Double, since start: Double) throws {
        // The one that rested longest: an agent closes a connection on which nothing comes for some seconds.
        while let index = free.first {
            let due = rate.map { start + Double(next) / $0 } ?? now
            guard due <= now else { return }
            free.removeFirst()
            connections[index].due = due
            sent(next)
            try send(on: index, load.requests[next % load.requests.count])
            next += 1
        }
    }

    private mutating func send(on index: Int, _ request: [UInt8]) throws {
        if connections[index].socket < 0 { connections[index].socket = try LoopbackSocket.connect(to: load.port) }
        guard LoopbackSocket.send(request, on: connections[index].socket) else {
            throw WebError(.connectionLost, "A measured agent took no more: \(POSIXFile.lastError()).")
        }
    }

    /// Polls for answers until `time`, or for half a second.
    private mutating func waitForAnswers(until time: Double?) throws {
        var waiting = connections.map { pollfd(fd: $0.due == nil ? -1 : $0.socket, events: Int16(POLLIN), revents: 0) }
        guard Self.poll(&waiting, seconds: time.map { min(0.5, max(0, $0 - Self.now)) } ?? 0.5) > 0 else { return }
        for index in waiting.indices where waiting[index].revents != 0 { try read(index) }
    }

    /// Polls; sleeps a tick first where the time is shorter than poll's millisecond.
    ///
    /// A load that polled without a pause until the next request is due would take a core from what it measures. What
    /// is due meanwhile counts from its due time all the same.
    private static func poll(_ waiting: inout [pollfd], seconds: Double) -> Int32 {
        let milliseconds = Int32(seconds * 1000)
        if milliseconds == 0 {
            var pause = timespec()
            pause.tv_nsec = tickNanoseconds
            nanosleep(&pause, nil)
        }
        #if canImport(Darwin)
            return Darwin.poll(&waiting, nfds_t(waiting.count), milliseconds)
        #else
            return Glibc.poll(&waiting, nfds_t(waiting.count), milliseconds)
        #endif
    }

    /// About how much later a request may be sent, and an answer seen, than it is due: the times are longer by that.
    private static var tickNanoseconds: Int { 500_000 }

    private mutating func read(_ index: Int) throws {
        let count = recv(connections[index].socket, &buffer, buffer.count, LoopbackSocket.withoutWaiting)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            throw WebError(.connectionLost, "A measured agent closed a connection before it answered.")
        }
        guard let answer = try connections[index].reader.take(buffer[..<count]) else { return }
        if let due = connections[index].due { result.seconds.append(Self.now - due) }
        connections[index].due = nil
        free.append(index)
        if (200...204).contains(answer.status) { result.accepted += 1 } else { result.refused += 1 }
        if answer.closes {
            close(connections[index].socket)
            connections[index].socket = -1
        }
    }
}
