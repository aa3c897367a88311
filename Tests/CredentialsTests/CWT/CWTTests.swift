import ByteCoding
import CBOR
import CryptoSuite
import Determinism
import JSON
import Testing

@testable import Credentials

@Suite struct CWTTests {
    private func check(_ forgery: CWTForgery) throws {
        var setting = CWTForgery.Setting()
        try forgery.make(&setting)
        try ReportCheck.check(setting.report, forgery.answer)
    }

    @Test(arguments: CWTForgery.good)
    func `a good CWT is genuine in each of its forms`(forgery: CWTForgery) throws { try check(forgery) }

    @Test(arguments: CWTForgery.signatures)
    func `a CWT signature or algorithm that does not match the key is refused`(forgery: CWTForgery) throws {
        try check(forgery)
    }

    @Test(arguments: CWTForgery.forms)
    func `a malformed CWT is refused`(forgery: CWTForgery) throws { try check(forgery) }

    @Test(arguments: CWTForgery.claims)
    func `a CWT with a wrong issuer, time, audience or holder key is not genuine`(forgery: CWTForgery) throws {
        try check(forgery)
    }

    @Test(arguments: CWTForgery.certificates)
    func `certificates sign a CWT only for the issuers that their root is pinned for`(forgery: CWTForgery) throws {
        try check(forgery)
    }

    @Test(arguments: CWTForgery.lists + CWTForgery.details)
    func `a status list in a CWT is used if the issuer signed it`(forgery: CWTForgery) throws {
        try check(forgery)
    }

    @Test func `the example CWT is genuine, as CBOR and in base64url`() throws {
        let bytes = try #require(Hex.decode(Self.example))
        let request = CWTForgery.Setting().request
        for input in [bytes, Array(Base64URL.encode(bytes).utf8)] {
            let report = CredentialVerifier(request).verify(input)
            #expect(report.result == .genuine, "\(report.checks)")
            #expect(report.format == .cwt && report.content.issuer == "did:web:issuer.example")
            #expect(report.content.claims?["exp"]?.int == 2_051_222_400)
        }
    }

    private static let example =
        "d83dd28446a20126044131a05840a501766469643a7765623a6973737565722e6578616d706c6502736469643a6578616d706c653a7375"
        + "626a656374041a7a432b80051a67748580061a677485805840e971d07df3a00a0bdd23b13b75fe23aea4f45a75e9027c6eea4607509c"
        + "9070b7a66308859e292823323b02b79c9dad4d0a2d0f6d8756b87bd11ab559547cdc3c"
}
