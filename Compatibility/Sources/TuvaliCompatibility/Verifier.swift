import Determinism
public import Radio
public import Tuvali
import TuvaliHandover

/// A verifier with the calls of Tuvali's own libraries: one object for all hand-overs, which reports events to
/// listeners.
///
/// An adapter without decisions around `TuvaliHandover.Verifier`, one of which it makes for each hand-over. Listeners
/// are called one event after the other, on no particular thread. A hand-over that is under way when the object is
/// released is ended.
public final class Verifier: Sendable {
    /// The counts that the message of a failed transfer begins with.
    struct Counts {
        var corrupt = 0
        var total: Int?

        var prefix: String { total.map { "CRCFailureCount:\(corrupt) TotalChunkCount:\($0) - " } ?? "" }
    }

    private let listeners = EventListeners()
    private let calls = SerialQueue()
    private let handOver = HandOver<TuvaliHandover.Verifier>()
    private let makeVerifier: @Sendable () -> TuvaliHandover.Verifier

    /// Makes a verifier on a radio, which no other verifier uses meanwhile; the deployed libraries take the phone's.
    public init(radio: any PeripheralRadio, configuration: VerifierConfiguration = VerifierConfiguration()) {
        var configuration = configuration
        // Each corrupt chunk is reported, so that all of them are counted.
        configuration.refusalNoteLimit = .max
        let kept = configuration
        makeVerifier = { TuvaliHandover.Verifier(radio: radio, configuration: kept) }
    }

    /// Begins to advertise, and returns the text of the QR code.
    ///
    /// A hand-over that is under way is ended first. Returns an empty text after an `ErrorEvent`, for a name that is
    /// empty or has more than 14 UTF-8 bytes.
    public func startAdvertisement(_ advIdentifier: String) async -> String {
        await withCheckedContinuation { continuation in
            calls.add { [self] in continuation.resume(returning: await start(advIdentifier)) }
        }
    }

    /// Sends the decision after `DataReceivedEvent`; at another time it makes an `ErrorEvent` with `TUV_UNK_001`.
    public func sendVerificationStatus(_ status: VerificationStatusEvent.VerificationStatus) {
        calls.add { [weak self] in
            guard let self else { return }
            do throws(TuvaliError) {
                guard let verifier = handOver.session else {
                    throw TuvaliError(.sessionMisused, "There is no connection.")
                }
                try await verifier.decide(status == .ACCEPTED ? .accepted : .rejected)
            } catch {
                listeners.emit(ErrorEvent(error, orElse: .verifierUnknown))
            }
        }
    }

    /// Sends the decision by its number, as the library for Android: 0 accepts, every other number rejects.
    public func sendVerificationStatus(_ status: Int) { sendVerificationStatus(status == 0 ? .ACCEPTED : .REJECTED) }

    /// Stops advertising and ends the connection; `DisconnectedEvent` follows when the link is down.
    public func disconnect() {
        calls.add { [weak self] in await self?.handOver.session?.disconnect() }
    }

    /// Adds a function that gets all events from now on.
    public func subscribe(_ listener: @escaping @Sendable (any Event) -> Void) { listeners.add(listener) }

    /// Takes all listeners away.
    public func unsubscribe() { listeners.removeAll() }

    private func start(_ name: String) async -> String {
        await handOver.end { await $0.disconnect() }
        let verifier = makeVerifier()
        let events = Task { [listeners] in
            var counts = Counts()
            for await event in verifier.events { Self.report(event, &counts, to: listeners) }
        }
        do throws(TuvaliError) {
            let uri = try await verifier.start(name: name)
            handOver.begin(verifier, reporting: events)
            return uri.text
        } catch {
            events.cancel()
            listeners.emit(ErrorEvent(error, orElse: .verifierUnknown))
            return ""
        }
    }

    static func report(_ event: VerifierEvent, _ counts: inout Counts, to listeners: EventListeners) {
        switch event {
        case .connected: listeners.emit(ConnectedEvent())
        case .secureChannelEstablished: listeners.emit(SecureChannelEstablishedEvent())
        case .announced(_, let chunkCount): counts.total = chunkCount
        case .refused(let error): if error.code == .verifierBadChunk { counts.corrupt += 1 }
        case .received(let payload, let summary):
            listeners.emit(
                DataReceivedEvent(
                    data: String(decoding: payload, as: UTF8.self), crcFailureCount: summary.corruptChunkCount,
                    totalChunkCount: summary.chunkCount))
        case .error(let error):
            listeners.emit(ErrorEvent(error, orElse: .verifierUnknown, counts: counts.prefix))
            listeners.emit(DisconnectedEvent())
        case .disconnected: listeners.emit(DisconnectedEvent())
        case .advertising, .requestRead, .progress, .reported, .status, .left, .linkReport: break
        }
    }
}
