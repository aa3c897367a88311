import CBOR
import CryptoSuite

@testable import Credentials

/// Verdict forgeries of mobile documents and tokens in CBOR.
extension VerdictForgeries {
    private static func deviceAuth(_ value: CBORItem) -> CBORItem {
        .ordered([[.text("nameSpaces"), .embedded(.map([:]))], [.text("deviceAuth"), value]])
    }

    private static let protected = CBORItem.map([.int(1): .int(-7)]).encoded
    private static let session = CBORItem.array([.null, .null, .text("session")]).encoded

    /// Answer of the device of `signer` in a session.
    private static func answer(by signer: String) -> CBORItem {
        let payload = CBORItem.embedded(
            .array([
                .text("DeviceAuthentication"), .raw(session), .text(MobileDocumentBuilder.mdl), .embedded(.map([:])),
            ])
        ).encoded
        let signature = Signer.sign(
            CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded, by: signer)
        return deviceAuth(
            .map([.text("deviceSignature"): .array([.bytes(protected), .map([:]), .null, .bytes(signature)])]))
    }

    private static let mac = deviceAuth(
        .map([
            .text("deviceMac"): .array([
                .bytes([0xA1, 1, 5]), .map([:]), .null, .bytes([UInt8](repeating: 1, count: 32)),
            ])
        ]))

    /// The demands that all ask for the holder.
    static let demandsOfHolder: [(name: String, make: @Sendable (inout VerificationPolicy) -> Void)] = [
        ("the holder demanded", { $0.requiresHolderProof = true }), ("a nonce", { $0.nonce = "n" }),
        ("an audience", { $0.audience = "https://verifier.example" }),
    ]

    private static let answers: [(name: String, item: CBORItem)] = [
        ("the device", answer(by: "symbolon device")), ("a stranger's device", answer(by: "symbolon stranger")),
        ("a MAC", mac),
    ]

    static let documents: [MobileDocumentForgery] =
        demandsOfHolder.flatMap { demand in
            answers.map { answer in
                MobileDocumentForgery("signed by \(answer.name), no session, \(demand.name)", .notChecked(.kbUnchecked))
                {
                    $0.builder.deviceSigned = answer.item
                    demand.make(&$0.request.policy)
                }
            } + [
                MobileDocumentForgery("without a proof of the device, \(demand.name)", .refused(.kbMissing)) {
                    demand.make(&$0.request.policy)
                }
            ]
        }
        + [
            ("a text as MAC", CBORItem.text("x")), ("a MAC of three parts", .array([.bytes([]), .map([:]), .null])),
            ("a MAC with a payload", .array([.bytes([0xA1, 1, 5]), .map([:]), .bytes([1]), .bytes([1])])),
        ].map { name, item in
            MobileDocumentForgery(name, .refused(.mdForm)) {
                $0.builder.deviceSigned = deviceAuth(.map([.text("deviceMac"): item]))
            }
        }
        + [
            MobileDocumentForgery("a status by an identifier list", .notChecked(.stUnknown)) {
                $0.builder.status = .map([.text("identifier_list"): .map([.text("id"): .bytes([1])])])
            },
            MobileDocumentForgery("a status of no kind", .notChecked(.stUnknown)) { $0.builder.status = .map([:]) },
            MobileDocumentForgery("a status that is no map", .refused(.stForm)) { $0.builder.status = .text("valid") },
        ]

    static let documentTwins: [MobileDocumentForgery] =
        answers.map { answer in
            MobileDocumentForgery("signed by \(answer.name), and nothing asked", .genuine) {
                $0.builder.deviceSigned = answer.item
            }
        } + [
            MobileDocumentForgery("a digest whose number is 2 to the 32nd less 1", .genuine) {
                $0.builder.signedItems[0].items[0].digestID = 1 << 32 - 1
            },
            MobileDocumentForgery("a status that is optional", .genuineWithNote(.stUnknown)) {
                $0.builder.status = .map([.text("identifier_list"): .map([.text("id"): .bytes([1])])])
                $0.request.policy.isStatusOptional = true
            },
        ]

    /// Names of keys as issuers write them in bytes.
    private static let keyNames: [[UInt8]] = [
        [0xFF, 0xFE, 1, 2, 3, 4, 5, 6], [0xC3, 0x28], [], [UInt8](repeating: 0, count: 8), Array("unknown".utf8),
    ]

    static let claims: [CWTForgery] =
        demandsOfHolder.map { demand in
            CWTForgery("without a proof of the holder, \(demand.name)", .refused(.kbMissing)) {
                demand.make(&$0.request.policy)
            }
        }
        + keyNames.map { name in
            CWTForgery("a stranger's signature under the name \(name)", .refused(.sigInvalid)) {
                $0.unprotectedHeader = [[.int(4), .bytes(name)]]
                $0.sign = { Signer.sign($0, by: "symbolon stranger") }
            }
        }
        + [
            CWTForgery("an issuer with types, of which a token names none", .notChecked(.trustIssuer)) {
                $0.request.trust.issuers[0].types = ["Example"]
            },
            CWTForgery("the name of a key that is a text", .refused(.parseCBOR)) {
                $0.unprotectedHeader = [[.int(4), .text("1")]]
            },
            CWTForgery("a status by an identifier list", .notChecked(.stUnknown)) {
                $0.set(65535, .map([.text("identifier_list"): .map([.text("id"): .bytes([1])])]))
            },
            CWTForgery("a status that is no map", .refused(.stForm)) { $0.set(65535, .text("valid")) },
        ]

    static let claimTwins: [CWTForgery] =
        keyNames.map { name in
            CWTForgery("the issuer's signature under the name \(name)", .genuine) {
                $0.unprotectedHeader = [[.int(4), .bytes(name)]]
            }
        } + [
            CWTForgery("ES256 with its curve in the name of the algorithm", .genuine) {
                $0.protectedHeader = .map([.int(1): .int(-9)])
            }
        ]
}
