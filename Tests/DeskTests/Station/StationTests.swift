import Codes
import Credentials
import CryptoSuite
import Determinism
import JSON
import Presentations
import TestSupport
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

@testable import Desk

/// A station with wallets on a virtual air, in real time; every wait ends by the deadlines of the sessions.
@Suite struct StationTests {
    /// Waits until the state of a station fits; gives up after a minute.
    static func snapshot(
        of station: Station, where fits: (Station.Snapshot) -> Bool
    ) async throws -> Station.Snapshot {
        for _ in 0..<6000 {
            let snapshot = await station.snapshot()
            if fits(snapshot) { return snapshot }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw StationError(.internal, "The state did not come.")
    }

    static func settings() -> StationSettings {
        var settings = StationSettings(name: "Desk")
        settings.verifier.identifyWait = .seconds(120)
        settings.verifier.stallWait = .seconds(120)
        return settings
    }

    static func station(
        on air: VirtualAir, _ settings: StationSettings = settings(), list: DayDecisionList? = nil, seed: UInt64 = 1,
        report: @escaping @Sendable (StationReport) -> Void = { _ in },
        openRadio: (@Sendable () async throws -> StationRadio)? = nil
    ) -> Station {
        Station(
            number: 1, settings, list: list, wallTime: { WallTime(millisecondsSinceEpoch: 1_790_000_000_000) },
            makeRandom: { SystemRandom() }, report: report,
            openRadio: openRadio ?? {
                let radio = try await air.makeRadio(VirtualRadio.Configuration())
                return StationRadio(radio) { await radio.close() }
            })
    }

    /// Sends a payload, and returns the wallet's last event.
    @discardableResult
    static func send(_ text: String, to code: TuvaliURI, on air: VirtualAir) async throws -> WalletEvent? {
        let radio = try await air.makeRadio(VirtualRadio.Configuration())
        var configuration = WalletConfiguration()
        configuration.scanWait = .seconds(120)
        configuration.setupWait = .seconds(120)
        let wallet = Wallet(radio: radio, configuration: configuration)
        try await wallet.connect(to: code)
        var last: WalletEvent?
        for await event in wallet.events {
            last = event
            if case .secureChannelEstablished = event { try await wallet.send(Array(text.utf8)) }
        }
        await radio.close()
        return last
    }

    @Test func `a station receives a credential, shows it, decides, and shows the next QR code`() async throws {
        let air = VirtualAir.private(seed: 1)
        let station = Self.station(on: air)
        let running = Task { await station.run() }
        let waiting = try await Self.snapshot(of: station) { $0.state.code != nil }
        #expect(waiting.symbol?.path.contains("h0v") == false, "no run of modules is empty")
        let code = try #require(waiting.state.code)
        let wallet = Task { try await Self.send(#"{"name":"Amina"}"#, to: code, on: air) }
        let held = try await Self.snapshot(of: station) { $0.credential != nil }
        #expect(held.credential?.session == 1)
        #expect(held.credential?.json["raw"]?[1] == "  \"name\": \"Amina\"")
        await station.operate(.accept(session: 1))
        #expect(try await wallet.value == .disconnected(.completed(.accepted)))
        let next = try await Self.snapshot(of: station) { $0.state.session == 2 && $0.state.code != nil }
        #expect(next.state.code != code)
        #expect(next.symbol?.path != waiting.symbol?.path)
        #expect(next.state.counts.accepted == 1)
        #expect(next.credential?.session == 1)
        await station.operate(.erase)
        #expect(try await Self.snapshot(of: station) { $0.credential == nil }.state.shown == nil)
        running.cancel()
        await running.value
        await air.close()
    }

    @Test(.shows("PC3"))
    func `a text that holds a credential is shown with its holder not shown, any other text is explained`()
        async throws
    {
        let air = VirtualAir.private(seed: 9)
        let reports = Lock<[StationReport]>([])
        let station = Self.station(on: air) { report in reports.withLock { $0.append(report) } }
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        #expect(await station.take(typed: code.text)?.kind == .ownCode)
        #expect(await station.take(typed: "4006381333931")?.kind == .unknown)
        #expect(await station.take(typed: String(repeating: "NCFÖß", count: 20))?.kind == .otherLayout)
        #expect(await station.snapshot().state.shown == nil)
        let credential =
            #"{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"#
            + #""issuer":"did:example:issuer","credentialSubject":{"name":"Amina"}}"#
        let text = try PixelPass.text(of: Array(credential.utf8))
        #expect(await station.take(typed: text) == nil)
        let shown = await station.snapshot()
        #expect(shown.credential?.session == -1)
        #expect(shown.credential?.json["isCode"] == true)
        #expect(shown.credential?.json["holder"] == "not-shown")
        #expect(shown.credential?.json["names"] == nil)
        #expect(await station.take(typed: text) == nil)
        #expect(await station.snapshot().state.waiting == 1)
        await station.operate(.reject(session: -1))
        #expect(await station.snapshot().credential?.session == -2)
        await station.operate(.erase)
        #expect(await station.snapshot().credential == nil)
        #expect(
            reports.withLock { $0 }.contains(.decided(station: 1, session: -1, .rejected, nil)))
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a code in a member of a wallet's credential has a verdict of its own on the page`() throws {
        // Claim 169 of an issuer that is not in the trust store.
        let token =
            "6BFX80S20FFWJWG.FKJ0507BSLK%KEMWEW9E0G7W:5-TCB$CBECP9E5ZC3KL280*96DL6WW66:6FA77P0FC8 8DQ34"
            + "$9FQ$DTVD$211A6//6946RF6B6127BHU9I734/SXK99PVIWF2N5WXQOAOCK8ZYHA56SXN$DA:5UCO1:$P4PQYY98IU"
            + "LK3IWQ9STEFRM1WOU7MSK$Q84IH2$AFGCDYBJ+CI.6"
        let document =
            #"{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"#
            + #""issuer":"did:example:issuer","credentialSubject":{"printed":""# + token + #"","note":"none"}}"#
        let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
        let judging = PayloadVerification(settings: Self.settings(), asked: nil, time: time)
        let (view, _) = try judging.judge(Array(document.utf8), nil).get()
        #expect(view.json["members"]?.array?.count == 1)
        #expect(view.json["members"]?[0]?["path"]?.array?.last == "printed")
        #expect(view.json["members"]?[0]?["result"] == "not-checked")
        #expect(view.json["members"]?[0]?["decisive"]?["code"] == "credential.key-unresolved")
        #expect(view.json["isCode"] == nil)
    }

    /// Settings of a desk that asks for a name, and accepts what its policy says.
    private static func asking(_ decisions: String = #"{"otherwise":"ask"}"#) throws -> StationSettings {
        var settings = settings()
        settings.decisions = try DecisionPolicy(parsing: Array(decisions.utf8))
        let (policy, trust) = (settings.policy, settings.trust)
        settings.requests = [
            StationRequest(names: ["name"]) {
                StationRequest.SessionRequest { (key) throws(TuvaliError) in
                    let written = try? PresentationRequestWriter(presets: [.name]).request(
                        verifierKey: key, nonce: "nonce-of-the-request", key: nil)
                    return try VerifierRequestMessage(
                        mediaType: written?.mediaType ?? "", content: written?.content ?? [])
                } check: { payload, keys, time in
                    let verification = VerificationRequest(policy: policy, trust: trust, at: time)
                    let key = keys?.verifier ?? [UInt8](repeating: 9, count: 32)
                    let written = try PresentationRequestWriter(presets: [.name]).request(
                        verifierKey: key, nonce: "nonce-of-the-request", key: nil)
                    let request = try PresentationRequestParser(verification).request(
                        mediaType: written.mediaType, content: written.content, over: nil)
                    let channel = keys.map { ChannelBinding(verifierKey: $0.verifier, walletKey: $0.wallet) }
                    return try PresentationAnswerChecker(request, over: channel, verification).check(payload)
                }
            }
        ]
        return settings
    }

    /// The code as a deployed wallet reads it: without the word that the verifier asks.
    private static func plain(_ code: TuvaliURI) throws -> TuvaliURI { try TuvaliURI(name: code.name, key: code.key) }

    @Test(arguments: [(#"{"name":"Amina"}"#, false), (#"{"title":"A card"}"#, true)])
    func `a wallet that does not read the request is served, and the page says what is missing`(
        subject: String, isShort: Bool
    ) async throws {
        let air = VirtualAir.private(seed: 4)
        let station = Self.station(on: air, try Self.asking())
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        #expect(code.asks)
        let card = """
            {"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],
            "issuer":"did:example:issuer","credentialSubject":\(subject)}
            """
        let wallet = Task { try await Self.send(card, to: Self.plain(code), on: air) }
        let held = try await Self.snapshot(of: station) { $0.credential != nil }
        let json = try #require(held.credential?.json)
        #expect(json["unread"] == true)
        #expect(json["holder"] == "not-shown")
        #expect(json["incomplete"] == (isShort ? true : nil))
        #expect(json["lacking"]?.array?.map { $0["path"]?[0] } == (isShort ? ["name"] : []))
        #expect(json["answers"]?.array?.map { $0["value"]?["text"] } == (isShort ? [] : ["Amina"]))
        await station.operate(.accept(session: 1))
        #expect(try await wallet.value == .disconnected(.completed(.accepted)))
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a desk that requires answers disconnects a wallet that does not read the request, with a notice`()
        async throws
    {
        let air = VirtualAir.private(seed: 5)
        var settings = try Self.asking()
        settings.verifier.requiresAnswer = true
        let reports = Lock<[StationReport]>([])
        let station = Self.station(on: air, settings) { report in reports.withLock { $0.append(report) } }
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        let last = try await Self.send(#"{"name":"Amina"}"#, to: Self.plain(code), on: air)
        #expect(last == .disconnected(.disconnected(TuvaliError(.peerDisconnected, ""))))
        let after = try await Self.snapshot(of: station) { $0.state.session == 2 }
        #expect(after.state.notice == .requestUnread)
        #expect(after.state.counts.arrived == 0)
        let codes = reports.withLock { $0 }.compactMap { report -> StationError.Code? in
            if case .ended(_, 1, let error) = report { error.code } else { nil }
        }
        #expect(codes == [.requestUnread])
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a payload that is no answer to the request is reported with its error code`() async throws {
        let air = VirtualAir.private(seed: 6)
        let reports = Lock<[StationReport]>([])
        let station = Self.station(on: air, try Self.asking()) { report in reports.withLock { $0.append(report) } }
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        // A wallet of ours reads the request and sends something else.
        try await Self.send("{}", to: code, on: air)
        let codes = reports.withLock { $0 }.compactMap { report -> StationError.Code?? in
            if case .decided(_, _, .rejected, let error) = report { error?.code } else { nil }
        }
        #expect(codes == [.answerUnusable])
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a station erases a shown credential when its time is over`() async throws {
        let air = VirtualAir.private(seed: 2)
        var settings = Self.settings()
        settings.times.shownFor = .seconds(3)
        settings.decisions = try DecisionPolicy(parsing: Array(#"{"otherwise":"reject"}"#.utf8))
        let station = Self.station(on: air, settings)
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        try await Self.send("{}", to: code, on: air)
        let after = try await Self.snapshot(of: station) { $0.state.counts.arrived == 1 && $0.credential == nil }
        #expect(after.state.counts.arrived == 1)
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a credential without a decision in its time is reported`() async throws {
        let air = VirtualAir.private(seed: 3)
        var settings = Self.settings()
        settings.times.shownFor = .milliseconds(300)
        let ended = Lock<[StationError.Code]>([])
        let station = Self.station(on: air, settings) { report in
            if case .ended(_, _, let error) = report { ended.withLock { $0.append(error.code) } }
        }
        let running = Task { await station.run() }
        let code = try #require(try await Self.snapshot(of: station) { $0.state.code != nil }.state.code)
        try await Self.send("{}", to: code, on: air)
        _ = try await Self.snapshot(of: station) { $0.state.code != nil && $0.state.code != code }
        #expect(ended.withLock { $0 } == [.decisionLate])
        running.cancel()
        await running.value
        await air.close()
    }

    @Test func `a radio that cannot be opened gives a notice, and the station can be stopped while it waits`()
        async throws
    {
        let station = Station(
            number: 1, Self.settings(), wallTime: { WallTime(millisecondsSinceEpoch: 0) },
            makeRandom: { SystemRandom() }, openRadio: { throw StationError(.noPermission, "Not allowed.") })
        let running = Task { await station.run() }
        let resting = try await Self.snapshot(of: station) { $0.state.step == .resting }
        #expect(resting.state.notice == .noPermission)
        #expect(try await Self.snapshot(of: station) { !$0.state.standing.isEmpty }.state.standing == [.clockNotSet])
        running.cancel()
        await running.value
        #expect(await station.snapshot().state.step == .stopped)
    }

    @Test func `the trust file counts as outdated after its limit, and not a moment before`() {
        var settings = Self.settings()
        let limit = StationSettings.earliestTime.millisecondsSinceEpoch + 1000
        settings.trustedUntil = WallTime(millisecondsSinceEpoch: limit)
        #expect(settings.standing(at: WallTime(millisecondsSinceEpoch: limit)) == [])
        #expect(settings.standing(at: WallTime(millisecondsSinceEpoch: limit + 1)) == [.trustOutdated])
        #expect(settings.standing(at: StationSettings.earliestTime) == [])
        settings.hasSimulatedRadio = true
        #expect(settings.standing(at: StationSettings.earliestTime) == [.simulatedRadio])
        #expect(
            settings.standing(at: WallTime(millisecondsSinceEpoch: limit + 1)) == [.simulatedRadio, .trustOutdated])
        settings.hasSimulatedRadio = false
        let before = StationSettings.earliestTime.millisecondsSinceEpoch - 1
        #expect(settings.standing(at: WallTime(millisecondsSinceEpoch: before)) == [.clockNotSet])
    }
}
