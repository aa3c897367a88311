import Bluetooth
public import Determinism
public import Radio

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// A simulated air in real time for radios: of this process alone, or shared with others through a socket.
///
/// The first process at a socket hosts the air; when it ends, in any way, another takes over within a second, and the
/// radios of the others join it. Close it when it is no longer needed.
public final class VirtualAir: Sendable {
    private struct GuardedState {
        var radios: [VirtualRadio] = []
        var random: SeededRandom
        var isClosed = false
    }

    /// The most radios that one process makes on one air.
    public static let maximumRadios = 64

    /// The socket at which other processes join; nil for an air of this process alone.
    public let path: String?

    let sharedAir: SharedAir
    private let clock: any MonotonicClock
    private let state: Lock<GuardedState>

    private init(path: String?, sharedAir: SharedAir, seed: UInt64, clock: any MonotonicClock) {
        self.path = path
        self.sharedAir = sharedAir
        self.clock = clock
        state = Lock(GuardedState(random: SeededRandom(seed: seed)))
    }

    /// Makes an air of this process alone; `seed` decides addresses and faults.
    public static func `private`(
        seed: UInt64 = .random(in: .min ... .max), clock: any MonotonicClock = SystemMonotonicClock()
    ) -> VirtualAir {
        VirtualAir(
            path: nil, sharedAir: SharedAir(seed: seed, clock: clock), seed: seed, clock: clock)
    }

    /// Joins the air at a socket, or hosts it there.
    ///
    /// - Parameters:
    ///   - path: The socket; nil: `symbolon/air.sock` in the folder that `XDG_RUNTIME_DIR` names, and where there is
    ///     none `air.sock` in `/tmp/symbolon-` with the user's number. At most 107 bytes. The lock of the host lies
    ///     beside it, `.lock` appended, and stays there.
    ///   - seed: decides the faults if this process hosts the air.
    /// - Throws: `tooLarge` for a path that does not fit, `notPermitted` when others may write to the folder or we may
    ///   not, `unavailable` when the folder cannot be made or something else than a socket is there.
    public static func shared(
        path: String? = nil, seed: UInt64 = .random(in: .min ... .max),
        clock: any MonotonicClock = SystemMonotonicClock()
    ) async throws(RadioError) -> VirtualAir {
        let location = try SharedAirLocation(
            path, runtimeFolder: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
        let sharedAir = try SharedAir(location: location, seed: seed, clock: clock)
        // Addresses must differ between processes that were given the same seed.
        return VirtualAir(path: location.path, sharedAir: sharedAir, seed: .random(in: .min ... .max), clock: clock)
    }

    /// True when this process hosts an air that other processes can join.
    public var isHost: Bool {
        get async { await sharedAir.isHost }
    }

    /// Puts a radio on the air.
    ///
    /// - Throws: `unavailable` when the air is closed, is full, has that address already or is not found within ten
    ///   seconds, `notPermitted` when another user hosts it, `unsupported` when its host is of another version,
    ///   `tooLarge` beyond `maximumRadios`.
    public func makeRadio(
        _ configuration: VirtualRadio.Configuration = VirtualRadio.Configuration()
    ) async throws(RadioError) -> VirtualRadio {
        let address = configuration.address ?? state.withLock { DeviceAddress(staticRandom: $0.random.nextWord()) }
        let controller = VirtualController(address: address, conditions: configuration.conditions, sharedAir: sharedAir)
        try await controller.attach()
        do throws(RadioError) {
            let radio = try VirtualRadio(
                controller: controller, configuration: configuration, clock: clock
            ) { [weak self] in self?.forget(address) }
            try register(radio)
            await radio.start()
            return radio
        } catch {
            controller.close()
            throw error
        }
    }

    /// Closes every radio and leaves the air; links of others to this process are lost, and if it hosted the air,
    /// another process takes over.
    ///
    /// Closing again does nothing.
    public func close() async {
        await withTaskGroup { group in
            for radio in takeRadios() { group.addTask { await radio.close() } }
        }
        await sharedAir.close()
    }

    /// Leaves the air like a killed process.
    func abandon() async {
        await sharedAir.abandon()
        for radio in takeRadios() { await radio.shut() }
    }

    private func register(_ radio: VirtualRadio) throws(RadioError) {
        try state.withLock { state throws(RadioError) in
            guard !state.isClosed else { throw RadioError(.unavailable, "the air is closed") }
            guard state.radios.count < Self.maximumRadios else {
                throw RadioError(.tooLarge, "\(state.radios.count) radios are on the air already")
            }
            state.radios.append(radio)
        }
    }

    private func forget(_ address: DeviceAddress) {
        state.withLock { state in state.radios.removeAll { $0.address == address } }
    }

    private func takeRadios() -> [VirtualRadio] {
        state.withLock { state in
            state.isClosed = true
            defer { state.radios = [] }
            return state.radios
        }
    }
}
