public import Determinism
public import MobileSession
public import Presentations
public import Radio
public import Tuvali

/// A request that a station can make to wallets.
public struct StationRequest: Sendable {
    /// A request of one session, with a nonce of its own.
    public struct SessionRequest: Sendable {
        /// The request for the session of a verifier's key.
        public let message: @Sendable (_ key: [UInt8]) throws(TuvaliError) -> VerifierRequestMessage
        /// Checks the payload that answers the request.
        public let check:
            @Sendable (_ payload: [UInt8], SessionPublicKeys?, WallTime) throws -> PresentationAnswerChecker.Result

        /// Makes the request of one session.
        public init(
            message: @escaping @Sendable (_ key: [UInt8]) throws(TuvaliError) -> VerifierRequestMessage,
            check:
                @escaping @Sendable (_ payload: [UInt8], SessionPublicKeys?, WallTime) throws ->
                PresentationAnswerChecker.Result
        ) {
            self.message = message
            self.check = check
        }
    }

    /// The names of the requested claims, such as `name`; empty when the wallet chooses.
    public let names: [String]

    /// The same request for a phone that shows a mobile document; nil when it cannot be made to one.
    public let phone: MobileRequest?

    /// Makes the request of a new session; nil when nothing is requested.
    public let begin: @Sendable () throws -> SessionRequest?

    /// Makes a request.
    ///
    /// - Parameter phone: the request for a phone; without one phones are not read.
    public init(
        names: [String], phone: MobileRequest? = nil, begin: @escaping @Sendable () throws -> SessionRequest?
    ) {
        self.names = names
        self.phone = phone
        self.begin = begin
    }

    /// A request that takes any payload, as deployed wallets send it.
    ///
    /// A phone takes no request for anything: it is asked for an identity.
    public static let anything = StationRequest(names: [], phone: try? MobileRequest(asking: "identity")) { nil }
}

/// A radio of one session.
public struct StationRadio: Sendable {
    /// The radio.
    public let radio: any CentralRadio & PeripheralRadio
    /// Closes the radio after the session.
    public let close: @Sendable () async -> Void

    /// Makes the radio of a session.
    public init(_ radio: any CentralRadio & PeripheralRadio, close: @escaping @Sendable () async -> Void) {
        self.radio = radio
        self.close = close
    }
}
