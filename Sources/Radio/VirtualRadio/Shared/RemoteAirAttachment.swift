import Air
import Bluetooth
import Determinism
import Dispatch
import Radio

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A device's attachment to an air that another process hosts.
final class RemoteAirAttachment: AirAttachment {
    private enum JoinOutcome {
        case welcome
        case no(RadioError)
        case gone
    }

    private enum Phase {
        /// The hello was sent; the host's answer is awaited.
        case joining(CheckedContinuation<JoinOutcome, Never>?)
        /// The device is on the air.
        case joined
        /// The stream has ended or is ending.
        case over
    }

    private let stream: LengthPrefixedStream
    private let sink: AirAttachmentSink
    private let phase = Lock(Phase.joining(nil))

    private init(stream: LengthPrefixedStream, sink: @escaping AirAttachmentSink) {
        self.stream = stream
        self.sink = sink
    }

    /// Puts a device on the air behind the connected socket `descriptor`.
    ///
    /// - Returns: Nil when the host has gone in the middle of it.
    /// - Throws: `notPermitted` when the host is another user's, `unavailable` when it does not answer within two
    ///   seconds or is full, `unsupported` when it is of another version.
    static func join(
        _ descriptor: Int32, address: DeviceAddress, conditions: DeviceRadioConditions,
        sink: @escaping AirAttachmentSink
    ) async throws(RadioError) -> RemoteAirAttachment? {
        let queue = DispatchQueue(label: "symbolon.air.client", qos: .userInteractive)
        let stream = LengthPrefixedStream(descriptor, queue: queue)
        guard UnixSocket.peerUser(of: descriptor) == geteuid() else {
            stream.abandon()
            throw RadioError(.notPermitted, "another user hosts the air there")
        }
        let port = RemoteAirAttachment(stream: stream, sink: sink)
        let answer = await withCheckedContinuation { continuation in
            port.phase.withLock { $0 = .joining(continuation) }
            stream.start {
                port.take($0)
            } onEnd: {
                port.end()
            }
            stream.send(SharedAirMessage.hello(address, conditions).encoded)
            queue.asyncAfter(deadline: .now() + .seconds(2)) { [weak port] in port?.giveUpJoining() }
        }
        switch answer {
        case .welcome: return port
        case .gone: return nil
        case .no(let error): throw error
        }
    }

    func perform(_ command: AirCommand) { stream.send(SharedAirMessage.command(command).encoded) }

    /// Ends the stream to the host, the same way for both values: the radio has ended its links before if it had time.
    func detach(gracefully: Bool) {
        phase.withLock { $0 = .over }
        stream.finish()
    }

    private func take(_ body: ArraySlice<UInt8>) -> Bool {
        if SharedAirMessage.isOfOtherVersion(body) { return answer(.no(SharedAirMessage.AirJoinRefusal.version.error)) }
        switch SharedAirMessage(decoding: body) {
        case .welcome: return answer(.welcome)
        case .refused(let refusal): return answer(.no(refusal.error))
        case .event(let event):
            guard case .joined = phase.withLock({ $0 }) else { return true }
            sink(.air(event))
            return true
        case .hello, .command, nil: return false
        }
    }

    /// Ends the wait for the host's answer; true when a caller waited and the device is on the air now.
    private func answer(_ answer: JoinOutcome) -> Bool {
        let isWelcome = if case .welcome = answer { true } else { false }
        let waiter: CheckedContinuation<JoinOutcome, Never>? = phase.withLock { phase in
            guard case .joining(let waiter) = phase else { return nil }
            phase = isWelcome ? .joined : .over
            return waiter
        }
        waiter?.resume(returning: answer)
        return waiter != nil && isWelcome
    }

    private func giveUpJoining() {
        let isJoining = phase.withLock { phase in
            if case .joining = phase { true } else { false }
        }
        guard isJoining else { return }
        _ = answer(.no(RadioError(.unavailable, "the process that hosts the air does not answer")))
        stream.abandon()
    }

    private func end() {
        _ = answer(.gone)
        let wasJoined = phase.withLock { phase in
            defer { phase = .over }
            if case .joined = phase { return true }
            return false
        }
        if wasJoined { sink(.lost) }
    }
}
