import CBOR

@testable import Credentials

/// Mobile documents whose authority stands in one of several lists, or in a list for other documents.
enum MobileDocumentListForgeries {
    private typealias Sample = IssuingAuthorityListTests.Sample
    private static let other = "org.iso.23220.photoid.1"

    /// Trusts a list that has the signer's authority for licences, and a later one that has it for others alone.
    private static func lists(
        otherRoot: String = "symbolon vical root",
        _ change: @escaping @Sendable (_ good: inout Sample, _ later: inout Sample) -> Void = { _, _ in }
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            var (good, later) = (try Sample(), try Sample(root: otherRoot))
            later.date = "2025-05-02T00:00:00Z"
            later.entry[3] = [.text("docType"), .array([.text(other)])]
            change(&good, &later)
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = try [good, later].map {
                PinnedAuthorityList(bytes: try $0.encoded(), root: $0.root)
            }
        }
    }

    private static func list(
        _ change: @escaping @Sendable (inout Sample) throws -> Void
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            var list = try Sample()
            try change(&list)
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try list.encoded(), root: list.root)]
        }
    }

    /// Makes a document that is no licence, which each root may issue.
    private static func makeOther(_ setting: inout MobileDocumentForgery.Setting) {
        (setting.builder.signedType, setting.builder.outerType) = (other, other)
        setting.builder.signedItems[0].namespace = "org.iso.23220.1"
        setting.request.trust.roots = setting.request.trust.roots.map {
            TrustedRoot(certificate: $0.certificate, purpose: .mobileDocuments(types: [], country: nil))
        }
    }

    static let all: [MobileDocumentForgery] = [
        .init("an authority that a later list of the provider leaves out", .notChecked(.x5Anchor), lists()),
        .init(
            "an authority that a later list of another provider leaves out", .genuine,
            lists { _, later in later.provider = "Other" }),
        .init(
            "an authority that a list under another root leaves out", .genuine, lists(otherRoot: "symbolon other vical")
        ),
        .init(
            "an authority that a list of a higher number and an earlier day leaves out", .notChecked(.x5Anchor),
            lists { (good, later) in
                (good.issue, later.issue) = (1, 2)
                (good.date, later.date) = (later.date, good.date)
            }),
        .init(
            "an authority of a list of a higher number and an earlier day", .genuine,
            lists { (good, later) in (good.issue, later.issue) = (2, 1) }),
        .init(
            "an authority that a later list of the same number leaves out", .notChecked(.x5Anchor),
            lists { (good, later) in (good.issue, later.issue) = (1, 1) }),
        .init("a list of a version without a digit", .notChecked(.x5Anchor), list { $0.version = "1." }),
        .init(
            "the serial number of an authority as an integer", .genuine,
            list { $0.entry[1] = [.text("serialNumber"), .int(1)] }),
        .init(
            "the serial number of an authority, of a byte above 127, as an integer", .genuine,
            list {
                $0.authority.root.serialNumber = [0, 0x80]
                $0.entry[0] = [.text("certificate"), .bytes(try $0.authority.rootDER())]
                $0.entry[1] = [.text("serialNumber"), .int(0x80)]
            }),
        .init(
            "an authority of licences in a list by a signer of other lists", .notChecked(.x5Anchor),
            list {
                $0.signer.extensions = [.keyUsage(.contentCommitment), .extendedKeyUsage([.otherAuthorityListSigner])]
            }),
        .init("an authority of other documents in a list by a signer of other lists", .genuine) { setting in
            makeOther(&setting)
            try list {
                $0.signer.extensions = [
                    .keyUsage(.contentCommitment), .extendedKeyUsage([.otherAuthorityListSigner]),
                ]
                $0.entry[3] = [.text("docType"), .array([.text(other)])]
            }(&setting)
        },
        .init("another country in a document that is no licence", .genuineWithNote(.mdCountry)) { setting in
            makeOther(&setting)
            setting.builder.signedItems[0].items[2].value = .text("CA")
        },
    ]
}
