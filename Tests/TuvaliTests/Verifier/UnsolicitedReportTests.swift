import Determinism
import Testing

@testable import Tuvali

/// Reports without a request, for wallets whose request was a command and was lost; and lengths that were lost so.
@Suite struct UnsolicitedReportTests {
    private let link = VerifierScript.link
    private let payload = Samples.noise(2400)

    /// A verifier whose wallet wrote its length, as a command or not, and the chunks with these indices.
    private func receiving(
        _ indices: [Int], sizeIsCommand: Bool = true, configure: (inout VerifierConfiguration) -> Void = { _ in }
    ) throws -> (verifier: VerifierScript, chunks: [[UInt8]]) {
        var verifier = try VerifierScript(configure: configure)
        verifier.goToIdentified()
        let sealed = try VerifierScript.sealed(payload)
        verifier.put(
            .written(link, .responseSize, VerifierScript.size(sealed.count), isCommand: sizeIsCommand))
        let chunks = try VerifierScript.chunks(sealed)
        for index in indices { verifier.put(.written(link, .submitResponse, chunks[index], isCommand: true)) }
        return (verifier, chunks)
    }

    @Test func `a wallet that falls silent after chunks gets a report after 1,500 milliseconds, and no earlier`() throws
    {
        var (verifier, _) = try receiving([0, 2, 4])
        #expect(verifier.pass(.milliseconds(1499)) == [])
        let outputs = verifier.pass(.milliseconds(1))
        #expect(outputs.pushed(.reportResponse) == [[0, 0, 1, 0, 2, 0, 4]])
        #expect(outputs.events == [.reported(missing: 2)])
    }

    @Test func `a complete payload without a report request is not delivered, and its last chunk is requested again`()
        throws
    {
        var (verifier, chunks) = try receiving([0, 1, 2, 3, 4])
        let outputs = verifier.pass(.milliseconds(1500))
        #expect(outputs.pushed(.reportResponse) == [[0, 0, 1, 0, 5]])
        #expect(outputs.payloads == [])
        verifier.put(.written(link, .submitResponse, chunks[4], isCommand: true))
        verifier.put(.written(link, .reportRequest, [1], isCommand: true))
        let answer = verifier.pass(.milliseconds(50))
        #expect(answer.pushed(.reportResponse) == [[1, 0, 0]])
        #expect(answer.payloads == [payload])
        guard case .received(_, let summary)? = answer.events.last else { return }
        #expect(summary.failureFrameCount == 1)
    }

    @Test func `three unsolicited reports are sent, each after twice the previous wait, and no fourth`() throws {
        var (verifier, _) = try receiving([0, 2, 4])
        for milliseconds in [1500, 3000, 6000] {
            #expect(verifier.pass(.milliseconds(milliseconds - 1)) == [])
            #expect(verifier.pass(.milliseconds(1)).pushed(.reportResponse).count == 1)
        }
        #expect(verifier.pass(.milliseconds(19_499)) == [])
        // Half a minute after the last chunk the transfer ends as before.
        #expect(verifier.pass(.milliseconds(1)).pushed(.disconnect) == [[1]])
    }

    @Test func `each chunk restarts the wait for an unsolicited report`() throws {
        var (verifier, chunks) = try receiving([0, 2, 4])
        verifier.pass(.milliseconds(1400))
        verifier.put(.written(link, .submitResponse, chunks[2], isCommand: true))
        #expect(verifier.pass(.milliseconds(1499)) == [])
        #expect(verifier.pass(.milliseconds(1)).pushed(.reportResponse).count == 1)
    }

    @Test(arguments: [false, true])
    func `any write of a wallet after an unsolicited report resets the count of three`(isRequest: Bool) throws {
        var (verifier, chunks) = try receiving([0, 2, 4])
        for _ in 0..<5 {
            for milliseconds in [1500, 3000, 6000] {
                #expect(verifier.pass(.milliseconds(milliseconds - 1)) == [])
                #expect(verifier.pass(.milliseconds(1)).pushed(.reportResponse) == [[0, 0, 1, 0, 2, 0, 4]])
            }
            // The wallet is there: it repeats a chunk, or its request gets through.
            if isRequest {
                verifier.put(.written(link, .reportRequest, [1], isCommand: true))
                #expect(verifier.pass(.milliseconds(50)).pushed(.reportResponse).count == 1)
            } else {
                verifier.put(.written(link, .submitResponse, chunks[2], isCommand: true))
            }
            // Without a new chunk the transfer ends after half a minute.
            guard verifier.now < Samples.start + .seconds(19) else { return }
        }
    }

    @Test func `no unsolicited report is sent while more than 70 per cent are missing`() throws {
        var (verifier, _) = try receiving([0])
        for _ in 0..<29 { #expect(verifier.pass(.seconds(1)) == []) }
        #expect(verifier.pass(.seconds(1)).pushed(.disconnect) == [[1]])
    }

    @Test func `no unsolicited report is sent before a chunk, nor to a wallet that writes with response`() throws {
        for (indices, sizeIsCommand) in [([], true), ([0, 2, 4], false)] as [([Int], Bool)] {
            var (verifier, _) = try receiving(indices, sizeIsCommand: sizeIsCommand)
            for _ in 0..<29 { #expect(verifier.pass(.seconds(1)) == []) }
        }
    }

    @Test func `with an unsolicited report limit of zero none is sent`() throws {
        var (verifier, _) = try receiving([0, 2, 4]) { $0.unsolicitedReportLimit = 0 }
        for _ in 0..<29 { #expect(verifier.pass(.seconds(1)) == []) }
    }

    @Test func `a report request that arrives is answered, and the answer repeated when silence follows`() throws {
        var (verifier, _) = try receiving([0, 2, 4])
        verifier.put(.written(link, .reportRequest, [1], isCommand: true))
        #expect(verifier.pass(.milliseconds(50)).pushed(.reportResponse).count == 1)
        #expect(verifier.pass(.milliseconds(1499)) == [])
        #expect(verifier.pass(.milliseconds(1)).pushed(.reportResponse).count == 1)
    }

    @Test func `chunks without a length message end the session two seconds after the first chunk`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        verifier.pass(.seconds(20))
        verifier.write(.submitResponse, Samples.noise(20))
        verifier.pass(.milliseconds(1000))
        verifier.write(.submitResponse, Samples.noise(20))
        #expect(verifier.pass(.milliseconds(999)) == [])
        #expect(verifier.pass(.milliseconds(1)).pushed(.disconnect) == [[1]])
        #expect(verifier.put(.disconnected(link, .peer)).endings == [.failed(TuvaliError(.verifierSizeMissing, ""))])
    }

    @Test func `a length message within two seconds after a chunk is accepted`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        verifier.write(.submitResponse, Samples.noise(20))
        verifier.pass(.milliseconds(1999))
        try verifier.transfer(payload)
        #expect(verifier.said.payloads == [payload])
    }
}
