import Air
import CBOR
import Credentials
import Determinism
import MobileDocuments
import Radio
import TestSupport
import Testing
import VirtualRadio

/// A reader and a holder on a virtual air in real time.
@Suite struct ReadingTests {
    static let judgedAt = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)

    /// The events of both sides of one session.
    struct SessionOutcome {
        var reader: [MobileReaderEvent] = []
        var holder: [MobileHolderEvent] = []

        var reading: MobileReading? {
            reader.compactMap { if case .answered(let reading) = $0 { reading } else { nil } }.first
        }

        var readerEnding: MobileSessionEnding? {
            if case .finished(let ending)? = reader.last { ending } else { nil }
        }

        var holderEnding: MobileSessionEnding? {
            if case .finished(let ending)? = holder.last { ending } else { nil }
        }

        var modes: [MobileMode] {
            reader.compactMap { if case .ready(let mode, _) = $0 { mode } else { nil } }
        }
    }

    /// The setting of a session, which differs between the tests.
    struct SessionScript {
        var modes = MobileMode.allCases
        var readerModes: [MobileMode]? = [.centralClient, .peripheralServer]
        var provesByMAC = false
        var portraitBytes = 2000
        var request = "over-18,portrait"
        var retained: [String] = []
        var trusts = true
        /// The answer of the person; nil never answers.
        var consents: Bool? = true
        /// The time that lies between the reading of the code and the making of the documents.
        var lead = Duration.zero
        /// The time for which the person thinks, on a clock that stands else.
        var thought = Duration.zero
        var link: LinkParameters?
        var tap: (any PacketTap)?
    }

    /// The ATT PDUs that both sides sent.
    private final class SentPDUs: PacketTap {
        let all = Lock<[[UInt8]]>([])

        func record(_ packet: TappedPacket) {
            guard packet.direction == .sent, case .frame(let bytes) = packet.content else { return }
            all.withLock { $0.append(Array(bytes.dropFirst(4))) }
        }
    }

    static func run(_ script: SessionScript, seed: UInt64 = 1) async throws -> SessionOutcome {
        let air = VirtualAir.private(seed: seed)
        var random = SeededRandom(seed: seed)
        let issuer = try TestMobileIssuer(at: judgedAt, random: &random)
        let portrait = [0xFF, 0xD8, 0xFF] + random.bytes(count: script.portraitBytes)
        let document = try issuer.licence(portrait: portrait, provesByMAC: script.provesByMAC, random: &random)
        let configuration = VirtualRadio.Configuration(
            conditions: DeviceRadioConditions(link: script.link), tap: script.tap)
        let holder = MobileHolder(
            radio: try await air.makeRadio(configuration), random: SeededRandom(seed: seed + 1000))
        let clock = HandClock()
        let reader = MobileReader(
            radio: try await air.makeRadio(configuration),
            clock: script.thought == .zero ? SystemMonotonicClock() : clock, random: SeededRandom(seed: seed + 2000))
        let code = try await holder.offer([document], modes: script.modes, at: judgedAt)
        var trust = TrustStore()
        if script.trusts {
            trust.roots = [
                TrustedRoot(
                    certificate: issuer.authority,
                    purpose: .mobileDocuments(types: [], country: TestMobileIssuer.country))
            ]
        }
        let request = try MobileRequest(asking: script.request, retaining: script.retained)
        try await reader.read(
            code.utf8, asking: request,
            verification: VerificationRequest(trust: trust, at: judgedAt.adding(.zero - script.lead)),
            modes: script.readerModes)
        let consents = script.consents
        async let holderEvents = collect(holder.events) { event in
            guard case .requested = event, let consents else { return }
            clock.advance(by: script.thought)
            if consents { try await holder.answer() } else { await holder.decline() }
        }
        async let readerEvents = collect(reader.events)
        let outcome = SessionOutcome(reader: try await readerEvents, holder: try await holderEvents)
        await air.close()
        return outcome
    }

    static func collect<Event: Sendable>(
        _ events: AsyncStream<Event>, each: (Event) async throws -> Void = { _ in }
    ) async throws -> [Event] {
        var all: [Event] = []
        for await event in events {
            all.append(event)
            try await each(event)
        }
        return all
    }

    @Test(.shows("MDR-083", "MDR-084", "MDR-117", "MDR-132"), arguments: MobileMode.allCases, [false, true])
    func `a document of a trusted issuer is genuine in both modes, by signature and by MAC`(
        _ mode: MobileMode, _ provesByMAC: Bool
    ) async throws {
        let outcome = try await Self.run(SessionScript(modes: [mode], provesByMAC: provesByMAC))
        #expect(outcome.readerEnding == .completed)
        #expect(outcome.holderEnding == .completed)
        #expect(outcome.modes == [mode])
        let reading = try #require(outcome.reading)
        #expect(reading.report.result == .genuine, "\(reading.report.checks)")
        #expect(reading.returned.missing.isEmpty)
        #expect(reading.returned.unasked.isEmpty)
        #expect(reading.returned.ages.map(\.sentence) == ["at least 18"])
        #expect(reading.returned.missingTypes == ["eu.europa.ec.eudi.pid.1"])
        #expect(reading.retained.isEmpty)
    }

    @Test func `an answer is judged by the time at which it came, and not by that at which the code was read`()
        async throws
    {
        for (thought, result) in [(100, CredentialReport.CredentialVerdict.genuine), (30, .refused)] {
            var script = SessionScript()
            (script.lead, script.thought) = (.seconds(100), .seconds(thought))
            let reading = try #require(try await Self.run(script).reading)
            #expect(reading.report.result == result, "\(reading.report.checks)")
        }
    }

    @Test(.shows("MDR-066", "MDR-071", "MDR-072"), arguments: MobileMode.allCases)
    func `states and parts are written as commands and notified, and no other side confirms them`(
        _ mode: MobileMode
    ) async throws {
        let sent = SentPDUs()
        let outcome = try await Self.run(SessionScript(modes: [mode], tap: sent))
        #expect(outcome.readerEnding == .completed)
        let all = sent.all.withLock { $0 }
        // A request to write has the configuration of notifications alone: two bytes.
        let requests = all.filter { $0.first == 0x12 }
        #expect(requests.count == 2 && requests.allSatisfy { Array($0.dropFirst(3)) == [1, 0] })
        let commands = all.filter { $0.first == 0x52 }.map { Array($0.dropFirst(3)) }
        #expect(commands.first == [1] && commands.contains { $0.count > 100 })
        #expect(all.contains { $0.first == 0x1B } && !all.contains { $0.first == 0x1D })
    }

    @Test func `a document with a picture of more than a mebibyte is genuine`() async throws {
        let outcome = try await Self.run(SessionScript(provesByMAC: true, portraitBytes: 1_200_000))
        #expect(outcome.readerEnding == .completed)
        #expect(outcome.reading?.report.result == .genuine)
        #expect(outcome.reading?.returned.missing.isEmpty == true)
    }

    @Test func `a document of an unknown issuer is not checked, and never refused`() async throws {
        let outcome = try await Self.run(SessionScript(trusts: false))
        #expect(outcome.readerEnding == .completed)
        #expect(outcome.reading?.report.result == .notChecked)
    }

    @Test func `a person who declines returns nothing, and the reader says so`() async throws {
        let outcome = try await Self.run(SessionScript(consents: false))
        #expect(outcome.readerEnding == .failed(MobileSessionError(.nothingReturned, "")))
        #expect(outcome.reading == nil)
        #expect(outcome.holderEnding == .completed)
    }

    @Test func `an age between two statements is answered by the nearest, and the sentence says both`() async throws {
        let outcome = try await Self.run(SessionScript(request: "over-20"))
        #expect(outcome.reading?.returned.ages.map(\.sentence) == ["at least 21; asked 20"])
        #expect(outcome.reading?.returned.missing.isEmpty == true)
    }

    @Test(.shows("MDR-028", "MDC-018", "MS6"))
    func `what is asked to be kept is retained, and nothing else`() async throws {
        let outcome = try await Self.run(SessionScript(request: "name,portrait", retained: ["portrait"]))
        #expect(outcome.reading?.retained.map(\.element.name.identifier) == ["portrait"])
    }
}
