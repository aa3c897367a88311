import CBOR
import Credentials
import Determinism
import MobileDocuments
import Testing
import VirtualRadio

/// The answers of a holder of several documents.
@Suite struct ConsentTests {
    private static func reading(
        of documents: [HeldMobileDocument], _ request: MobileRequest, trusting authorities: [[UInt8]] = [],
        allowing isAllowed: @escaping @Sendable (Int, DeviceRequest.ElementName) -> Bool = { _, _ in true }
    ) async throws -> MobileReading? {
        let air = VirtualAir.private(seed: 6)
        let holder = MobileHolder(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        let reader = MobileReader(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        let code = try await holder.offer(documents, at: ReadingTests.judgedAt)
        var trust = TrustStore()
        trust.roots = authorities.map {
            TrustedRoot(
                certificate: $0, purpose: .mobileDocuments(types: [], country: TestMobileIssuer.country))
        }
        try await reader.read(
            code.utf8, asking: request,
            verification: VerificationRequest(trust: trust, at: ReadingTests.judgedAt))
        async let holding = ReadingTests.collect(holder.events) { event in
            if case .requested = event { try await holder.answer(allowing: isAllowed) }
        }
        let events = try await ReadingTests.collect(reader.events)
        _ = try await holding
        await air.close()
        return events.compactMap { if case .answered(let reading) = $0 { reading } else { nil } }.first
    }

    @Test func `an element that is allowed of one document is not sent of another one`() async throws {
        var random = SeededRandom(seed: 6)
        let issuer = try TestMobileIssuer(at: ReadingTests.judgedAt, random: &random)
        let types = ["example.one", "example.two"]
        let documents = try types.map {
            try issuer.issue(
                type: $0, namespace: "example", elements: [("name", .text($0)), ("other", .int(1))],
                provesByMAC: false, random: &random)
        }
        let elements = ["name", "other"].map {
            DeviceRequest.RequestedElement(DeviceRequest.ElementName("example", $0))
        }
        let request = MobileRequest(types.map { .init(type: $0, elements: elements) })
        let reading = try #require(
            try await Self.reading(of: documents, request) { place, name in place == 1 && name.identifier == "name" })
        #expect(reading.returned.missingTypes == ["example.one"])
        #expect(reading.returned.missing.map(\.name.identifier) == ["other"])
    }

    @Test func `of several copies one is shown that is valid and has what is asked for`() async throws {
        var random = SeededRandom(seed: 7)
        let years: Duration = .seconds(-800 * 86_400)
        let former = try TestMobileIssuer(at: ReadingTests.judgedAt.adding(years), random: &random)
        let present = try TestMobileIssuer(at: ReadingTests.judgedAt, random: &random)
        let expired = try former.licence(portrait: TestMobileIssuer.portrait(), random: &random)
        let bare = try present.issue(
            type: TestMobileIssuer.licenceType, namespace: "org.iso.18013.5.1", elements: [("sex", .int(1))],
            provesByMAC: false, random: &random)
        let valid = try present.licence(portrait: TestMobileIssuer.portrait(), random: &random)
        let reading = try #require(
            try await Self.reading(
                of: [expired, bare, valid], MobileRequest(asking: "name"),
                trusting: [former.authority, present.authority]))
        #expect(reading.report.result == .genuine, "\(reading.report.checks)")
        #expect(reading.returned.missing.isEmpty)
    }
}
