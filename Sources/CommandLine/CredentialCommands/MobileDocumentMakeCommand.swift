package import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import MobileDocuments
package import Terminal

/// `symbolon mdoc make`: makes a mobile document and its authority for tests.
package enum MobileDocumentMakeCommand {
    private static let out = ValueOption("out", .path("DIR"), "The folder for the files.", isRequired: true)
    private static let portrait = ValueOption("portrait", .path("FILE"), "The picture in the document, a JPEG.")
    private static let mac = FlagOption(
        "mac", "Makes a device key that proves itself by a MAC; without it the device signs.")
    private static let copies = ValueOption(
        "copies", .integer("N", in: 1...HeldMobileDocument.maximumFileCount),
        "Makes so many copies of single use, each with a device key of its own.")
    private static let fault = ValueOption(
        "fault", .choice("FAULT", TestMobileIssuer.TestFault.allCases.map { ($0.rawValue, $0) }),
        "Makes a set that a reader has to refuse, or of which it has to warn.")

    /// The most bytes of a portrait.
    private static let maximumPortraitBytes = 1 << 20

    package static let declaration = CommandDeclaration(
        "make", "Makes a mobile driving licence and its authority, for tests.",
        discussion: [
            "The folder gets licence.mdoc, the document with the private key of its device, readable by its owner only; "
                + "authority.pem, the certificate that a reader trusts; authority.crl, the revocation list; and "
                + "authorities.vical, a list with this authority. Names and certificates say that they are for tests, and the "
                + "country is ZZ, which is none.",
            "The fault revoked puts the signer on the revocation list; with expired its certificate has ended; with country "
                + "the document names another country than its signer; with stale-list the list of authorities is too old.",
            "Each call draws another authority; files that are there already are left as they are, and the new ones get "
                + "other names.",
        ],
        examples: [
            .init("symbolon mdoc make --out test", "Makes a licence and its authority."),
            .init("symbolon trust add test/authority.pem --for mdoc", "Has a reader trust the authority."),
            .init("symbolon send test/licence.mdoc --show", "Shows the licence to a reader."),
            .init("symbolon mdoc make --out revoked --fault revoked", "Makes a licence whose signer was revoked."),
        ],
        options: [
            out.declaration, portrait.declaration, mac.declaration, copies.declaration, fault.declaration,
        ])

    package static let run: Program.Body = { context in
        let folder = try context.arguments.required(out)
        let picture: [UInt8]
        if let path = context.arguments[portrait] {
            picture = try BoundedFile.read(path, limit: maximumPortraitBytes)
            guard picture.starts(with: [0xFF, 0xD8, 0xFF]) else {
                throw UsageError(
                    .badValue, "The portrait is not a JPEG.",
                    nextStep: "Give a picture in JPEG, or leave --portrait out.")
            }
        } else {
            picture = TestMobileIssuer.portrait()
        }
        var random = context.environment.makeRandom()
        let issuer = try TestMobileIssuer(
            at: context.environment.wallTime(), fault: context.arguments[fault], random: &random)
        let file = try document(picture, of: issuer, context, random: &random)
        guard file.count <= HeldMobileDocument.maximumFileBytes else {
            throw UsageError(
                .badValue, "So many copies with this portrait are larger than a file may be.",
                nextStep: "Make fewer copies, or take a smaller portrait.")
        }
        let files = [
            ("authority", ".pem", Array(PEMText.block("CERTIFICATE", of: issuer.authority).utf8)),
            ("authority", ".crl", try issuer.revocationList()),
            ("authorities", ".vical", try issuer.authorityList(random: &random)), ("licence", ".mdoc", file),
        ]
        try ReceivedFileWriter.makeFolder(folder)
        for (stem, suffix, bytes) in files {
            context.console.put(try ReceivedFileWriter.store(bytes, in: folder, stem: stem, suffix: suffix))
        }
    }

    private static func document(
        _ picture: [UInt8], of issuer: TestMobileIssuer, _ context: CommandContext, random: inout some RandomSource
    ) throws -> [UInt8] {
        var documents: [HeldMobileDocument] = []
        let count = context.arguments[copies]
        for _ in 0..<(count ?? 1) {
            documents.append(
                try issuer.licence(
                    portrait: picture, provesByMAC: context.arguments[mac], isSingleUse: count != nil, random: &random))
        }
        guard let file = count == nil ? documents[0].file() : HeldMobileDocument.file(of: documents) else {
            throw CommandError(.internalFailure, "The document that was made has no file.")
        }
        return file
    }
}
