import CBOR
import Determinism
import Testing

@testable import Credentials

/// Lists that hold the identifiers of what is revoked (ISO/IEC 18013-5, second edition, clause 12.3.6.4).
@Suite struct IdentifierListTests {
    private static let address = "https://issuer.example/identifiers/1"
    private static let other = CBORItem.bytes([9, 9])

    /// A list of the document's signer with these entries.
    private static func list(_ entries: [[CBORItem]]) -> BinaryStatusSample {
        var list = BinaryStatusSample(address: address, value: 0)
        list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
        list.protectedHeader = [[.int(1), .int(-7)], [.int(16), .text("application/identifierlist+cwt")]]
        list.set(65533, nil)
        list.set(65530, .map([.text("identifiers"): .ordered(entries)]))
        return list
    }

    private static func reference(_ identifier: CBORItem = .bytes([1, 2, 3, 4])) -> CBORItem {
        .map([.text("identifier_list"): .map([.text("id"): identifier, .text("uri"): .text(address)])])
    }

    private func check(
        _ answer: MobileDocumentForgery.Answer, entries: [[CBORItem]] = [[other, .map([:])]],
        reference: CBORItem = reference(), at place: SourceLocation = #_sourceLocation,
        _ change: (inout BinaryStatusSample) -> Void = { _ in }
    ) throws {
        var list = Self.list(entries)
        change(&list)
        var setting = try MobileDocumentForgery.Setting()
        setting.request.trust.statusLists = [list.pinned]
        setting.builder.status = reference
        try ReportCheck.check(setting.report, answer, at: place)
    }

    @Test func `an mdoc whose identifier is in the identifier list is revoked, and another is not`() throws {
        try check(.genuine)
        try check(.genuine, entries: [])
        try check(.refused(.stRevoked), entries: [[Self.other, .map([:])], [.bytes([1, 2, 3, 4]), .map([:])]])
        try check(.refused(.stRevoked), entries: [[.bytes([1, 2, 3, 4]), .map([:])]]) { $0.fetchedAt = 1_700_000_000 }
        // Part of an identifier is another one.
        try check(.genuine, entries: [[.bytes([1, 2, 3]), .map([:])], [.bytes([1, 2, 3, 4, 0]), .map([:])]])
    }

    @Test func `an identifier list with a wrong signer, address, age or form leaves the status unknown`() throws {
        try check(.notChecked(.stSig)) { $0.signer = .stranger }
        try check(.notChecked(.stUri)) { $0.set(2, .text("https://issuer.example/identifiers/2")) }
        try check(.notChecked(.stStale)) { $0.fetchedAt = 1_748_000_000 }
        try check(.notChecked(.stStale)) { $0.set(4, .int(1_748_000_000)) }
        try check(.notChecked(.stForm)) { $0.set(4, nil) }
        try check(.notChecked(.stForm)) { $0.set(6, nil) }
        try check(.notChecked(.stForm)) { $0.set(6, .int(1_760_000_000)) }
        try check(.notChecked(.stForm)) { $0.set(65530, nil) }
        try check(.notChecked(.stForm)) { $0.set(65530, .map([.text("identifiers"): .array([])])) }
        try check(.notChecked(.stForm), entries: [[.text("01020304"), .map([:])]])
        try check(.notChecked(.stForm)) {
            $0.set(65533, .map([.text("bits"): .int(1), .text("lst"): .bytes([0x78, 0xDA, 3, 0, 0, 0, 0, 1])]))
        }
        // The type of a status list in its place, or none that is protected.
        try check(.notChecked(.stForm)) { $0.protectedHeader[1] = [.int(16), .text("application/statuslist+cwt")] }
        try check(.notChecked(.stForm)) { $0.unprotectedHeader.append($0.protectedHeader.removeLast()) }
    }

    @Test func `an mdoc that refers to the wrong kind of revocation list has an unknown status`() throws {
        let index = CBORItem.map([
            .text("status_list"): .map([.text("idx"): .int(3), .text("uri"): .text(Self.address)])
        ])
        try check(.notChecked(.stForm), reference: index)
        var values = BinaryStatusSample(address: Self.address, value: 0)
        values.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
        var setting = try MobileDocumentForgery.Setting()
        setting.request.trust.statusLists = [values.pinned]
        setting.builder.status = Self.reference()
        try ReportCheck.check(setting.report, .notChecked(.stForm))
    }

    @Test func `an identifier list reference of wrong form, or to a missing list, leaves the status unknown`()
        throws
    {
        try check(.notChecked(.stUnknown), reference: Self.reference(.text("01020304")))
        try check(
            .notChecked(.stUnknown),
            reference: .map([.text("identifier_list"): .map([.text("id"): .bytes([1, 2, 3, 4])])]))
        var setting = try MobileDocumentForgery.Setting()
        setting.builder.status = Self.reference()
        try ReportCheck.check(setting.report, .notChecked(.stUnknown))
    }

    @Test func `an mdoc that names a status list and an identifier list is revoked by either`() throws {
        let values = "https://issuer.example/status/1"
        for (value, entry, answer) in [
            (UInt8(0), [UInt8]([9]), MobileDocumentForgery.Answer.genuine), (1, [9], .refused(.stRevoked)),
            (0, [1, 2, 3, 4], .refused(.stRevoked)),
        ] {
            var list = BinaryStatusSample(address: values, value: value)
            list.signer = .ecdsa(SignerAuthority.key("symbolon ds"))
            var setting = try MobileDocumentForgery.Setting()
            setting.request.trust.statusLists = [list.pinned, Self.list([[.bytes(entry), .map([:])]]).pinned]
            setting.builder.status = .map([
                .text("status_list"): .map([.text("idx"): .int(3), .text("uri"): .text(values)]),
                .text("identifier_list"): .map([.text("id"): .bytes([1, 2, 3, 4]), .text("uri"): .text(Self.address)]),
            ])
            try ReportCheck.check(setting.report, answer)
        }
    }

    @Test func `the file of an identifier list is recognised by its address and end`() throws {
        let material = try TrustMaterial(
            recognising: Self.list([]).bytes, at: WallTime(millisecondsSinceEpoch: 1_780_000_000_000))
        guard case .statusList(Self.address, 1_800_000_000) = material.content else { return #expect(Bool(false)) }
    }
}
