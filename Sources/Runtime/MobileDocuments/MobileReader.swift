import Bluetooth
public import Credentials
import CryptoSuite
public import Determinism
public import MobileSession
public import Radio

/// An event of a reading, for the application.
public enum MobileReaderEvent: Sendable {
    /// The phone was found, and a connection is being set up.
    case connecting(MobileMode)
    /// An attempt failed, and the phone is still looked for.
    case attemptFailed(MobileSessionError)
    /// The connection carries messages.
    case ready(MobileMode, mtu: Int)
    /// The request has left; the person decides, within 300 s.
    case asked
    /// So many bytes of the answer are here, of as many as it announces; nil where it does not, and at its end.
    case progress(Int, of: Int?)
    /// The answer came whole, and was verified; at most once.
    case answered(MobileReading)
    /// The phone does not follow the protocol in this, and was understood.
    case deviation(MobileDeviation)
    /// The reading has ended and everything on the radio is down; exactly once, and nothing follows.
    case finished(MobileSessionEnding)
}

/// The reader of one phone, on a radio: a driver without decisions around `ReaderSession`.
///
/// Make one for each code. Iterate `events`; when the task that iterates is cancelled, so is the reading.
public actor MobileReader {
    /// The events of the reading, for one consumer; ends after `finished`.
    public nonisolated let events: AsyncStream<MobileReaderEvent>

    private let radio: any CentralRadio & PeripheralRadio
    private let clock: any MonotonicClock
    private var random: any RandomSource
    private let continuation: AsyncStream<MobileReaderEvent>.Continuation
    private var driver: MobileSessionDriver<ReaderSession>?
    private var (hasBegun, isStopped) = (false, false)

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - radio: its events as a peripheral are consumed where the phone connects to it.
    ///   - random: where the key of the session comes from.
    public init(
        radio: any CentralRadio & PeripheralRadio, clock: any MonotonicClock = SystemMonotonicClock(),
        random: any RandomSource = SystemRandom()
    ) {
        self.radio = radio
        self.clock = clock
        self.random = random
        (events, continuation) = AsyncStream.makeStream(of: MobileReaderEvent.self)
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.stop() }
        }
    }

    /// Reads the documents of the phone that shows a code, within 60 s, and 300 s for the person.
    ///
    /// Allowed once. Throws `mdoc.engagement-…` and `mdoc.no-common-method` for a code with which nothing can be read,
    /// `mdoc.request-malformed`, and `mdoc.session-internal`, also when called again.
    ///
    /// - Parameters:
    ///   - code: the text of the QR code, `mdoc:` and so on.
    ///   - verification: the trust and the policy by which the answer is judged, and the time of the call: the answer
    ///     is judged by the time at which it came.
    ///   - modes: the modes that the radio can serve, in the order in which they are tried; nil for both, with the
    ///     phone as the client first (clause 11.1.3.1), unless the radio loses long writes of its clients.
    ///   - identity: the key and the certificates by which the request is signed, as a whole where the phone
    ///     takes that, else for each document; nil for an unsigned one.
    public func read(
        _ code: some Collection<UInt8>, asking request: MobileRequest, verification: VerificationRequest,
        modes: [MobileMode]? = nil, identity: DeviceRequestWriter.ReaderIdentity? = nil
    ) async throws(MobileSessionError) {
        guard !hasBegun else {
            throw MobileSessionError(.sessionInternal, "A reader serves one code.")
        }
        hasBegun = true
        try request.check()
        let engagement = try DeviceEngagement(text: code)
        // An alternative that the phone is not told of does not excuse its answer.
        let asked = engagement.capabilities.contains(.extendedRequests) ? request : request.plain
        for deviation in engagement.deviations { continuation.yield(.deviation(deviation)) }
        let usual: [MobileMode] =
            await radio.losesLongWrites ? [.peripheralServer, .centralClient] : [.centralClient, .peripheralServer]
        let session = try ReaderSession(engagement, modes: modes ?? usual, random: &random) {
            (keys) throws(MobileSessionError) in
            do throws(CryptoError) {
                return try asked.writer.encoded(
                    transcript: keys.transcript, identity: identity,
                    abilities: engagement.capabilities)
            } catch {
                throw MobileSessionError(.sessionInternal, "The request could not be signed: \(error.reason).")
            }
        }
        let (continuation, clock, began) = (continuation, clock, clock.now())
        let driver = MobileSessionDriver(session, radio: radio, clock: clock) { output in
            var verification = verification
            verification.time = verification.time.adding(clock.now() - began)
            Self.report(output, asked, verification, continuation)
        }
        self.driver = driver
        await driver.feed(isStopped ? .cancel : .start)
    }

    /// Ends the reading, and returns when everything on the radio is down; at once when it has ended.
    public func stop() async {
        isStopped = true
        guard let driver else { return continuation.finish() }
        await driver.stop()
    }

    private static func report(
        _ output: MobileSessionOutput, _ request: MobileRequest, _ verification: VerificationRequest,
        _ continuation: AsyncStream<MobileReaderEvent>.Continuation
    ) {
        switch output {
        case .link, .event(.requested), .event(.sent), .event(.mayHaveArrived): break
        case .event(.connecting(let mode)): continuation.yield(.connecting(mode))
        case .event(.attemptFailed(let error)): continuation.yield(.attemptFailed(error))
        case .event(.ready(let mode, let mtu)): continuation.yield(.ready(mode, mtu: mtu))
        case .event(.asked): continuation.yield(.asked)
        case .event(.progress(let count, let total)): continuation.yield(.progress(count, of: total))
        case .event(.deviation(let deviation)): continuation.yield(.deviation(deviation))
        // Of an answer without a document the session's end says why.
        case .event(.answered(let response, _)) where response.refusal != nil: break
        case .event(.answered(let response, let keys)):
            do {
                continuation.yield(
                    .answered(try MobileReading(response, asked: request, in: keys, verification)))
            } catch {
                continuation.yield(.attemptFailed(error))
            }
        case .finished(let ending):
            continuation.yield(.finished(ending))
            continuation.finish()
        }
    }
}
