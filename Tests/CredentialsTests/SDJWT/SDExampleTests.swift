import ByteCoding
import CryptoSuite
import JSON
import Testing

@testable import Credentials

/// A token with every intermediate value, computed by another program.
@Suite struct SDExampleTests {
    private static let disclosures = [
        "WyJzYWx0LTAwMDAwMDAwMDAwMDAwMDEiLCJnaXZlbl9uYW1lIiwiQWRhIl0",
        "WyJzYWx0LTAwMDAwMDAwMDAwMDAwMDMiLCJhZGRyZXNzIix7Il9zZCI6WyJXUnpUV0ZQNXBNRkV5ZnlHWW1oajNlWDh4OGFkdzgxck1Vc2h2UFRackljIl19XQ",
        "WyJzYWx0LTAwMDAwMDAwMDAwMDAwMDQiLCJzdHJlZXQiLCJNYWluIFN0IDEiXQ",
        "WyJzYWx0LTAwMDAwMDAwMDAwMDAwMDIiLCJERSJd",
    ]
    private static let digests = [
        "k4c7qJX_-6lNF-73-snn_5sPOTEzXAa9vcxrbGr9WYo", "Nkc-aHc2zL0vRbtWM-Uir9k40IXbb0RK6KoXi8JW1Qw",
        "WRzTWFP5pMFEyfyGYmhj3eX8x8adw81rMUshvPTZrIc", "8kd_L9AUwmyTQ2GvkvbcJSxjJGDpJussw2TRY8LAhxQ",
    ]
    private static let token = [
        "eyJhbGciOiJFUzI1NiIsInR5cCI6ImRjK3NkLWp3dCIsImtpZCI6IjEifQ.eyJfc2QiOlsiTmtjLWFIYzJ6TDB2UmJ0V00tVWlyOWs0MElYYmIw",
        "Uks2S29YaThKVzFRdyIsIms0YzdxSlhfLTZsTkYtNzMtc25uXzVzUE9URXpYQWE5dmN4cmJHcjlXWW8iLCJ2ZXVib2lyNC1uUGxuLWZFMDhTSzRS",
        "WldGOTEyeHlCM1BOOXN2RE9wSGRjIl0sIl9zZF9hbGciOiJzaGEtMjU2IiwiY25mIjp7Imp3ayI6eyJjcnYiOiJQLTI1NiIsImt0eSI6IkVDIiwi",
        "eCI6IkwxZ3J5WThrSjd5ZnhONEdfYnRKT0Fwd3F0NGZSQW8zWkktZV9TMUZuelUiLCJ5IjoiVHBOUlBQUXNuQ2l2dUg2Wk50aWJUZk1ka1BPbzJS",
        "RWVHcGtkVlNwcG4tTSJ9fSwiZXhwIjoyMDUxMjIyNDAwLCJpYXQiOjE3MzU2ODk2MDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUiLCJu",
        "YXRpb25hbGl0aWVzIjpbeyIuLi4iOiI4a2RfTDlBVXdteVRRMkd2a3ZiY0pTeGpKR0RwSnVzc3cyVFJZOExBaHhRIn0sIkZSIl0sInZjdCI6Imh0",
        "dHBzOi8vaXNzdWVyLmV4YW1wbGUvdmN0LzEifQ.clYQgbVKRGr3l8zGcJvCo6n0vAR0AuS5Ot-oPW_VrqTM58N138rJ0juZgaWrq9xZhd4ukSr2w",
        "IX-5C1fwSsSGQ",
    ].joined()
    private static let holderToken = [
        "eyJhbGciOiJFUzI1NiIsInR5cCI6ImtiK2p3dCJ9.eyJhdWQiOiJodHRwczovL3ZlcmlmaWVyLmV4YW1wbGUiLCJpYXQiOjE3MzU2ODk3MDAsIm5v",
        "bmNlIjoibi0wUzZfV3pBMk1qIiwic2RfaGFzaCI6ImkwaGctTFlRX1ozdTVLRXQtT2w5RU96b2FIVmRERGVBRTRHV3d2WUo4Q0EifQ.q6Pe5dcHdv",
        "qGk_5mQPx95opKNS0RB1sDrg4NWmR5fHUrHEXhRZDG5OdsRvjzOHwNVXoIQcFOjPd298IMo1Qnqw",
    ].joined()

    private var presented: String { Self.token + "~" + Self.disclosures.map { $0 + "~" }.joined() }

    @Test func `each disclosure of the SD-JWT example has its digest`() {
        for (text, digest) in zip(Self.disclosures, Self.digests) {
            #expect(DisclosureHash.sha256.digest(Array(text.utf8)) == digest)
        }
    }

    @Test func `the SD-JWT example has the sd_hash and digest that another program computed`() {
        #expect(SDSample.digest(presented) == "i0hg-LYQ_Z3u5KEt-Ol9EOzoaHVdDDeAE4GWwvYJ8CA")
        #expect(
            Hex.encode(SHA256.hash(Array((presented + Self.holderToken).utf8)))
                == "5fcd22622077a2393850386e1fcd21d2b0d9a129e27ba9bf72a8399c35c8bc14")
    }

    @Test func `the SD-JWT example is genuine and gives its claims`() {
        let report = CredentialVerifier(SDSample().request).verify(Array((presented + Self.holderToken).utf8))
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.claims?["given_name"]?.string == "Ada")
        #expect(report.content.claims?["address"] == .object(["street": "Main St 1"]))
        #expect(report.content.claims?["nationalities"] == .strings(["DE", "FR"]))
        #expect(report.content.signatures.map(\.isValid) == [true, true])
    }

    @Test func `changing any one character of the SD-JWT example makes it not genuine`() {
        let text = Array((presented + Self.holderToken).utf8)
        let verifier = CredentialVerifier(SDSample().request)
        for index in stride(from: 0, to: text.count, by: 7) {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(verifier.verify(changed).result != .genuine, "character \(index)")
        }
    }
}
