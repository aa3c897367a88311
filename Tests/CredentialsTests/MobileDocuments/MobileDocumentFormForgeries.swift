import CBOR
import CryptoSuite

@testable import Credentials

/// Mobile documents that break one rule of their form, and no other one.
extension MobileDocumentForgery {
    static let forms: [MobileDocumentForgery] = responses + parts

    private static func response(
        _ documents: [CBORItem], version: String = "1.0", status: Int = 0
    ) -> [UInt8] {
        CBORItem.ordered([
            [.text("version"), .text(version)], [.text("documents"), .array(documents)],
            [.text("status"), .int(status)],
        ]).encoded
    }

    private static let responses: [MobileDocumentForgery] = [
        Self("a document that says a version", .refused(.mdForm)) { setting in
            setting.bytes =
                CBORItem.ordered([
                    [.text("docType"), .text(MobileDocumentBuilder.mdl)], [.text("version"), .text("1.0")],
                    [.text("issuerSigned"), setting.builder.issuerSigned],
                ]).encoded
        },
        Self("a response of version 2.0", .refused(.mdVersion)) {
            $0.bytes = response([$0.builder.document], version: "2.0")
        },
        Self("a response that tells of an error", .refused(.mdForm)) {
            $0.bytes = response([$0.builder.document], status: 10)
        },
        Self("a response without a document", .refused(.mdForm)) { $0.bytes = response([]) },
        Self("17 documents in a response", .notChecked(.limitProofs)) {
            $0.bytes = response(Array(repeating: $0.builder.document, count: 17))
        },
    ]

    private static let parts: [MobileDocumentForgery] = [
        Self("a number among the certificates", .refused(.x5Chain)) {
            $0.builder.chain = nil
            $0.builder.unprotectedHeader = [.int(33): .array([.bytes(try $0.authority.signerDER()), .int(5)])]
        },
        Self("an empty array of certificates", .refused(.x5Chain)) {
            $0.builder.chain = nil
            $0.builder.unprotectedHeader = [.int(33): .array([])]
        },
        Self("a namespace without an item", .refused(.mdForm)) {
            $0.builder.changeReturned = { $0[0].items = [] }
        },
        Self("a digest whose number is 2 to the 32nd", .refused(.mdForm)) {
            $0.builder.signedItems[0].items[0].digestID = 1 << 32
        },
        Self("a version without its second number", .refused(.mdVersion)) { $0.builder.version = "1." },
        Self("a time with the tag of another", .refused(.timeFormat)) {
            $0.builder.validFrom = .tagged(1004, .text("2025-01-01T00:00:00Z"))
        },
        Self("authorizations that are a number", .refused(.mdForm)) { $0.builder.authorizations = .int(1) },
        Self("a number among the authorized namespaces", .refused(.mdForm)) {
            $0.builder.authorizations = .map([
                .text("nameSpaces"): .array([.text(MobileDocumentBuilder.namespace), .int(1)])
            ])
        },
        Self("a proof of the holder that is demanded", .refused(.kbMissing)) {
            $0.request.policy.requiresHolderProof = true
        },
        Self("elements and a signer of another country than the authority", .refused(.x5Name)) {
            $0.authority.signer.subject[0] = .country("CA")
            $0.builder.signedItems[0].items[2].value = .text("CA")
            try $0.issueAgain()
        },
    ]
}
