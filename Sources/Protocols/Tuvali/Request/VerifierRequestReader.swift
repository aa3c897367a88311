import ByteCoding
import Determinism

/// Reads a verifier's request: reads its size once, and then window after window.
///
/// An input that does not fit the step has no effect. Source: `Documentation/Profiles/request.md`, "States".
struct VerifierRequestReader: Sendable {
    /// The result of one input for the request reader.
    enum Result: Sendable {
        /// The answer to a read of the wallet is pending.
        case underWay
        /// The verifier holds no request for the wallet.
        case none
        /// A read was not answered in time: until it is, only write commands may be sent.
        case unanswered(until: MonotonicInstant)
        /// The wallet has read the whole request.
        case read(VerifierRequestMessage)
        /// The request cannot be read, or is missing although the verifier's QR code announces one.
        case failed(TuvaliError)
    }

    /// The longest wait for an answer that ATT allows.
    ///
    /// Source: Core Specification 5.3, Vol 3 Part F §3.3.3.
    static let attWait = Duration.seconds(30)

    /// The fewest data bytes of a window that is not the last: what an ATT MTU of 67 leaves.
    static let smallestWindowBytes = ChunkLayout.smallestWriteBytes - ChunkLayout.headerBytes

    private enum Step: Sendable {
        case size
        case windows(total: Int, number: UInt16)
    }

    private let channel: VerifierLinkState
    private let context: SealedRequest.SealingContext
    private let isRequired: Bool
    private let configuration: WalletConfiguration
    private let beganAt: MonotonicInstant
    private var step = Step.size
    private var sealed: [UInt8] = []

    /// The time at which the parent calls `deadlinePassed`.
    private(set) var deadline: MonotonicInstant

    /// Makes a reader; the caller calls `begin` next.
    ///
    /// The session ends where there is no request, when `isRequired`.
    init(
        over channel: VerifierLinkState, for context: SealedRequest.SealingContext, isRequired: Bool,
        _ configuration: WalletConfiguration, at now: MonotonicInstant
    ) {
        self.channel = channel
        self.context = context
        self.isRequired = isRequired
        self.configuration = configuration
        beganAt = now
        // A verifier that says that it asks is waited for, so that a link that is slow or breaks is not taken for it.
        deadline = now + (isRequired ? configuration.setupWait : WalletConfiguration.requestSizeWait)
    }

    /// Reads the size of the request when the verifier has the characteristics for it.
    func begin(isOffered: Bool, into outputs: inout [WalletSession.Output]) -> Result {
        guard isOffered else { return none }
        outputs.append(channel.read(.requestSize))
        return .underWay
    }

    /// The result when there is no request: an error only if the verifier's QR code announces one.
    private var none: Result {
        isRequired
            ? .failed(
                TuvaliError(
                    .walletRequestWithheld,
                    "The verifier's code says that it holds a request, but none could be read."))
            : .none
    }

    var stage: WalletSession.Stage {
        switch step {
        case .size: .readingRequestSize
        case .windows: .readingRequest
        }
    }

    func deadlinePassed() -> Result {
        switch step {
        case .size: isRequired ? none : .unanswered(until: beganAt + Self.attWait)
        case .windows:
            .failed(TuvaliError(.walletRequestTimeout, "The verifier stopped answering while its request was read."))
        }
    }

    mutating func valueRead(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) -> Result {
        switch (step, characteristic) {
        case (.size, .requestSize): sizeRead(value, at: now, into: &outputs)
        case (.windows(let total, let number), .request):
            windowRead(value, total: total, number: number, at: now, into: &outputs)
        default: .underWay
        }
    }

    func readFailed(_ characteristic: TuvaliCharacteristic) -> Result {
        switch (step, characteristic) {
        case (.size, .requestSize): none
        case (.windows, .request):
            .failed(TuvaliError(.walletRequestReadFailed, "The verifier refused a read of the request it announced."))
        default: .underWay
        }
    }

    private mutating func sizeRead(
        _ value: [UInt8], at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        guard let announcement = VerifierRequestSize(parsing: value) else { return none }
        guard announcement.sealedBytes <= UInt32(clamping: SealedRequest.maximumBytes) else {
            let reason =
                "The verifier announced a request of \(announcement.sealedBytes) bytes;"
                + " \(SealedRequest.maximumBytes) are allowed."
            return .failed(TuvaliError(.walletRequestTooLarge, reason))
        }
        guard announcement.sealedBytes >= SealedRequest.minimumBytes else {
            return .failed(TuvaliError(.walletRequestMalformed, "The announced request is too short to be sealed."))
        }
        step = .windows(total: Int(announcement.sealedBytes), number: 1)
        return readNext(at: now, into: &outputs)
    }

    private mutating func readNext(
        at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        let end = beganAt + WalletConfiguration.requestWait
        guard now < end else {
            return .failed(TuvaliError(.walletRequestTimeout, "The request takes too long to read."))
        }
        deadline = min(now + configuration.setupWait, end)
        outputs.append(channel.read(.request))
        return .underWay
    }

    private mutating func windowRead(
        _ value: [UInt8], total: Int, number: UInt16, at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) -> Result {
        var reader = ByteReader(value)
        guard let given = reader.bigEndian(UInt16.self), let check = reader.bigEndian(UInt16.self) else {
            return .failed(TuvaliError(.walletRequestMalformed, "The request ends before its announced length."))
        }
        let data = reader.rest()
        guard given == number, check == CRC16Kermit.checksum(of: data) else {
            return .failed(TuvaliError(.walletRequestMalformed, "A window of the request is not the one expected."))
        }
        let count = sealed.count + data.count
        guard count <= total, count == total || data.count >= Self.smallestWindowBytes else {
            return .failed(TuvaliError(.walletRequestMalformed, "A window of the request has a wrong length."))
        }
        sealed += data
        guard count < total else { return opened }
        step = .windows(total: total, number: number + 1)
        return readNext(at: now, into: &outputs)
    }

    private var opened: Result {
        do {
            return .read(try SealedRequest.open(sealed, for: context))
        } catch {
            return .failed(error)
        }
    }
}

extension TuvaliError {
    static let unansweredRequest = TuvaliError(
        .walletRequestUnanswered, "The verifier never answered the read of REQUEST_SIZE, and the link is of no use.")
}
