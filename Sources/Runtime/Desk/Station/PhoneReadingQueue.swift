import CodedErrors
import Credentials
import Determinism
import MobileDocuments
public import MobileSession

/// The reading of a phone at a station, for the page.
public struct PhoneReadingState: Hashable, Sendable {
    /// The steps of a reading, as the page names them.
    public enum PhoneReadingStep: String, CaseIterable, Sendable {
        /// The code was read, and the phone is looked for.
        case searching
        /// The phone was found, and a connection is being set up.
        case connecting
        /// The phone was asked, and the person decides.
        case asked
        /// The answer is arriving.
        case receiving
    }

    /// The present step.
    public fileprivate(set) var step = PhoneReadingStep.searching
    /// Who connects; nil before a connection is set up.
    public fileprivate(set) var mode: MobileMode?
    /// The end of the time in which the phone must be connected, or the person decides; nil while the answer arrives.
    fileprivate var until: MonotonicInstant?
    /// The number of bytes of the answer that are here.
    public fileprivate(set) var bytes = 0
    /// The number of bytes that the answer announces; nil where it does not.
    public fileprivate(set) var totalBytes: Int?
    /// The number of phones whose codes wait.
    public fileprivate(set) var waiting = 0

    /// Returns the seconds that are left for the step, rounded down; nil where it has no end.
    func seconds(at now: MonotonicInstant) -> Int? {
        until.map { max(0, Int(($0 - now).components.seconds)) }
    }
}

/// Reads the phones whose codes were shown to a station, one after another.
actor PhoneReadingQueue {
    /// A result for the station.
    enum Output: Sendable {
        /// The state of the reading changed; nil when no phone is read.
        case state(PhoneReadingState?)
        /// A phone's answer was verified.
        case answered(MobileReading)
        /// A phone could not be read.
        case failed(StationError)
    }

    /// A code with what its phone is asked for.
    private struct QueuedPhone: Sendable {
        let code: [UInt8]
        let request: MobileRequest
    }

    /// The most phones that wait.
    static let maximumWaiting = 16

    private let settings: StationSettings
    private let surroundings: Station.StationDependencies
    private let report: @Sendable (Output) async -> Void
    private var state: PhoneReadingState?
    private var reader: MobileReader?
    private var present: QueuedPhone?
    private var waiting: [QueuedPhone] = []
    /// The reading that is under way, from the opening of the radio until it is closed.
    private var reading: Task<Void, Never>?
    private var isStopped = false
    /// The last codes with which a phone was connected: each serves one session (clause 11.1.3.6).
    private var used: [[UInt8]] = []

    init(
        _ settings: StationSettings, _ surroundings: Station.StationDependencies,
        report: @escaping @Sendable (Output) async -> Void
    ) {
        self.settings = settings
        self.surroundings = surroundings
        self.report = report
    }

    /// Reads the phone that shows a code, now or when it is its turn; a code that is taken already is left out.
    func take(_ text: [UInt8], _ request: MobileRequest) async {
        let code = text.filter { $0 > 0x20 }
        guard !isStopped else { return }
        guard present?.code != code, !waiting.contains(where: { $0.code == code }) else { return }
        do throws(MobileSessionError) {
            _ = try DeviceEngagement(text: code)
            guard !used.contains(code) else {
                throw MobileSessionError(.engagementMalformed, "The code was used before, and serves one session.")
            }
            guard waiting.count < Self.maximumWaiting else {
                throw MobileSessionError(.engagementMalformed, "Too many phones wait.")
            }
        } catch {
            return await report(.failed(StationError(error)))
        }
        waiting.append(QueuedPhone(code: code, request: request))
        if present == nil { await readNext() } else { await changed() }
    }

    /// Ends the reading, and drops the codes that wait; returns when the radio is closed.
    func stop() async {
        isStopped = true
        waiting = []
        await reader?.stop()
        await reading?.value
    }

    private func readNext() async {
        state = nil
        present = waiting.isEmpty ? nil : waiting.removeFirst()
        if let present {
            state = PhoneReadingState()
            state?.until = surroundings.clock.now() + ReaderSession.connectionWait
            reading = Task { await self.read(present) }
        }
        await changed()
    }

    private func changed() async {
        let count = waiting.count
        state?.waiting = count
        await report(.state(state))
    }

    private func read(_ phone: QueuedPhone) async {
        do {
            let radio = try await surroundings.openRadio()
            let reader = MobileReader(
                radio: radio.radio, clock: surroundings.clock, random: surroundings.makeRandom())
            self.reader = reader
            if isStopped { await reader.stop() }
            do {
                let verification = VerificationRequest(
                    policy: settings.policy, trust: settings.trust, at: surroundings.wallTime())
                try await reader.read(
                    phone.code, asking: phone.request, verification: verification,
                    identity: settings.reader)
                await follow(reader)
            } catch {
                await report(.failed(StationError(error)))
            }
            await radio.close()
        } catch {
            await report(.failed(Station.error(error)))
        }
        reader = nil
        await readNext()
    }

    private func follow(_ reader: MobileReader) async {
        var isAnswered = false
        for await event in reader.events {
            switch event {
            case .connecting(let mode): move(to: .connecting, mode)
            case .attemptFailed: move(to: .searching, nil)
            case .ready(let mode, _): use(mode)
            case .asked:
                move(to: .asked, state?.mode)
                state?.until = surroundings.clock.now() + ReaderSession.decisionWait
            case .progress(let bytes, let total):
                move(to: .receiving, state?.mode)
                state?.until = nil
                state?.bytes = bytes
                state?.totalBytes = total ?? state?.totalBytes
            case .deviation: continue
            case .answered(let reading):
                isAnswered = true
                await report(.answered(reading))
            case .finished(.failed(let error)):
                // A whole answer counts, even where the link ended badly.
                if !isAnswered { await report(.failed(StationError(error))) }
            case .finished: break
            }
            await changed()
        }
    }

    private func move(to step: PhoneReadingState.PhoneReadingStep, _ mode: MobileMode?) {
        state?.step = step
        state?.mode = mode
    }

    private func use(_ mode: MobileMode) {
        state?.mode = mode
        if used.count == Self.maximumWaiting { used.removeFirst() }
        if let present { used.append(present.code) }
    }
}

extension StationError {
    /// Makes the error of a reading, by what the operator can do.
    init(_ error: MobileSessionError) {
        let code: Code =
            switch error.code {
            case .engagementMalformed, .engagementVersion, .engagementSuite, .engagementCurve, .noCommonMethod:
                .phoneCode
            case .notFound, .connectTimeout, .serviceMissing, .identMismatch: .phoneNotFound
            case .brokenOff, .radioFailed: .phoneBroken
            case .nothingReturned, .idleTimeout, .peerStatus, .responseStatus: .phoneDeclined
            case .partMalformed, .protocolBroken, .messageTooLarge, .sessionDecrypt, .sessionMalformed,
                .requestMalformed, .responseMalformed, .readerIdentity, .sessionInternal:
                .phoneFaulty
            }
        self.init(code, "\(error.code.rawValue): \(error.reason)")
    }
}
