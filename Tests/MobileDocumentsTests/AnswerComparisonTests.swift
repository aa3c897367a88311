import CBOR
import TestSupport
import Testing

@testable import MobileDocuments
@testable import MobileSession

/// The comparison of an answer with its request, in a session whose other side is a script.
@Suite struct AnswerComparisonTests {
    private static let namespace = ForgedReading.namespace

    @Test(.shows("MDC-013"))
    func `an age that the device states is marked as its own, and is no statement of the issuer`() throws {
        var forged = try ForgedReading()
        forged.signed[0].elements.remove(at: 1)
        forged.changeObject = SessionForgery.authorize(["nameSpaces": .array([.text(Self.namespace)])])
        forged.deviceElements = .map([.text(Self.namespace): .map([.text("age_over_18"): .bool(true)])])
        let reading = try forged.reading()
        #expect(reading.report.result == .genuine, "\(reading.report.checks)")
        #expect(reading.returned.ages.isEmpty)
        #expect(!reading.returned.missing.contains { $0.name.identifier == "age_over_18" })
        let content = reading.report.content
        #expect(content.claims?[Self.namespace]?["age_over_18"] == nil)
        #expect(content.deviceClaims?[Self.namespace]?["age_over_18"]?.bool == true)
        #expect(content.notes.contains("The device itself says of age_over_18 in \(Self.namespace): true"))
        forged.asked = "over-18"
        forged.retained = ["over-18"]
        #expect(try forged.reading().retained.isEmpty)
    }

    @Test(.shows("MDC-014"))
    func `a document is from another device where the proof fails, and not where the device says too much`() throws {
        var forged = try ForgedReading()
        forged.proving = try ForgedIssuer.key(9)
        #expect(try forged.reading().isFromAnotherDevice)
        forged.proving = forged.device
        #expect(try !forged.reading().isFromAnotherDevice)
        forged.deviceElements = .map([.text("org.example"): .map([.text("pin"): .int(1)])])
        let reading = try forged.reading()
        #expect(reading.report.result == .refused && reading.report.carries(.mdKeyAuth))
        #expect(!reading.isFromAnotherDevice)
    }

    @Test(.shows("MDC-017", "MDC-018"))
    func `two documents of one type, and two elements of one name, are told apart`() throws {
        let request = try MobileRequest(
            file: Array(
                """
                {"documents": [{"type": "\(ForgedReading.type)", "elements": {
                 "\(Self.namespace)": {"family_name": true, "given_name": false},
                 "org.example": {"family_name": true}}}]}
                """.utf8))
        var forged = try ForgedReading()
        forged.signed[0].elements[1] = ("given_name", .text("Ada"))
        forged.signed.append(("org.example", [("family_name", .text("Byron"))]))
        var other = try ForgedReading()
        other.signed[0].elements = [("family_name", .text("Hopper")), ("age_over_18", .bool(true))]
        forged.moreDocuments = [{ try other.document(in: $0) }]
        let reading = try forged.reading(asking: request)
        #expect(reading.report.inner.map(\.result) == [.genuine, .genuine])
        #expect(
            reading.returned.missing.map { "\($0.place ?? -1) \($0.name.identifier)" } == [
                "1 given_name", "1 family_name",
            ])
        #expect(
            reading.returned.unasked.map { "\($0.place ?? -1) \($0.name.identifier)" }
                == ["0 issuing_country", "0 issuing_jurisdiction", "1 age_over_18"])
        #expect(
            reading.retained.map { "\($0.element.place ?? -1) \($0.element.name.namespace) \($0.value.text ?? "")" }
                == ["0 \(Self.namespace) Lovelace", "0 org.example Byron", "1 \(Self.namespace) Hopper"])
    }
}
