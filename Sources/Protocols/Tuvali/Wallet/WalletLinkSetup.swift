import Bluetooth
import Determinism

/// Prepares a new link for a payload.
///
/// Exchanges the ATT MTU, finds the service, subscribes, and gives the verifier the wallet's key.
///
/// An input that does not fit the step has no effect.
struct WalletLinkSetup: Sendable {
    /// The result of one input for the channel setup.
    enum Result: Sendable {
        /// The link is not ready yet; the setup continues.
        case underWay
        /// The setup is complete: the verifier has the wallet's key, and no answer is pending.
        case ready
        /// The link cannot be used, for this error.
        case failed(TuvaliError)
    }

    private enum Step: Sendable {
        /// The wallet waits for the answer to an MTU request for the value at `index` of the list.
        case exchangingMTU(index: Int)
        /// The wallet waits for the verifier's characteristics.
        case discovering(BackOff)
        /// A discovery failed; the wallet repeats it at the deadline.
        case waitingToDiscover(BackOff)
        /// The wallet subscribes to the values that the verifier notifies.
        case subscribing
        /// The wallet waits for the answer to its Identify request.
        case identifying
    }

    private let configuration: WalletConfiguration
    private let identify: IdentifyRequest
    private var step = Step.exchangingMTU(index: 0)

    /// True when the verifier has the characteristics for a request.
    private(set) var offersRequest = false

    /// The profile and MTU of the link, as far as they are known.
    private(set) var channel: VerifierLinkState

    /// The time at which the parent calls `deadlinePassed`.
    private(set) var deadline: MonotonicInstant

    /// Makes the setup of a link that came up at `now`; the caller calls `begin` next.
    init(profile: WireProfile, identify: IdentifyRequest, configuration: WalletConfiguration, at now: MonotonicInstant)
    {
        channel = VerifierLinkState(profile: profile)
        self.identify = identify
        self.configuration = configuration
        deadline = now
    }

    /// True once the verifier may know the wallet; a link that breaks earlier can be replaced by another.
    var hasIdentified: Bool {
        switch step {
        case .exchangingMTU, .discovering, .waitingToDiscover, .subscribing: false
        case .identifying: true
        }
    }

    var stage: WalletSession.Stage {
        switch step {
        case .exchangingMTU: .exchangingMTU
        case .discovering: .discovering
        case .waitingToDiscover: .waitingToDiscover
        case .subscribing: .subscribing
        case .identifying: .identifying
        }
    }

    mutating func begin(at now: MonotonicInstant, into outputs: inout [WalletSession.Output]) -> Result {
        exchangeMTU(index: 0, at: now, into: &outputs)
    }

    mutating func deadlinePassed(
        at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        switch step {
        case .exchangingMTU(let index): mtuOverdue(index, at: now)
        case .waitingToDiscover(let backOff): discover(backOff, at: now, into: &outputs)
        case .discovering, .subscribing, .identifying:
            .failed(TuvaliError(.walletSetupTimeout, "The verifier stopped answering."))
        }
    }

    // MARK: - The ATT MTU

    private var requestedMTUs: [Int] { (configuration.preferredMTU.map { [$0] } ?? []) + configuration.mtuRequests }

    private static let notNegotiated = TuvaliError(
        .walletMTUNotNegotiated, "The verifier did not agree to any MTU request.")

    private mutating func exchangeMTU(
        index: Int, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        let requests = requestedMTUs
        guard index < requests.count else { return .failed(Self.notNegotiated) }
        enter(.exchangingMTU(index: index), until: now + configuration.mtuWait)
        outputs.append(.exchangeMTU(requests[index]))
        return .underWay
    }

    /// Waits on for an overdue answer to an MTU request, as long as for all values together.
    ///
    /// ATT allows no second request before it (Bluetooth Core, Vol 3, Part F, 3.3.2), and one exchange in a connection
    /// (3.4.2.1).
    private mutating func mtuOverdue(_ index: Int, at now: MonotonicInstant) -> Result {
        guard index + 1 < requestedMTUs.count else { return .failed(Self.notNegotiated) }
        enter(.exchangingMTU(index: index + 1), until: now + configuration.mtuWait)
        return .underWay
    }

    mutating func mtuFailed(at now: MonotonicInstant, into outputs: inout [WalletSession.Output]) -> Result {
        guard case .exchangingMTU(let index) = step else { return .underWay }
        return exchangeMTU(index: index + 1, at: now, into: &outputs)
    }

    mutating func mtuChanged(
        _ value: Int, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        channel.mtu = value
        switch step {
        case .exchangingMTU:
            guard channel.isWideEnough else {
                let reason =
                    "The verifier offers an ATT MTU of \(value); a write must hold 64 bytes, which takes 67."
                return .failed(TuvaliError(.walletMTUTooSmall, reason))
            }
            return discover(BackOff(configuration.discoveryBackOff), at: now, into: &outputs)
        case .discovering, .waitingToDiscover, .subscribing, .identifying:
            return channel.isWideEnough ? .underWay : .failed(channel.narrowed)
        }
    }

    // MARK: - The service

    private mutating func discover(
        _ backOff: BackOff, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        enter(.discovering(backOff), until: now + configuration.setupWait)
        outputs.append(.discover(channel.profile))
        return .underWay
    }

    mutating func discovered(
        _ uuids: [BluetoothUUID], at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        guard case .discovering = step else { return .underWay }
        let needed = TuvaliCharacteristic.written + TuvaliCharacteristic.pushed
        guard needed.allSatisfy({ uuids.contains(channel.profile.uuid(of: $0)) }) else {
            return discoveryFailed(at: now)
        }
        offersRequest = TuvaliCharacteristic.asked.allSatisfy { uuids.contains(channel.profile.uuid(of: $0)) }
        enter(.subscribing, until: now + configuration.setupWait)
        outputs.append(.subscribe(TuvaliCharacteristic.pushed.map(channel.profile.uuid(of:))))
        return .underWay
    }

    mutating func discoveryFailed(at now: MonotonicInstant) -> Result {
        guard case .discovering(var backOff) = step else { return .underWay }
        guard let wait = backOff.next() else {
            return .failed(TuvaliError(.walletServiceNotFound, "The device does not offer the whole Tuvali service."))
        }
        enter(.waitingToDiscover(backOff), until: now + wait)
        return .underWay
    }

    // MARK: - The wallet's key

    mutating func subscribed(at now: MonotonicInstant, into outputs: inout [WalletSession.Output]) -> Result {
        guard case .subscribing = step else { return .underWay }
        enter(.identifying, until: now + configuration.setupWait)
        outputs.append(.event(.connected(mtu: channel.mtu, profile: channel.profile)))
        outputs.append(channel.write(.identify, identify.bytes, withResponse: true))
        return .underWay
    }

    func written(_ characteristic: TuvaliCharacteristic) -> Result {
        hasIdentified && characteristic == .identify ? .ready : .underWay
    }

    func writeFailed(_ characteristic: TuvaliCharacteristic) -> Result {
        guard hasIdentified, characteristic == .identify else { return .underWay }
        return .failed(.refusedWrite(of: characteristic))
    }

    private mutating func enter(_ step: Step, until deadline: MonotonicInstant) {
        self.step = step
        self.deadline = deadline
    }
}

extension TuvaliError {
    static func refusedWrite(of characteristic: TuvaliCharacteristic) -> TuvaliError {
        TuvaliError(.walletWriteFailed, "The verifier refused a write of \(characteristic.rawValue).")
    }
}
