import ByteCoding
import CryptoSuite
import JSON
import Testing

@testable import Credentials

/// Forged SD-JWTs, each refused with the code that names what was changed.
@Suite struct SDForgeryTests {
    @Test(arguments: SDForgeries.all) func `a forged SD-JWT is refused with the code of the change`(
        _ forgery: Forgery<SDSample>
    ) {
        var sample = SDSample()
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `the SD-JWT sample that forgeries start from is genuine`() {
        let report = SDSample().report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.claims?["given_name"]?.string == "Ada")
        #expect(report.content.claims?["address"]?["street"]?.string == "Main St 1")
        #expect(report.content.claims?["nationalities"] == .strings(["DE", "FR"]))
        #expect(report.content.claims?["_sd"] == nil)
        #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .passed })
    }

    @Test(arguments: SDForgeries.twins) func `a good SD-JWT that looks much like a forgery is genuine`(
        _ twin: Forgery<SDSample>
    ) {
        var sample = SDSample()
        twin.change(&sample)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `both JSON serialisations of an SD-JWT are genuine, and forged ones are refused`() {
        let sample = SDSample()
        func result(_ object: JSONObject) -> CredentialReport {
            CredentialVerifier(sample.request).verify(object.encoded)
        }
        #expect(result(sample.json()).result == .genuine)
        #expect(result(sample.json(general: true)).result == .genuine)
        // 82: disclosures in the second header.
        let parts = sample.token.split(separator: ".").map { JSONValue.string(String($0)) }
        let second: JSONObject = [
            "protected": parts[0], "signature": parts[2], "header": .object(["disclosures": .array([])]),
        ]
        #expect(result(sample.json(general: true, second: second)).carries(.sdMalformed))
        // 83: an algorithm that is not protected.
        #expect(result(sample.json(unprotected: ["alg": "ES256"])).carries(.algMismatch))
        // 84: the payload twice.
        let twice = sample.json().text.dropLast() + ",\"payload\":\"e30\"}"
        let report = CredentialVerifier(sample.request).verify(Array(twice.utf8))
        #expect(report.carries(.parseDuplicateKey))
        #expect(report.result == .refused)
    }

    @Test func `one valid signature of a JSON SD-JWT is enough, and one of another key does not count`() {
        let sample = SDSample()
        var foreign = sample
        foreign.signer = .stranger
        let strange = foreign.token.split(separator: ".").map { JSONValue.string(String($0)) }
        let second: JSONObject = ["protected": strange[0], "signature": strange[2]]
        let both = sample.json(general: true, second: second)
        #expect(CredentialVerifier(sample.request).verify(both.encoded).result == .genuine)
        let alone = foreign.json(general: true)
        #expect(CredentialVerifier(sample.request).verify(alone.encoded).carries(.sigInvalid))
    }

    @Test func `an SD-JWT without key binding is genuine, and its holder is reported as not shown`() {
        var sample = SDSample()
        sample.holderSigner = nil
        sample.request.policy.nonce = nil
        sample.request.policy.audience = nil
        #expect(sample.report.result == .genuine)
        #expect(sample.report.holder == .notShown && sample.report.carries(.kbMissing))
    }

    @Test func `an expected nonce or audience makes key binding required in an SD-JWT`() {
        for isNonce in [true, false] {
            var sample = SDSample()
            sample.holderSigner = nil
            sample.request.policy.nonce = isNonce ? "n" : nil
            sample.request.policy.audience = isNonce ? nil : "a"
            #expect(sample.report.result == .refused && sample.report.carries(.kbMissing))
        }
    }

    @Test func `key binding of an SD-JWT without an expected nonce leaves the holder not shown`() {
        var sample = SDSample()
        sample.request.policy.nonce = nil
        sample.request.policy.audience = nil
        #expect(sample.report.result == .genuine && sample.report.holder == .notShown)
        sample.request.policy.requiresHolderProof = true
        #expect(sample.report.result == .notChecked && sample.report.carries(.kbUnchecked))
    }
}
