import CBOR
import CryptoSuite
import Testing

@testable import Credentials

@Suite struct DeviceSignedTests {
    private static let transcript = CBORItem.array([.null, .null, .text("session")])

    /// A document whose device signed one element in a session.
    private func setting(
        signer: String = "symbolon device", session: CBORItem = transcript, type: String = MobileDocumentBuilder.mdl,
        authorizations: CBORItem? = .map([.text("nameSpaces"): .array([.text("example")])]),
        ownPayload: CBORItem = .null
    ) throws -> MobileDocumentForgery.Setting {
        var setting = try MobileDocumentForgery.Setting()
        let namespaces = CBORItem.embedded(.map([.text("example"): .map([.text("pin"): .int(1)])]))
        let payload = CBORItem.embedded(
            .array([.text("DeviceAuthentication"), session, .text(type), namespaces])
        ).encoded
        let protected = CBORItem.map([.int(1): .int(-7)]).encoded
        let signature = Signer.sign(
            CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded, by: signer)
        setting.builder.authorizations = authorizations
        setting.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), namespaces],
            [
                .text("deviceAuth"),
                .map([.text("deviceSignature"): .array([.bytes(protected), .map([:]), ownPayload, .bytes(signature)])]),
            ],
        ])
        setting.transcript = Self.transcript.encoded
        setting.request.policy.setDemand(.required, on: .holder)
        return setting
    }

    @Test func `a device that signed in the session is bound to the document`() throws {
        let report = try setting().report
        try ReportCheck.check(report, .genuine)
        #expect(report.content.signatures.count == 2)
        let elements = CBORItem.map([
            .text("dataElements"): .map([.text("example"): .array([.text("pin")])])
        ])
        try ReportCheck.check(setting(authorizations: elements).report, .genuine)
    }

    @Test func `an element that the key is not authorized for is found`() throws {
        try ReportCheck.check(setting(authorizations: nil).report, .refused(.mdKeyAuth))
        let other = CBORItem.map([.text("dataElements"): .map([.text("example"): .array([.text("other")])])])
        try ReportCheck.check(setting(authorizations: other).report, .refused(.mdKeyAuth))
    }

    @Test func `a signature of another key, session or type is found`() throws {
        try ReportCheck.check(setting(signer: "symbolon stranger").report, .refused(.sigInvalid))
        try ReportCheck.check(setting(session: .array([.null])).report, .refused(.sigInvalid))
        try ReportCheck.check(setting(type: "other").report, .refused(.sigInvalid))
    }

    @Test func `a signature with a payload of its own is none of the session`() throws {
        try ReportCheck.check(setting(ownPayload: .bytes([1])).report, .refused(.mdForm))
    }

    @Test func `without the session's transcript the device's proof is not done`() throws {
        var bare = try setting()
        bare.transcript = nil
        #expect(bare.report.result == .notChecked)
        #expect(bare.report.checks.last { $0.kind == .holder }?.outcome == .notDone)
        bare.request.policy.setDemand(.wanted, on: .holder)
        #expect(bare.report.result == .genuine)
    }

    @Test func `a MAC of the device is not checked, and the report says so`() throws {
        var mac = try setting()
        mac.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), .embedded(.map([:]))],
            [
                .text("deviceAuth"),
                .map([.text("deviceMac"): .array([.bytes([0xA1, 1, 5]), .map([:]), .null, .bytes([1])])]),
            ],
        ])
        #expect(mac.report.result == .notChecked)
        mac.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), .embedded(.map([:]))], [.text("deviceAuth"), .map([:])],
        ])
        try ReportCheck.check(mac.report, .refused(.mdForm))
    }

    @Test func `a policy that requires the holder's proof refuses a document without it`() throws {
        var setting = try MobileDocumentForgery.Setting()
        setting.request.policy.requiresHolderProof = true
        try ReportCheck.check(setting.report, .refused(.kbMissing))
    }
}
