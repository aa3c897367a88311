import Credentials
import CryptoSuite
import Determinism
import MobileDocuments
import TestSupport
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

@testable import Desk

/// A station that reads phones beside its wallets, on a virtual air in real time.
@Suite struct StationPhoneTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)

    private let air = VirtualAir.private(seed: 3)
    private let issuer: TestMobileIssuer
    private let settings: StationSettings
    private let station: Station
    private let reports = Lock<[StationReport]>([])

    init() throws {
        var random = SeededRandom(seed: 3)
        issuer = try TestMobileIssuer(at: Self.now, random: &random)
        var settings = StationTests.settings()
        settings.trust.roots = [
            TrustedRoot(
                certificate: issuer.authority, purpose: .mobileDocuments(types: [], country: TestMobileIssuer.country))
        ]
        settings.requests = [
            StationRequest(names: ["age-over-18"], phone: try MobileRequest(asking: "over-20")) { nil }
        ]
        self.settings = settings
        station = StationTests.station(on: air, settings) { [reports] report in
            reports.withLock { $0.append(report) }
        }
    }

    /// Shows a licence to one reader; `consents` false declines.
    private func phone(
        seed: UInt64, modes: [MobileMode] = MobileMode.allCases, consents: Bool = true
    ) async throws -> (code: String, run: Task<Void, any Error>) {
        var random = SeededRandom(seed: seed)
        let licence = try issuer.licence(portrait: TestMobileIssuer.portrait(), random: &random)
        let holder = MobileHolder(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        let code = try await holder.offer([licence], modes: modes, at: Self.now)
        let run = Task {
            for await event in holder.events {
                guard case .requested = event else { continue }
                if consents { try await holder.answer() } else { await holder.decline() }
            }
        }
        return (code, run)
    }

    @Test func `a phone and a wallet that come together are both shown, each at its place`() async throws {
        let running = Task { await station.run() }
        let code = try #require(try await StationTests.snapshot(of: station) { $0.state.code != nil }.state.code)
        let (engagement, shown) = try await phone(seed: 4)
        async let sent = StationTests.send(#"{"name":"Amina"}"#, to: code, on: air)
        #expect(await station.take(typed: engagement + "\n") == nil)
        #expect(await station.take(typed: engagement) == nil, "a scanner that types a code twice reads one phone")
        let first = try await StationTests.snapshot(of: station) { $0.credential != nil }
        let session = try #require(first.credential?.session)
        await station.operate(.accept(session: session))
        let second = try await StationTests.snapshot(of: station) {
            $0.credential.map { $0.session != session } ?? false
        }
        let other = try #require(second.credential?.session)
        #expect([session, other].sorted() == [-1, 1])
        await station.operate(.reject(session: other))
        let document = session == -1 ? first.credential : second.credential
        #expect(document?.json["result"] == "genuine")
        #expect(document?.json["holder"] == "proved")
        #expect(document?.json["phone"]?["ages"]?[0]?["answered"] == 21)
        #expect(document?.json["phone"]?["ages"]?[0]?["asked"] == 20)
        _ = try await sent
        try await shown.value
        #expect(try await StationTests.snapshot(of: station) { $0.phone == nil }.phone == nil)
        #expect(await station.take(typed: engagement) == nil)
        #expect(await station.snapshot().state.notice == .phoneCode, "a code serves one session")
        #expect(reports.withLock { $0 }.contains(.judged(station: 1, session: -1, .genuine, code: nil)))
        running.cancel()
        await running.value
        await air.close()
    }

    @Test(arguments: MobileMode.allCases)
    func `one radio serves a wallet and a phone of either mode at once, and is closed after the last`(
        _ mode: MobileMode
    ) async throws {
        let opened = Lock((now: 0, most: 0))
        let shared = SharedStationRadio { [air] in
            let radio = try await air.makeRadio(VirtualRadio.Configuration())
            opened.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            return StationRadio(radio) {
                await radio.close()
                opened.withLock { $0.now -= 1 }
            }
        }
        let station = StationTests.station(on: air, settings, openRadio: { try await shared.makeRadio() })
        let running = Task { await station.run() }
        let code = try #require(try await StationTests.snapshot(of: station) { $0.state.code != nil }.state.code)
        let (engagement, shown) = try await phone(seed: 9, modes: [mode])
        #expect(await station.take(typed: engagement) == nil)
        // The phone's session holds the radio while the wallet's begins, and the other way round.
        async let sent = StationTests.send(#"{"name":"Amina"}"#, to: code, on: air)
        var sessions: [Int] = []
        while sessions.count < 2 {
            // A credential stays in view after its decision, until another one comes.
            let snapshot = try await StationTests.snapshot(of: station) {
                $0.credential.map { !sessions.contains($0.session) } ?? false
            }
            let session = try #require(snapshot.credential?.session)
            if session < 0 { #expect(snapshot.credential?.json["holder"] == "proved") }
            await station.operate(.accept(session: session))
            sessions.append(session)
        }
        #expect(sessions.sorted() == [-1, 1])
        _ = try await sent
        try await shown.value
        #expect(opened.withLock { $0.most } == 1, "an adapter serves one radio at a time")
        running.cancel()
        await running.value
        for _ in 0..<1000 where opened.withLock({ $0.now }) > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(opened.withLock { $0.now } == 0)
        await air.close()
    }

    @Test func `a person who declines, and a code that is none, are told and leave nothing`() async throws {
        let running = Task { await station.run() }
        _ = try await StationTests.snapshot(of: station) { $0.state.code != nil }
        let (engagement, shown) = try await phone(seed: 5, consents: false)
        #expect(await station.take(typed: "MDOC://" + engagement.dropFirst(5)) == nil)
        let declined = try await StationTests.snapshot(of: station) { $0.state.notice == .phoneDeclined }
        #expect(declined.credential == nil)
        try await shown.value
        #expect(await station.take(typed: "mdoc:owBjMS4w") == nil)
        #expect(await station.snapshot().state.notice == .phoneCode)
        running.cancel()
        await running.value
        await air.close()
    }

    @Test(arguments: [
        (MobileSessionError.Code.notFound, "desk.phone-not-found"), (.connectTimeout, "desk.phone-not-found"),
        (.brokenOff, "desk.phone-broken"), (.nothingReturned, "desk.phone-declined"),
        (.idleTimeout, "desk.phone-declined"), (.noCommonMethod, "desk.phone-code"),
        (.sessionDecrypt, "desk.phone-faulty"), (.responseMalformed, "desk.phone-faulty"),
    ])
    func `an error of a reading is told by what the operator can do`(
        _ code: MobileSessionError.Code, _ told: String
    ) async throws {
        #expect(StationError(MobileSessionError(code, "")).code.rawValue == told)
        await air.close()
    }

    @Test func `a station that ends while it opens the radio for a phone has closed it at its end`() async throws {
        let (opening, opened) = (Lock<CheckedContinuation<Void, Never>?>(nil), Lock(0))
        let station = StationTests.station(on: air, settings) { _ in
        } openRadio: { [air] in
            let radio = try await air.makeRadio(VirtualRadio.Configuration())
            // The first is the wallet's.
            if opened.withLock({
                $0 += 1
                return $0
            }) == 2 {
                await withCheckedContinuation { continuation in opening.withLock { $0 = continuation } }
            }
            return StationRadio(radio) {
                await radio.close()
                opened.withLock { $0 -= 1 }
            }
        }
        let running = Task { await station.run() }
        _ = try await StationTests.snapshot(of: station) { $0.state.code != nil }
        let (engagement, shown) = try await phone(seed: 10)
        #expect(await station.take(typed: engagement) == nil)
        while opening.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(5)) }
        running.cancel()
        // The station has begun to end: it takes no code any more.
        while await station.snapshot().state.code != nil { try await Task.sleep(for: .milliseconds(5)) }
        opening.withLock { $0?.resume() }
        await running.value
        #expect(opened.withLock { $0 } == 0)
        shown.cancel()
        await air.close()
    }

    @Test func `phones wait in line, and each is shown when it is its turn`() async throws {
        let running = Task { await station.run() }
        _ = try await StationTests.snapshot(of: station) { $0.state.code != nil }
        var phones: [Task<Void, any Error>] = []
        for seed in [6, 7, 8] as [UInt64] {
            let (engagement, shown) = try await phone(seed: seed)
            phones.append(shown)
            #expect(await station.take(typed: engagement) == nil)
        }
        #expect(await station.snapshot().phone?.state.waiting == 2)
        for number in 1...3 {
            _ = try await StationTests.snapshot(of: station) { $0.credential?.session == -number }
            await station.operate(.accept(session: -number))
        }
        for phone in phones { try await phone.value }
        #expect(await station.snapshot().state.counts.genuine == 3)
        running.cancel()
        await running.value
        await air.close()
    }
}
