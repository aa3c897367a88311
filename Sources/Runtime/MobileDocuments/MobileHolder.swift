import Bluetooth
public import CBOR
import COSE
public import CryptoSuite
public import Determinism
public import MobileSession
public import Radio

/// An event of a holder's session, for the application.
public enum MobileHolderEvent: Sendable {
    /// The reader was found, and a connection is being set up.
    case connecting(MobileMode)
    /// An attempt failed, and a reader is still waited for.
    case attemptFailed(MobileSessionError)
    /// The connection carries messages; the code serves no other reader.
    case ready(MobileMode, mtu: Int)
    /// A reader asks; the application calls `answer` or `decline`, within 300 s.
    case requested(MobileQuestion)
    /// The answer has left whole.
    case sent
    /// The session ends while the radio has the last part of the answer: the reader may have all of it.
    case mayHaveArrived
    /// The reader does not follow the protocol in this, and was understood.
    case deviation(MobileDeviation)
    /// The session has ended and everything on the radio is down; exactly once, and nothing follows.
    case finished(MobileSessionEnding)
}

/// A reader's question to a holder, and the elements with which the holder can answer.
public struct MobileQuestion: Sendable {
    /// A document that is asked for.
    public struct DocumentQuestion: Sendable {
        /// The type of the document.
        public let type: String
        /// The elements that are asked for.
        public let elements: [DeviceRequest.RequestedElement]
        /// The elements with which the holder can answer; nil when it has no such document.
        ///
        /// Among them are those that stand in for others, which the request may not name: see `substitutes`.
        public let answer: [DeviceRequest.ElementName]?
        /// The elements of the answer that stand in for others: alternatives, and statements about other ages.
        public var substitutes: [DeviceRequest.ElementName] {
            (answer ?? []).filter { name in !elements.contains { $0.name == name } }
        }
        /// Who asks.
        public let reader: ReaderAuthentication.ReaderStanding

        /// The element without which nothing else of the document is sent; nil when there is none.
        public let required: DeviceRequest.ElementName?

        fileprivate let request: DeviceRequest.DocumentRequest
        fileprivate let held: HeldMobileDocument?
    }

    /// The documents that are asked for, in the order of the request.
    public let documents: [DocumentQuestion]
    fileprivate let keys: MobileSessionKeys

    /// True when a signature or a certificate of the reader is wrong: then nothing may be answered.
    public var isReaderWrong: Bool {
        documents.contains { if case .wrong = $0.reader { true } else { false } }
    }

    /// Returns the documents that an answer shows when the person allows these elements; none to a wrong reader.
    ///
    /// A `place` is that of a document in the question, for which alone an element is allowed. Those of single use are
    /// taken out of the holder's store before the answer: see `HeldDocumentStore`.
    public func documents(
        allowing isAllowed: (_ place: Int, DeviceRequest.ElementName) -> Bool = { _, _ in true }
    ) -> [HeldMobileDocument] {
        answers(allowing: isAllowed).map { $0.document }
    }

    fileprivate func answers(
        allowing isAllowed: (_ place: Int, DeviceRequest.ElementName) -> Bool
    ) -> [(document: HeldMobileDocument, elements: [DeviceRequest.ElementName])] {
        guard !isReaderWrong else { return [] }
        return documents.enumerated().compactMap { place, asked in
            guard let held = asked.held else { return nil }
            let chosen = held.answer(to: asked.request) { isAllowed(place, $0) }
            return chosen.isEmpty ? nil : (held, chosen)
        }
    }
}

/// The holder of documents in one session, on a radio: a driver without decisions around `HolderSession`.
///
/// Make one for each code that is shown. Iterate `events`; when the task that iterates is cancelled, so is the session.
public actor MobileHolder {
    /// The events of the session, for one consumer; ends after `finished`.
    public nonisolated let events: AsyncStream<MobileHolderEvent>

    private let radio: any CentralRadio & PeripheralRadio
    private let clock: any MonotonicClock
    private var random: any RandomSource
    private let continuation: AsyncStream<MobileHolderEvent>.Continuation
    private var documents: [HeldMobileDocument] = []
    private var question: MobileQuestion?
    private var driver: MobileSessionDriver<HolderSession>?
    private var (hasBegun, isStopped) = (false, false)

    /// Makes a holder.
    ///
    /// - Parameters:
    ///   - radio: its events as a peripheral are consumed where the reader connects to it.
    ///   - random: where the key and the service UUIDs of the session come from.
    public init(
        radio: any CentralRadio & PeripheralRadio, clock: any MonotonicClock = SystemMonotonicClock(),
        random: any RandomSource = SystemRandom()
    ) {
        self.radio = radio
        self.clock = clock
        self.random = random
        (events, continuation) = AsyncStream.makeStream(of: MobileHolderEvent.self)
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.stop() }
        }
    }

    /// Begins to wait for a reader, for 60 s, and returns the text of the code to show.
    ///
    /// Allowed once. The key of the session is on the curve that the first document's device key needs for a MAC, else
    /// on P-256. Throws `mdoc.no-common-method` without a mode, and `mdoc.session-internal`, also when called again.
    ///
    /// - Parameters:
    ///   - modes: the modes that the holder takes; where the radio loses long writes of its clients, the holder is
    ///     none of their peripheral unless that is the only mode.
    ///   - authorities: the authorities of readers that the holder trusts.
    ///   - time: the time by which certificates of readers are judged.
    public func offer(
        _ documents: [HeldMobileDocument], modes: [MobileMode] = MobileMode.allCases,
        authorities: [Certificate] = [], at time: WallTime
    ) async throws(MobileSessionError) -> String {
        guard !hasBegun else {
            throw MobileSessionError(.sessionInternal, "A holder shows one code.")
        }
        hasBegun = true
        let isPeripheral = await !radio.losesLongWrites || !modes.contains(.centralClient)
        let bluetooth = DeviceEngagement.BluetoothOffer(
            peripheralServer: isPeripheral && modes.contains(.peripheralServer) ? makeService() : nil,
            centralClient: modes.contains(.centralClient) ? makeService() : nil)
        let session = try HolderSession(key: try makeKey(for: documents), bluetooth: bluetooth)
        self.documents = documents
        let driver = MobileSessionDriver(session, radio: radio, clock: clock) { [weak self, continuation] output in
            switch output {
            case .event(.requested(let request, let keys)):
                Task { await self?.asked(request, keys, authorities, time) }
            case .finished:
                Task { await self?.forget() }
                Self.report(output, continuation)
            default: Self.report(output, continuation)
            }
        }
        self.driver = driver
        await driver.feed(isStopped ? .cancel : .start)
        return session.engagement.text
    }

    /// Answers the question with those elements that the person allows, each in the document at its place.
    ///
    /// Allowed once after each `requested`; without effect otherwise, and when nothing is allowed it declines. Throws
    /// `mdoc.session-internal` when the device's proof cannot be made; the session is then declined.
    public func answer(
        allowing isAllowed: (_ place: Int, DeviceRequest.ElementName) -> Bool = { _, _ in true }
    ) async throws(MobileSessionError) {
        guard let question else { return }
        var (answers, used): ([CBORItem], [String]) = ([], [])
        do {
            for (document, elements) in question.answers(allowing: isAllowed) {
                answers.append(try document.document(with: elements, in: question.keys))
                if document.isSingleUse { used.append(document.id) }
            }
        } catch {
            await decline()
            throw MobileSessionError(.sessionInternal, "The device's proof could not be made: \(error).")
        }
        guard !answers.isEmpty else { return await decline() }
        self.question = nil
        // A later request of the session gets another copy.
        documents.removeAll { used.contains($0.id) }
        await driver?.feed(.answer(DeviceResponse.encoded(documents: answers)))
    }

    /// Answers that nothing is returned, which a reader cannot tell from having no such document.
    public func decline() async {
        guard question != nil else { return }
        question = nil
        await driver?.feed(.decline)
    }

    /// Ends the session, and returns when everything on the radio is down; at once when it has ended.
    public func stop() async {
        isStopped = true
        forget()
        guard let driver else { return continuation.finish() }
        await driver.stop()
    }

    /// Releases the documents and their keys.
    private func forget() {
        question = nil
        documents = []
    }

    private func makeService() -> BluetoothUUID {
        var bytes = random.bytes(count: 16)
        // A random UUID of RFC 4122, version 4.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return BluetoothUUID(littleEndian: bytes.reversed()) ?? BluetoothUUID(high: 0, low: 0)
    }

    private func makeKey(for documents: [HeldMobileDocument]) throws(MobileSessionError) -> AgreementKey {
        do throws(CryptoError) {
            let peer = try documents.lazy.compactMap(\.agreementKey).first?.publicKey()
            if let peer, let key = try AgreementKey.make(onCurveOf: peer, from: &random) { return key }
            return .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        } catch {
            throw MobileSessionError(.sessionInternal, "A key could not be drawn: \(error.reason).")
        }
    }

    private func asked(
        _ request: DeviceRequest, _ keys: MobileSessionKeys, _ authorities: [Certificate], _ time: WallTime
    ) {
        let question = MobileQuestion(
            documents: request.documents.map { asked in
                let held = document(for: asked, in: keys, at: time)
                return .init(
                    type: asked.type, elements: asked.elements, answer: held?.answer(to: asked),
                    reader: ReaderAuthentication.standing(
                        of: request, document: asked, transcript: keys.transcript, authorities: authorities, at: time),
                    required: held?.requiredElement(for: asked), request: asked, held: held)
            }, keys: keys)
        self.question = question
        continuation.yield(.requested(question))
    }

    /// Returns the document that answers a request: of several of its type one that is valid and has something of it.
    private func document(
        for asked: DeviceRequest.DocumentRequest, in keys: MobileSessionKeys, at time: WallTime
    ) -> HeldMobileDocument? {
        let fitting = documents.filter { $0.type.utf8.elementsEqual(asked.type.utf8) && $0.canProve(in: keys) }
        let valid = fitting.filter { $0.isValid(at: time) }
        return valid.first { !$0.answer(to: asked).isEmpty } ?? valid.first ?? fitting.first
    }

    private static func report(
        _ output: MobileSessionOutput, _ continuation: AsyncStream<MobileHolderEvent>.Continuation
    ) {
        switch output {
        case .link, .event(.asked), .event(.answered), .event(.progress), .event(.requested): break
        case .event(.connecting(let mode)): continuation.yield(.connecting(mode))
        case .event(.attemptFailed(let error)): continuation.yield(.attemptFailed(error))
        case .event(.ready(let mode, let mtu)): continuation.yield(.ready(mode, mtu: mtu))
        case .event(.sent): continuation.yield(.sent)
        case .event(.mayHaveArrived): continuation.yield(.mayHaveArrived)
        case .event(.deviation(let deviation)): continuation.yield(.deviation(deviation))
        case .finished(let ending):
            continuation.yield(.finished(ending))
            continuation.finish()
        }
    }
}
