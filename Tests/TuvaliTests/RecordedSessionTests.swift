import TestSupport
import Testing

@testable import Tuvali

/// Sessions recorded from deployed libraries, by their published bytes.
@Suite struct RecordedSessionTests {
    static let payload = Array(String(repeating: #"{"k":"v1"}"#, count: 3).utf8)

    @Test(.shows("TUV-030")) func `the recorded session of a deployed iOS wallet is received`() throws {
        var verifier = try VerifierScript(
            privateKey: Samples.bytes("77076d0a7318a57d3c16c17251b26645c6c93d1f9b1b1c5a1d5f0f1e2d3c4b5a"))
        #expect(
            verifier.session.uri.key
                == Samples.bytes("c26e3e83eb17f64505af7b2fdc8bab68cdbc09754e9fb0fe137415d458cfc92d"))
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, 512))
        verifier.write(
            .identify,
            Samples.bytes(
                "dc7fa9261007bee719ca8a80d1972178fd80a0fa3d6f14035b57bc6ff2edaf15efa291308ad3725c0280ad64"))
        verifier.write(.responseSize, Samples.bytes("00000031"))
        verifier.write(
            .submitResponse,
            Samples.bytes(
                "00019939c67051aa3e50c0f85e1a76f1d8a796e0e07db2bb13b1270603067e7c2f339d1ad5aa84b71ba6e7f39916b2679e48"
                    + "2c3a52"))
        #expect(verifier.write(.reportRequest, [1]).pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.said.payloads == [Self.payload])
    }

    @Test(.shows("TUV-030")) func `the recorded session of a deployed Android wallet is received`() throws {
        var verifier = try VerifierScript(
            privateKey: Samples.bytes("381f897cd0dba6fcfb858d0b2bb4d153eb0bd908d9084d1050e87ab759369e45"))
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, 512))
        verifier.write(
            .identify,
            Samples.bytes(
                "9bed544516be518676026530fb74f42f0c73a6cdab7bb71fe017e3c42346414ee76a267336f10ce0eb8d5a78"))
        verifier.write(.responseSize, Samples.bytes("00000031"))
        verifier.write(
            .submitResponse,
            Samples.bytes(
                "0001ffc5f3f423a5e89b827fb220487962a199fcecf2eef94dd97f92a633474a68a78cc218327e31ed285fc832a11f3d2d38"
                    + "aa6252"))
        verifier.write(.reportRequest, [1])
        #expect(verifier.said.payloads == [Self.payload])
    }

    @Test func `the published verifier can open what our wallet sends with the keys of RFC 7748`() throws {
        var wallet = try WalletScript()
        let chunks = try wallet.goToReport(Self.payload)
        #expect(wallet.said.writes.first?.1 == Samples.nonce + Samples.walletPublicKey)
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        verifier.write(.responseSize, wallet.said.writes[1].1)
        for chunk in chunks { verifier.write(.submitResponse, chunk) }
        verifier.write(.reportRequest, [1])
        #expect(verifier.said.payloads == [Self.payload])
    }
}
