public import Bluetooth
import Determinism
public import Radio
import Simulation

// The central role: scanning and connecting.
extension VirtualRadio {
    /// One consumer of reports.
    struct Scan {
        var filter: ScanFilter
        let continuation: AsyncThrowingStream<AdvertisementReport, any Error>.Continuation
    }

    /// Somebody who waits for a connection; the first in the list has the controller's attention.
    struct ConnectAttempt {
        let number: UInt64
        let address: DeviceAddress
        let deadline: MonotonicInstant
        /// Nil once nobody waits any more, while the controller has still to answer.
        var waiter: CheckedContinuation<Result<VirtualCentralLink, RadioError>, Never>?

        /// When the attempt has to be given up.
        var wakeUp: MonotonicInstant? { waiter == nil ? nil : deadline }
    }

    /// What the controller was told about the first attempt.
    enum Connecting {
        /// Nothing; no answer is owed.
        case idle
        /// To connect; owed is a connection or a refusal.
        case waiting
        /// To connect and to give it up; owed is either.
        case cancelling
    }

    /// The most streams of reports at a time.
    private static let maximumScans = 16
    /// The most attempts that wait.
    private static let maximumAttempts = 64

    /// Starts scanning, see `CentralRadio`.
    public func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try checkOpen()
        guard scans.count < Self.maximumScans else {
            throw RadioError(.tooLarge, "\(scans.count) scans are under way already")
        }
        let (stream, continuation) = AsyncThrowingStream<AdvertisementReport, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(256))
        let number = nextNumber()
        scans[number] = Scan(filter: ScanFilter(services: services), continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.endScan(number) }
        }
        if scans.count == 1 { controller.perform(.startScanning(isActive: true)) }
        return stream
    }

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    public func connect(
        to address: DeviceAddress, timeout: Duration
    ) async throws(RadioError) -> any CentralLink {
        try checkOpen()
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the connect was cancelled") }
        guard attempts.count < Self.maximumAttempts else {
            throw RadioError(.tooLarge, "\(attempts.count) connects wait already")
        }
        let number = nextNumber()
        let deadline = timekeeper.now() + timeout
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                attempts.append(
                    ConnectAttempt(number: number, address: address, deadline: deadline, waiter: continuation))
                startNextAttempt()
                rearm()
            }
        } onCancel: {
            Task { await self.endAttempt(number, with: RadioError(.cancelled, "the connect was cancelled")) }
        }
        return try result.get()
    }

    // MARK: - Scanning

    func hear(_ report: AdvertisementReport) {
        tap(.report(report), .received, link: 0, peer: report.address)
        for number in scans.keys.sorted() {
            for wanted in scans[number]?.filter.reports(after: report) ?? [] {
                scans[number]?.continuation.yield(wanted)
            }
        }
    }

    func endScans() {
        for number in scans.keys.sorted() {
            scans[number]?.continuation.finish(throwing: RadioError(.unavailable, "the radio is closed"))
        }
        scans = [:]
    }

    private func endScan(_ number: UInt64) {
        guard scans.removeValue(forKey: number) != nil, scans.isEmpty else { return }
        controller.perform(.stopScanning)
    }

    // MARK: - Connecting

    func startNextAttempt() {
        guard isOnAir, case .idle = connecting, let attempt = attempts.first else { return }
        connecting = .waiting
        controller.perform(.connect(attempt.address))
    }

    /// A connection as central is up; it is unwanted when its attempt was given up in the meantime.
    func completeAttempt(with session: LinkSession) {
        let events = Mailbox<CentralLinkEvent>()
        session.events = events
        if let waiter = takeFirstAttempt()?.waiter {
            waiter.resume(
                returning: .success(
                    VirtualCentralLink(radio: self, id: session.id, peer: session.peer, mailbox: events)))
        } else {
            beginClosing(session, .local)
        }
        startNextAttempt()
    }

    /// The controller gave up, or refused.
    func attemptCancelled() {
        let error = RadioError(.unsupported, "the controller does not connect to that device, or not again")
        takeFirstAttempt()?.waiter?.resume(returning: .failure(error))
        startNextAttempt()
    }

    func expireAttempts(at now: MonotonicInstant) {
        for attempt in attempts where attempt.wakeUp.map({ $0 <= now }) ?? false {
            endAttempt(
                attempt.number,
                with: RadioError(.connectTimeout, "\(attempt.address) was not reached within the time given"))
        }
    }

    /// The air is gone: what was asked of it is asked again when there is another.
    func suspendAttempts() {
        if case .cancelling = connecting { attempts.removeFirst() }
        connecting = .idle
    }

    func failAttempts(with error: RadioError) {
        for attempt in attempts { attempt.waiter?.resume(returning: .failure(error)) }
        attempts = []
        connecting = .idle
    }

    private func endAttempt(_ number: UInt64, with error: RadioError) {
        guard let index = attempts.firstIndex(where: { $0.number == number }), let waiter = attempts[index].waiter
        else { return }
        attempts[index].waiter = nil
        if index == 0, case .waiting = connecting {
            connecting = .cancelling
            controller.perform(.cancelConnect)
        } else {
            attempts.remove(at: index)
        }
        waiter.resume(returning: .failure(error))
    }

    private func takeFirstAttempt() -> ConnectAttempt? {
        if case .idle = connecting { return nil }
        connecting = .idle
        return attempts.isEmpty ? nil : attempts.removeFirst()
    }
}
