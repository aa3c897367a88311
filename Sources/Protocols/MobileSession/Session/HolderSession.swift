import CBOR
package import COSE
import CryptoSuite
package import Determinism

/// The holder of one session: offers an engagement, gets a request, and answers it as the person decides.
///
/// A value that never touches the world. Every input is followed by the outputs that it causes, in their order. Exactly
/// one `finished` ends the session, after which every input is without effect, and the keys are gone. Source:
/// ISO/IEC 18013-5, clauses 9 to 12.
package struct HolderSession: StateMachine, Sendable {
    /// An input of the session.
    package enum Input: Sendable {
        /// Begin to offer the engagement.
        case start
        /// A fact about the links.
        case link(MobileLinkInput)
        /// The person agreed: an encoded DeviceResponse.
        case answer([UInt8])
        /// The person declined, or has no such document.
        case decline
        /// Time has passed; given at `nextDeadline` at the latest.
        case tick
        /// The user ends the session.
        case cancel
    }

    /// An output of the session.
    package typealias Output = MobileSessionOutput

    /// The most bytes of a request.
    package static let maximumRequestBytes = 64 << 10
    /// The wait for a reader, and for the next bytes of its request (clause 9.4 asks for at least 30 s each).
    package static let readerWait = Duration.seconds(60)
    /// The wait for the person's decision, for the host to take the next bytes of the answer, and for the reader's end
    /// (clause 12.2.4 asks for at least 300 s).
    package static let decisionWait = Duration.seconds(300)

    private enum Phase: Sendable {
        case idle
        case offered(until: MonotonicInstant)
        case ready(until: MonotonicInstant)
        case deciding(SessionCipher, until: MonotonicInstant)
        case answered(SessionCipher, isSent: Bool, until: MonotonicInstant)
        case ending(MobileSessionEnding)
        case closed
    }

    /// The engagement, whose text the code shows.
    package let engagement: DeviceEngagement
    private var key: AgreementKey?
    private var keys: MobileSessionKeys?
    private var phase = Phase.idle
    private var link: MobileLink

    /// Makes a session of a key for it alone.
    ///
    /// Throws `mdoc.session-internal` when the key gives no public one, and `mdoc.no-common-method` without a mode.
    ///
    /// - Parameter bluetooth: a service UUID, drawn for this session, for each mode that is offered.
    package init(
        key: AgreementKey, bluetooth: DeviceEngagement.BluetoothOffer
    ) throws(MobileSessionError) {
        let ident: [UInt8]
        do throws(CryptoError) {
            engagement = DeviceEngagement(key: try key.publicKey(), bluetooth: bluetooth)
            ident = try engagement.ident()
        } catch {
            throw MobileSessionError(.sessionInternal, "A key could not be derived: \(error.reason).")
        }
        self.key = key
        link = MobileLink(
            side: .holder, offer: bluetooth, modes: bluetooth.modes, ident: ident, limit: Self.maximumRequestBytes)
        guard !link.hasNoMode else {
            throw MobileSessionError(.noCommonMethod, "The holder offers no way over Bluetooth.")
        }
    }

    /// The latest time at which the caller gives the input `tick`; nil while no deadline is pending.
    package var nextDeadline: MonotonicInstant? {
        [ownDeadline, link.nextDeadline].compactMap { $0 }.min()
    }

    /// True when the session has ended and the radio has nothing to do for it any more.
    package var isClosed: Bool {
        if case .closed = phase { return link.isClosed }
        return false
    }

    /// Handles one input, and appends the outputs that it causes.
    package mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start:
            guard case .idle = phase else { return }
            phase = .offered(until: now + Self.readerWait)
            link.start(together: true, at: now, into: &outputs)
        case .link(.radioFailed(let reason)):
            finish(.failed(MobileSessionError(.radioFailed, reason)), tell: nil, at: now, into: &outputs)
        case .link(let input):
            let events = link.handle(input, at: now, into: &outputs)
            for event in events { handle(event, at: now, into: &outputs) }
        case .answer(let response): answer(response, at: now, into: &outputs)
        case .decline: answer(DeviceResponse.encoded(documents: []), at: now, into: &outputs)
        case .tick:
            let events = link.tick(at: now, into: &outputs)
            for event in events { handle(event, at: now, into: &outputs) }
            overdue(at: now, into: &outputs)
        case .cancel: finish(.cancelled, tell: SessionData.Status.termination, at: now, into: &outputs)
        }
        close(into: &outputs)
    }

    private mutating func overdue(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let deadline = ownDeadline, deadline <= now else { return }
        switch phase {
        case .offered:
            let error = MobileSessionError(.notFound, "No reader came.")
            finish(.failed(error), tell: nil, at: now, into: &outputs)
        case .ready, .deciding, .answered:
            let what = if case .ready = phase { "The reader sent no request" } else { "Nothing happened" }
            let error = MobileSessionError(.idleTimeout, "\(what) in the time allowed.")
            finish(.failed(error), tell: SessionData.Status.termination, at: now, into: &outputs)
        case .idle, .ending, .closed: break
        }
    }

    private var ownDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .ending, .closed: nil
        case .offered(let deadline), .ready(let deadline), .deciding(_, let deadline), .answered(_, _, let deadline):
            deadline
        }
    }

    private mutating func handle(_ event: MobileLinkEvent, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch event {
        case .connecting(let mode): outputs.append(.event(.connecting(mode)))
        case .attemptFailed(let error):
            if case .offered = phase { outputs.append(.event(.attemptFailed(error))) }
        case .ready(let mode, let mtu):
            guard case .offered = phase else { return }
            phase = .ready(until: now + Self.readerWait)
            outputs.append(.event(.ready(mode, mtu: mtu)))
        case .progress, .advanced: renew(at: now)
        case .sent:
            guard case .answered(let cipher, false, _) = phase else { return }
            phase = .answered(cipher, isSent: true, until: now + Self.decisionWait)
            outputs.append(.event(.sent))
        case .message(let bytes): received(bytes, at: now, into: &outputs)
        case .ended, .lost: ended(event, at: now, into: &outputs)
        case .broken(let error): finish(.failed(error), tell: nil, at: now, into: &outputs)
        case .deviation(let deviation): outputs.append(.event(.deviation(deviation)))
        }
    }

    /// Waits anew: the request or the answer moves.
    private mutating func renew(at now: MonotonicInstant) {
        switch phase {
        case .ready: phase = .ready(until: now + Self.readerWait)
        case .answered(let cipher, let isSent, _):
            phase = .answered(cipher, isSent: isSent, until: now + Self.decisionWait)
        case .idle, .offered, .deciding, .ending, .closed: break
        }
    }

    private mutating func ended(_ event: MobileLinkEvent, at now: MonotonicInstant, into outputs: inout [Output]) {
        if case .ended = event { noteArrival(at: now, into: &outputs) }
        if case .answered(_, isSent: true, _) = phase {
            if case .lost = event { outputs.append(.event(.deviation(.endWithoutStatus))) }
            return finish(.completed, tell: nil, isSilent: true, at: now, into: &outputs)
        }
        let error = MobileSessionError(.brokenOff, "The reader ended the session before the whole answer had left.")
        finish(.failed(error), tell: nil, isSilent: true, at: now, into: &outputs)
    }

    private mutating func received(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .ready: established(bytes, at: now, into: &outputs)
        // A message before the answer breaks the turns of the protocol.
        case .deciding:
            guard let message = try? SessionData(bytes, limit: Self.maximumRequestBytes), let status = message.status
            else {
                let error = MobileSessionError(.protocolBroken, "The reader sent a message before its answer was here.")
                return finish(.failed(error), tell: SessionData.Status.decodingError, at: now, into: &outputs)
            }
            ended(byStatus: status, at: now, into: &outputs)
        case .answered: asked(again: bytes, at: now, into: &outputs)
        case .idle, .offered, .ending, .closed: break
        }
    }

    private mutating func established(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        let message: SessionEstablishment
        do throws(MobileSessionError) {
            message = try SessionEstablishment(bytes, limit: Self.maximumRequestBytes)
        } catch {
            return finish(.failed(error), tell: SessionData.Status.decodingError, at: now, into: &outputs)
        }
        guard let key, let secret = try? key.sharedSecret(with: message.readerKey) else {
            let error = MobileSessionError(.engagementCurve, "The reader's key gives no shared secret with this one.")
            return finish(.failed(error), tell: SessionData.Status.encryptionError, at: now, into: &outputs)
        }
        let transcript = SessionTranscript(engagement: engagement.bytes, readerKeyBytes: message.readerKeyBytes)
        guard var cipher = try? SessionCipher(side: .holder, secret: secret, transcript: transcript) else {
            let error = MobileSessionError(.sessionInternal, "The keys of the session could not be derived.")
            return finish(.failed(error), tell: SessionData.Status.encryptionError, at: now, into: &outputs)
        }
        keys = MobileSessionKeys(transcript: transcript, ownKey: key, peerKey: message.readerKey)
        request(message.data, &cipher, at: now, into: &outputs)
    }

    private mutating func request(
        _ data: [UInt8], _ cipher: inout SessionCipher, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        let opened = cipher.open(data)
        guard let opened, let keys else {
            let error = MobileSessionError(.sessionDecrypt, "The request cannot be decrypted.")
            return finish(.failed(error), tell: SessionData.Status.encryptionError, at: now, into: &outputs)
        }
        phase = .deciding(cipher, until: now + Self.decisionWait)
        do throws(MobileSessionError) {
            outputs.append(.event(.requested(try DeviceRequest(opened), keys)))
        } catch {
            outputs.append(.event(.attemptFailed(error)))
            let status =
                (try? CBORValue(parsing: opened)) != nil
                ? DeviceResponse.Status.validationError : DeviceResponse.Status.decodingError
            answer(DeviceResponse.encoded(documents: [], status: status), at: now, into: &outputs)
        }
    }

    private mutating func answer(_ response: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .deciding(var cipher, _) = phase else { return }
        guard let data = cipher.seal(response) else {
            let error = MobileSessionError(.sessionInternal, "The answer could not be encrypted.")
            return finish(.failed(error), tell: SessionData.Status.termination, at: now, into: &outputs)
        }
        phase = .answered(cipher, isSent: false, until: now + Self.decisionWait)
        link.send(SessionData(data: data).encoded, into: &outputs)
    }

    /// Notes that the reader acts on an answer before the host said that it took the last of it.
    private mutating func noteArrival(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .answered(let cipher, isSent: false, _) = phase, link.hasLastPartInFlight else { return }
        phase = .answered(cipher, isSent: true, until: now + Self.decisionWait)
        outputs.append(.event(.sent))
    }

    private mutating func asked(again bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        let message: SessionData
        do throws(MobileSessionError) {
            message = try SessionData(bytes, limit: Self.maximumRequestBytes)
        } catch {
            return finish(.failed(error), tell: SessionData.Status.decodingError, at: now, into: &outputs)
        }
        noteArrival(at: now, into: &outputs)
        guard let data = message.data, case .answered(var cipher, isSent: true, _) = phase else {
            return ended(byStatus: message.status ?? 0, at: now, into: &outputs)
        }
        request(data, &cipher, at: now, into: &outputs)
        if let status = message.status { ended(byStatus: status, at: now, into: &outputs) }
    }

    private mutating func ended(
        byStatus status: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        if status == SessionData.Status.termination, case .answered(_, isSent: true, _) = phase {
            return finish(.completed, tell: nil, isSilent: true, at: now, into: &outputs)
        }
        let error = MobileSessionError(
            .peerStatus, "The reader ended the session with status \(status).", detail: status)
        finish(.failed(error), tell: nil, isSilent: true, at: now, into: &outputs)
    }

    /// Ends the session once, tells the other side where something is to be told, and ends the link.
    private mutating func finish(
        _ ending: MobileSessionEnding, tell status: Int?, isSilent: Bool = false, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        switch phase {
        case .ending, .closed: return
        case .answered(_, isSent: false, _):
            // A status behind a part of the answer would be read as more of it.
            if link.dropMessages() { outputs.append(.event(.mayHaveArrived)) }
        case .ready, .deciding, .answered:
            if let status { link.send(SessionData(status: status).encoded, into: &outputs) }
        case .idle, .offered: break
        }
        phase = .ending(ending)
        key = nil
        keys = nil
        link.end(isSilent: isSilent, at: now, into: &outputs)
    }

    /// Reports the end when the link is down.
    private mutating func close(into outputs: inout [Output]) {
        guard case .ending(let ending) = phase, link.isClosed else { return }
        phase = .closed
        outputs.append(.finished(ending))
    }
}
