package import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import MobileDocuments
package import Terminal

/// `symbolon mdoc reader`: makes the key by which a reader signs its requests, and a request for its certificate.
package enum MobileDocumentReaderCommand {
    private static let out = ValueOption("out", .path("DIR"), "The folder for the files.", isRequired: true)
    private static let name = ValueOption(
        "name", .text("NAME"), "Your name, as phones show it: at most 64 bytes.", isRequired: true)
    private static let test = FlagOption(
        "test", "Makes a certificate and its authority too, which say that they are for tests.")

    package static let declaration = CommandDeclaration(
        "reader", "Makes the key by which your reader names itself to phones.",
        discussion: [
            "The folder gets reader-key.pem, a private key on P-256 that only its owner can read, and "
                + "reader-request.pem, a request for a certificate (PKCS #10). Give the request to the authority of "
                + "readers that the wallets trust; its answer is the file for --reader-certificate.",
            "With --test the folder gets reader.pem and reader-authority.pem in place of the request: a certificate, and "
                + "the authority that symbolon send --show takes by --reader-authority.",
        ],
        examples: [
            .init(
                "symbolon mdoc reader --name Bar --out desk",
                "Makes a key, and a request for its certificate."),
            .init(
                "symbolon desk --reader-key reader-key.pem --reader-certificate reader.pem",
                "Asks phones under your name."),
        ],
        options: [out.declaration, name.declaration, test.declaration])

    package static let run: Program.Body = { context in
        let folder = try context.arguments.required(out)
        let name = try context.arguments.required(name)
        // The most that a common name holds (X.520, upper bound 64).
        guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw UsageError(
                .badValue, "The name is empty, longer than 64 bytes, or has control characters.",
                nextStep: "Give the name of your shop or office.")
        }
        var random = context.environment.makeRandom()
        let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        var files: [(stem: String, block: String, der: [UInt8])] = []
        if context.arguments[test] {
            let issuer = try TestReaderIssuer(
                reader: name, key: key, at: context.environment.wallTime(), random: &random)
            files = [
                ("reader", "CERTIFICATE", issuer.certificate), ("reader-authority", "CERTIFICATE", issuer.authority),
            ]
        } else {
            let request = try DeviceRequestWriter.ReaderIdentity.certificateRequest(name: name, key: key)
            files = [("reader-request", "CERTIFICATE REQUEST", request)]
        }
        files.insert(("reader-key", "PRIVATE KEY", try key.privateKeyInfo()), at: 0)
        try ReceivedFileWriter.makeFolder(folder)
        for file in files {
            var bytes = Array(PEMText.block(file.block, of: file.der).utf8)
            defer { _ = Secret(consuming: &bytes) }
            context.console.put(
                try ReceivedFileWriter.store(bytes, in: folder, stem: file.stem, suffix: ".pem"))
        }
    }
}
