import Air
import Bluetooth
import Determinism
import Radio

/// One process's part in a shared air: alone on it, its host, or a client of another process.
///
/// A client whose host ended becomes the host when it gets the lock, and otherwise joins the process that got it.
actor SharedAir {
    private enum Role {
        /// No other process can join.
        case alone(RealTimeAir)
        /// Others are served at the location, which must be released.
        case host(RealTimeAir, SharedAirServer, SharedAirLocation.HostingClaim)
        /// Another process holds the lock.
        case client
        /// The air is closed and takes no more devices.
        case closed
    }

    /// The longest time for which a process looks for an air.
    private static let patience = Duration.seconds(10)
    /// The wait between two looks for an air.
    private static let lookInterval = Duration.milliseconds(10)

    private let location: SharedAirLocation?
    private let seed: UInt64
    private let clock: any MonotonicClock
    private var role: Role

    /// Makes an air of this process alone.
    init(seed: UInt64, clock: any MonotonicClock) {
        location = nil
        self.seed = seed
        self.clock = clock
        role = .alone(RealTimeAir(seed: seed, clock: clock))
    }

    /// Takes part in the air at `location`, as its host if there is no other.
    init(location: SharedAirLocation, seed: UInt64, clock: any MonotonicClock) throws(RadioError) {
        self.location = location
        self.seed = seed
        self.clock = clock
        try location.prepareFolder()
        role = try Self.claim(location, seed: seed, clock: clock) ?? .client
    }

    /// True when this process hosts the air that others share.
    var isHost: Bool {
        if case .host = role { true } else { false }
    }

    /// Puts a device on the air.
    ///
    /// - Throws: `unavailable` when no air is found within ten seconds or it has no room, `notPermitted`,
    ///   `unsupported`, `cancelled`.
    func port(
        for address: DeviceAddress, conditions: DeviceRadioConditions, sink: @escaping AirAttachmentSink
    ) async throws(RadioError) -> any AirAttachment {
        let deadline = clock.now() + Self.patience
        while true {
            switch role {
            case .alone(let host), .host(let host, _, _):
                return try attach(address, conditions: conditions, to: host, sink: sink)
            case .closed: throw RadioError(.unavailable, "the air is closed")
            case .client:
                if let port = try await join(address, conditions: conditions, sink: sink) { return port }
            }
            guard clock.now() < deadline else {
                throw RadioError(.unavailable, "no air was found at \(location?.path ?? "its location")")
            }
            if case .client = role {
                do { try await clock.wait(until: clock.now() + Self.lookInterval) } catch {
                    throw RadioError(.cancelled, "the look for an air was cancelled")
                }
            }
        }
    }

    /// Leaves the air; when this process is its host, the air ends.
    func close() {
        switch role {
        case .alone(let host): host.close()
        case .host(let host, let server, let claim):
            server.close()
            host.close()
            claim.release()
        case .client, .closed: break
        }
        role = .closed
    }

    /// Leaves the air like a killed process: without a message, and with a stale socket left.
    func abandon() {
        if case .host(let host, let server, let claim) = role {
            server.close()
            claim.abandon()
            role = .closed
            host.close()
        } else {
            close()
        }
    }

    private func attach(
        _ address: DeviceAddress, conditions: DeviceRadioConditions, to host: RealTimeAir,
        sink: @escaping AirAttachmentSink
    ) throws(RadioError) -> any AirAttachment {
        switch host.attach(address, conditions: conditions, sink: sink) {
        case .success(let port): return port
        case .failure(let refusal): throw refusal.error
        }
    }

    /// One attempt to join at the location; nil when there is no host yet, or this process has become it.
    private func join(
        _ address: DeviceAddress, conditions: DeviceRadioConditions, sink: @escaping AirAttachmentSink
    ) async throws(RadioError) -> (any AirAttachment)? {
        guard let location else { return nil }
        switch UnixSocket.connect(to: location.path) {
        case .connected(let descriptor):
            return try await RemoteAirAttachment.join(descriptor, address: address, conditions: conditions, sink: sink)
        case .noListener:
            if let role = try Self.claim(location, seed: seed, clock: clock) { self.role = role }
            return nil
        case .busy: return nil
        case .failed(let number):
            let failure = SystemCallFailure(number: number)
            throw RadioError(failure.code, "cannot connect to the air at \(location.path): \(failure)")
        }
    }

    private static func claim(
        _ location: SharedAirLocation, seed: UInt64, clock: any MonotonicClock
    ) throws(RadioError) -> Role? {
        guard let claim = try location.claim() else { return nil }
        let host = RealTimeAir(seed: seed, clock: clock)
        return .host(host, SharedAirServer(host: host, listener: claim.listener), claim)
    }
}
