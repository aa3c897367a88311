package import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import MobileSession
package import Terminal

/// `symbolon mdoc make`: makes a mobile document and its authority for tests.
package enum MobileDocumentMakeCommand {
    private static let out = ValueOption("out", .path("DIR"), "The folder for the files.", isRequired: true)
    private static let portrait = ValueOption("portrait", .path("FILE"), "The picture in the document, a JPEG.")
    private static let mac = FlagOption(
        "mac", "Makes a device key that proves itself by a MAC; without it the device signs.")

    /// The most bytes of a portrait.
    private static let maximumPortraitBytes = 1 << 20

    package static let declaration = CommandDeclaration(
        "make", "Makes a mobile driving licence and its authority, for tests.",
        discussion: [
            "The folder gets licence.mdoc, the document with the private key of its device, readable by its owner only, "
                + "and authority.pem, the certificate that a reader trusts. Names and certificates say that they are for "
                + "tests, and the country is ZZ, which is none.",
            "Each call draws another authority; files that are there already are left as they are, and the new ones get "
                + "other names.",
        ],
        examples: [
            .init("symbolon mdoc make --out test", "Makes a licence and its authority."),
            .init("symbolon trust add test/authority.pem --for mdoc", "Has a reader trust the authority."),
            .init("symbolon send test/licence.mdoc --show", "Shows the licence to a reader."),
        ],
        options: [out.declaration, portrait.declaration, mac.declaration])

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
        try ReceivedFileWriter.makeFolder(folder)
        var random = context.environment.makeRandom()
        let issuer = try TestMobileIssuer(at: context.environment.wallTime(), random: &random)
        let document = try issuer.licence(portrait: picture, provesByMAC: context.arguments[mac], random: &random)
        guard let file = document.file() else {
            throw CommandError(.internalFailure, "The document that was made has no file.")
        }
        let paths = [
            try ReceivedFileWriter.store(
                Array(PEMText.block("CERTIFICATE", of: issuer.authority).utf8), in: folder, stem: "authority",
                suffix: ".pem"),
            try ReceivedFileWriter.store(file, in: folder, stem: "licence", suffix: ".mdoc"),
        ]
        for path in paths { context.console.put(path) }
    }
}
