import Bluetooth
import CryptoSuite
import Determinism

extension VerifierSession {
    /// The phase of the session; each case holds the values that exist only in it.
    enum Phase: Sendable {
        /// The session waits for the input `start`.
        case idle(privateKey: Secret)
        /// Any device may connect; the first wallet that identifies itself gets the session.
        case advertising(AdvertisingState)
        /// The session belongs to one wallet.
        case serving(ServedWallet)
        /// The payload was delivered and the wallet has left; the user's decision is pending and cannot be sent.
        case decidingAlone(until: MonotonicInstant)
        /// Every central has been asked to disconnect.
        case parting(SessionEnding, until: MonotonicInstant)
        /// Every central is being disconnected; the session then ends with this ending.
        case closing(SessionEnding, until: MonotonicInstant)
        /// The session has ended.
        case closed

        var stage: Stage {
            switch self {
            case .idle: .idle
            case .advertising: .advertising
            case .serving(let wallet): wallet.step.stage
            case .decidingAlone: .deciding
            case .parting: .parting
            case .closing: .closing
            case .closed: .closed
            }
        }
    }

    struct AdvertisingState: Sendable {
        let privateKey: Secret
        /// The time at which the verifier stops waiting for a wallet.
        let deadline: MonotonicInstant
        /// The profile that is advertised at present.
        var profile: WireProfile
        /// The time at which the next profile is advertised; nil when there is only one.
        var profileDeadline: MonotonicInstant?

        init(_ configuration: VerifierConfiguration, privateKey: Secret, at now: MonotonicInstant) {
            self.privateKey = privateKey
            deadline = now + configuration.advertisingWait
            profile = configuration.profile
            profileDeadline = configuration.profiles.count > 1 ? now + VerifierConfiguration.profilePeriod : nil
        }

        /// Switches to the next of several profiles when its time has come; false before.
        mutating func advance(_ configuration: VerifierConfiguration, at now: MonotonicInstant) -> Bool {
            guard let profileDeadline, now >= profileDeadline else { return false }
            let index = configuration.profiles.firstIndex(of: profile) ?? 0
            profile = configuration.profiles[(index + 1) % configuration.profiles.count]
            self.profileDeadline = now + VerifierConfiguration.profilePeriod
            return true
        }
    }

    /// The wallet that the session belongs to; its link is up.
    struct ServedWallet: Sendable {
        enum WalletTransferPhase: Sendable {
            /// The verifier waits for the payload's length; `isLate` when chunks came before it.
            case awaitingSize(PayloadReceiver.DecryptionKey, until: MonotonicInstant, isLate: Bool)
            /// Chunks are being received, and `receiver` is set.
            case receiving
            /// The payload was delivered; the decision is pending, or being sent.
            case delivered(VerificationStatusDelivery)

            /// The deadline of the step; nil while chunks are received, when the receiver has its own.
            var deadline: MonotonicInstant? {
                switch self {
                case .awaitingSize(_, let deadline, _): deadline
                case .delivered(let decision): decision.deadline
                case .receiving: nil
                }
            }

            var stage: Stage {
                switch self {
                case .awaitingSize: .awaitingSize
                case .receiving: .receiving
                case .delivered(let decision): decision.stage
                }
            }
        }

        let link: LinkID
        var requests = TransferReportRequests()
        var step: WalletTransferPhase

        /// Returns the wallet's state after chunks came without a length, for which it waits until a deadline.
        func awaitingLateSize(_ key: PayloadReceiver.DecryptionKey, until deadline: MonotonicInstant) -> ServedWallet {
            var wallet = self
            wallet.step = .awaitingSize(key, until: deadline, isLate: true)
            return wallet
        }

        /// Returns the wallet's state after the decision was sent; it has to disconnect until a deadline.
        func concluding(_ status: VerificationStatus, until deadline: MonotonicInstant) -> ServedWallet {
            var wallet = self
            var decision = VerificationStatusDelivery(until: deadline)
            decision.sent(status, until: deadline)
            wallet.step = .delivered(decision)
            return wallet
        }
    }
}
