import Determinism
import Testing
import Tuvali

/// When report requests are answered: at once, or a little later for wallets that listen late.
@Suite struct HeldReportTests {
    static let payload: [UInt8] = Array("a credential".utf8)

    /// A verifier that has all chunks and was not asked for a report.
    static func complete() throws -> VerifierScript {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let sealed = try VerifierScript.sealed(payload)
        verifier.write(.responseSize, VerifierScript.size(sealed.count))
        for chunk in try VerifierScript.chunks(sealed) { verifier.write(.submitResponse, chunk) }
        return verifier
    }

    static func request(isCommand: Bool) -> VerifierSession.Input {
        .written(VerifierScript.link, .reportRequest, [1], isCommand: isCommand)
    }

    @Test func `a report request with response is answered at once`() throws {
        var verifier = try Self.complete()
        #expect(verifier.put(Self.request(isCommand: false)).pushed(.reportResponse) == [[1, 0, 0]])
    }

    @Test func `a report request without response is answered 50 milliseconds later, and no earlier`() throws {
        var verifier = try Self.complete()
        #expect(verifier.put(Self.request(isCommand: true)) == [])
        #expect(verifier.session.nextDeadline == verifier.now + .milliseconds(50))
        #expect(verifier.pass(.milliseconds(49)) == [])
        let outputs = verifier.pass(.milliseconds(1))
        #expect(outputs.pushed(.reportResponse) == [[1, 0, 0]])
        #expect(outputs.payloads == [Self.payload])
    }

    @Test func `report requests that come during the delay of one are answered together`() throws {
        var verifier = try Self.complete()
        verifier.put(Self.request(isCommand: true))
        verifier.pass(.milliseconds(30))
        #expect(verifier.put(Self.request(isCommand: true)) == [])
        #expect(verifier.pass(.milliseconds(20)).pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.pass(.milliseconds(40)) == [])
        #expect(verifier.put(Self.request(isCommand: false)).pushed(.reportResponse) == [[1, 0, 0]])
    }

    @Test func `without a delay every report request is answered at once`() throws {
        var verifier = try VerifierScript { $0.commandReportDelay = .zero }
        verifier.goToIdentified()
        verifier.put(Self.request(isCommand: true))
        verifier.put(.disconnected(VerifierScript.link, .peer))
        #expect(verifier.said.endings == [.failed(TuvaliError(.verifierSizeMissing, ""))])
    }

    @Test func `a session that ends during the delay does not answer the report request`() throws {
        var verifier = try Self.complete()
        verifier.put(Self.request(isCommand: true))
        verifier.put(.disconnected(VerifierScript.link, .peer))
        #expect(verifier.session.isFinished)
        #expect(verifier.session.nextDeadline == nil)
        #expect(verifier.pass(.milliseconds(50)) == [])
    }
}
