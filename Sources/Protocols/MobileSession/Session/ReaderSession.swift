import CBOR
package import COSE
import CryptoSuite
package import Determinism

/// The reader of one session: finds the holder of an engagement, asks once, and gets one answer.
///
/// A value that never touches the world. Every input is followed by the outputs that it causes, in their order. Exactly
/// one `finished` ends the session, after which every input is without effect, and the keys are gone. Source:
/// ISO/IEC 18013-5, clauses 9 to 12.
package struct ReaderSession: StateMachine, Sendable {
    /// An input of the session.
    package enum Input: Sendable {
        /// Begin to look for the holder.
        case start
        /// A fact about the links.
        case link(MobileLinkInput)
        /// Time has passed; given at `nextDeadline` at the latest.
        case tick
        /// The user ends the session.
        case cancel
    }

    /// An output of the session.
    package typealias Output = MobileSessionOutput

    /// The most bytes of an answer.
    package static let maximumResponseBytes = 8 << 20
    /// The wait for the holder to be found and connected (clause 9.4 asks for at least 30 s).
    package static let connectionWait = Duration.seconds(60)
    /// The wait for the person's decision, and for the next bytes of request and answer (clause 12.2.4 asks for at
    /// least 300 s).
    package static let decisionWait = Duration.seconds(300)

    private enum Phase: Sendable {
        case idle
        case connecting(until: MonotonicInstant)
        case asked(SessionCipher, until: MonotonicInstant)
        /// The result is known, and the link is being ended.
        case ending(MobileSessionEnding)
        case closed
    }

    /// The secrets of the session; nil once it has ended.
    private struct Material {
        let keys: MobileSessionKeys
        let secret: Secret
        let request: [UInt8]
    }

    private let readerKeyBytes: [UInt8]
    private var material: Material?
    private var phase = Phase.idle
    private var link: MobileLink
    /// True once the request has left.
    private var hasAsked = false
    /// The error of the last attempt, which explains why no link came up.
    private var lastFailure: MobileSessionError?

    /// Makes a session with the holder of an engagement, whose key is drawn on the curve of the holder's.
    ///
    /// Throws `mdoc.no-common-method` when none of the modes is offered, `mdoc.engagement-curve` when the two keys
    /// share no secret, and `mdoc.session-internal`.
    ///
    /// - Parameters:
    ///   - modes: the modes that the radio can serve, in the order in which they are tried.
    ///   - request: returns the encoded request; it may sign the transcript.
    package init(
        _ engagement: DeviceEngagement, modes: [MobileMode], random: inout some RandomSource,
        request: (MobileSessionKeys) throws(MobileSessionError) -> [UInt8]
    ) throws(MobileSessionError) {
        let made: AgreementKey?
        do throws(CryptoError) {
            made = try AgreementKey.make(onCurveOf: engagement.key, from: &random)
        } catch {
            throw MobileSessionError(.sessionInternal, "A key could not be drawn: \(error.reason).")
        }
        guard let made else {
            throw MobileSessionError(.engagementCurve, "The holder's key gives no shared secret.")
        }
        try self.init(engagement, modes: modes, key: made, request: request)
    }

    /// Makes a session with a key that the caller gives; throws as above.
    package init(
        _ engagement: DeviceEngagement, modes: [MobileMode], key: AgreementKey,
        request: (MobileSessionKeys) throws(MobileSessionError) -> [UInt8]
    ) throws(MobileSessionError) {
        let ident: [UInt8]
        do throws(CryptoError) {
            readerKeyBytes = CBORItem.embedded(try key.publicKey().item).encoded
            ident = try engagement.ident()
        } catch {
            throw MobileSessionError(.sessionInternal, "A key could not be derived: \(error.reason).")
        }
        let secret: Secret
        do throws(CryptoError) {
            secret = try key.sharedSecret(with: engagement.key)
        } catch {
            throw MobileSessionError(.engagementCurve, "The holder's key gives no shared secret: \(error.reason).")
        }
        let transcript = SessionTranscript(engagement: engagement.bytes, readerKeyBytes: readerKeyBytes)
        let keys = MobileSessionKeys(transcript: transcript, ownKey: key, peerKey: engagement.key)
        link = MobileLink(
            side: .reader, offer: engagement.bluetooth ?? .init(), modes: modes, ident: ident,
            limit: Self.maximumResponseBytes)
        guard !link.hasNoMode else {
            throw MobileSessionError(.noCommonMethod, Self.methods(of: engagement))
        }
        material = Material(keys: keys, secret: secret, request: try request(keys))
    }

    private static func methods(of engagement: DeviceEngagement) -> String {
        guard engagement.bluetooth == nil else { return "The phone offers no way over Bluetooth that the radio has." }
        let names = engagement.otherMethods.map { [1: "NFC", 3: "Wi-Fi Aware"][$0] ?? "method \($0)" }
        return names.isEmpty
            ? "The phone's code offers no way to connect."
            : "The phone offers \(names.joined(separator: " and ")) alone."
    }

    /// The latest time at which the caller gives the input `tick`; nil while no deadline is pending.
    package var nextDeadline: MonotonicInstant? {
        let own: MonotonicInstant? =
            switch phase {
            case .idle, .ending, .closed: nil
            case .connecting(let deadline), .asked(_, let deadline): deadline
            }
        return [own, link.nextDeadline].compactMap { $0 }.min()
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
            phase = .connecting(until: now + Self.connectionWait)
            link.start(together: false, at: now, into: &outputs)
        case .link(.radioFailed(let reason)):
            finish(.failed(MobileSessionError(.radioFailed, reason)), tell: nil, at: now, into: &outputs)
        case .link(let input):
            let events = link.handle(input, at: now, into: &outputs)
            for event in events { handle(event, at: now, into: &outputs) }
        case .tick:
            let events = link.tick(at: now, into: &outputs)
            for event in events { handle(event, at: now, into: &outputs) }
            overdue(at: now, into: &outputs)
        case .cancel: finish(.cancelled, tell: SessionData.Status.termination, at: now, into: &outputs)
        }
        close(into: &outputs)
    }

    private mutating func overdue(at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .connecting(let deadline) where deadline <= now:
            let error = lastFailure ?? MobileSessionError(.notFound, "No phone with this code was found.")
            finish(.failed(error), tell: nil, at: now, into: &outputs)
        case .asked(_, let deadline) where deadline <= now:
            let error = MobileSessionError(.idleTimeout, "The phone sent no answer for \(Self.decisionWait).")
            finish(.failed(error), tell: SessionData.Status.termination, at: now, into: &outputs)
        case .idle, .connecting, .asked, .ending, .closed: break
        }
    }

    private mutating func handle(_ event: MobileLinkEvent, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch event {
        case .connecting(let mode): outputs.append(.event(.connecting(mode)))
        case .attemptFailed(let error):
            guard case .connecting = phase else { return }
            lastFailure = error
            outputs.append(.event(.attemptFailed(error)))
        case .ready(let mode, let mtu):
            outputs.append(.event(.ready(mode, mtu: mtu)))
            ask(at: now, into: &outputs)
        case .sent:
            renew(at: now)
            guard case .asked = phase, !hasAsked else { return }
            hasAsked = true
            outputs.append(.event(.asked))
        case .advanced: renew(at: now)
        case .progress(let count, let total):
            guard case .asked = phase else { return }
            renew(at: now)
            outputs.append(.event(.progress(count, of: total)))
        case .message(let bytes): received(bytes, at: now, into: &outputs)
        case .ended: brokenOff("The phone ended the session before its answer", nil, at: now, into: &outputs)
        case .lost(let count): brokenOff("The link broke before the whole answer", count, at: now, into: &outputs)
        case .broken(let error): finish(.failed(error), tell: nil, at: now, into: &outputs)
        case .deviation(let deviation): outputs.append(.event(.deviation(deviation)))
        }
    }

    /// Waits anew: the request or the answer moves.
    private mutating func renew(at now: MonotonicInstant) {
        if case .asked(let cipher, _) = phase { phase = .asked(cipher, until: now + Self.decisionWait) }
    }

    private mutating func ask(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .connecting = phase else { return }
        guard let material,
            var cipher = try? SessionCipher(
                side: .reader, secret: material.secret, transcript: material.keys.transcript),
            let data = cipher.seal(material.request)
        else {
            return finish(
                .failed(MobileSessionError(.sessionInternal, "The request could not be encrypted.")), tell: nil,
                at: now,
                into: &outputs)
        }
        phase = .asked(cipher, until: now + Self.decisionWait)
        link.send(SessionEstablishment.encoded(readerKeyBytes: readerKeyBytes, data: data), into: &outputs)
    }

    private mutating func received(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .asked(var cipher, let deadline) = phase else { return }
        let message: SessionData
        do throws(MobileSessionError) {
            message = try SessionData(bytes, limit: Self.maximumResponseBytes)
        } catch {
            return finish(.failed(error), tell: SessionData.Status.decodingError, at: now, into: &outputs)
        }
        guard let data = message.data else {
            let status = message.status ?? 0
            let error = MobileSessionError(
                .peerStatus, "The phone ended the session with status \(status) in place of an answer.", detail: status)
            return finish(.failed(error), tell: nil, at: now, into: &outputs)
        }
        let opened = cipher.open(data)
        phase = .asked(cipher, until: deadline)
        guard let opened else {
            let error = MobileSessionError(.sessionDecrypt, "The answer cannot be decrypted.")
            return finish(.failed(error), tell: SessionData.Status.encryptionError, at: now, into: &outputs)
        }
        answered(opened, status: message.status, at: now, into: &outputs)
    }

    private mutating func answered(
        _ bytes: [UInt8], status: Int?, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        // A phone that said with its answer that the session ends gets no status back.
        let tell = status == nil ? SessionData.Status.termination : nil
        let response: DeviceResponse
        do throws(MobileSessionError) {
            response = try DeviceResponse(bytes, limit: Self.maximumResponseBytes)
        } catch {
            return finish(.failed(error), tell: tell, at: now, into: &outputs)
        }
        if let material { outputs.append(.event(.answered(response, material.keys))) }
        if let error = response.refusal { return finish(.failed(error), tell: tell, at: now, into: &outputs) }
        finish(.completed, tell: tell, at: now, into: &outputs)
    }

    private mutating func brokenOff(
        _ what: String, _ count: Int?, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .asked = phase else { return }
        let text = count.map { ": \($0) bytes of it are here" } ?? ""
        finish(
            .failed(MobileSessionError(.brokenOff, "\(what)\(text).")), tell: nil, isSilent: true, at: now,
            into: &outputs)
    }

    /// Ends the session once, tells the other side where something is to be told, and ends the link.
    private mutating func finish(
        _ ending: MobileSessionEnding, tell status: Int?, isSilent: Bool = false, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        switch phase {
        case .ending, .closed: return
        case .asked: if let status { link.send(SessionData(status: status).encoded, into: &outputs) }
        case .idle, .connecting: break
        }
        phase = .ending(ending)
        material = nil
        link.end(isSilent: isSilent, at: now, into: &outputs)
    }

    /// Reports the end when the link is down.
    private mutating func close(into outputs: inout [Output]) {
        guard case .ending(let ending) = phase, link.isClosed else { return }
        phase = .closed
        outputs.append(.finished(ending))
    }
}
