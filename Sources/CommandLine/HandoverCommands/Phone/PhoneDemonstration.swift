import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import MobileDocuments
import Terminal
import VirtualRadio

/// `symbolon demo --phone`: a phone shows a mobile document to a reader, in one process.
struct PhoneDemonstration: Sendable {
    private static let portraitBytes = 29_000

    let context: CommandContext
    let setup: RadioSetup
    let seed: UInt64

    /// Runs both sides, and shows the reader's verdict.
    ///
    /// - Throws: `MobileSessionError`, `demo.copy-differs` when the document is not genuine.
    func play(on air: VirtualAir) async throws {
        var random = SeededRandom(seed: seed)
        let time = context.environment.wallTime()
        let issuer = try TestMobileIssuer(at: time, random: &random)
        let document = try issuer.licence(
            portrait: TestMobileIssuer.portrait(byteCount: Self.portraitBytes), random: &random)
        let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let readers = try TestReaderIssuer(reader: "Desk", key: key, at: time, random: &random)
        let holderRadio = try await air.makeRadio(setup.configuration)
        let readerRadio = try await air.makeRadio(setup.configurationWithoutCapture)
        let (codes, shown) = AsyncStream.makeStream(of: String.self)
        let holder = PhoneHolderRun(
            reporter: PhoneReporter(.holder, context, isOneOfTwo: true), context: context, documents: [document],
            store: nil, authorities: [try Certificate(der: readers.authority)], modes: MobileMode.allCases)
        async let sent: Void = holder.show(
            on: holderRadio,
            announce: { code in
                try QRCodeOutput(text: code, reporter: context.reporter).show(hint: "A larger window shows it.")
                shown.yield(code)
                shown.finish()
            }, decide: { question in question.documents.map { Set($0.answer ?? []) } })
        var trust = TrustStore()
        trust.roots = [
            TrustedRoot(
                certificate: issuer.authority, purpose: .mobileDocuments(types: [], country: TestMobileIssuer.country))
        ]
        for await code in codes {
            let run = PhoneReaderRun(
                reporter: PhoneReporter(.reader, context, isOneOfTwo: true), context: context,
                request: try MobileRequest(asking: "over-18,name,portrait"), policy: VerificationPolicy(), trust: trust,
                modes: nil, identity: .init(key: key, certificates: [readers.certificate]))
            let reading = try await run.read(Array(code.utf8), on: readerRadio)
            try await sent
            let text = PhoneReadingText(reading, policy: VerificationPolicy())
            text.report(session: 1, to: context.reporter)
            context.reporter.put(context.console.outputPalette(text.summary, .bold))
            for row in text.rows { context.reporter.put("  \(row.label): \(row.value)") }
            try HandoverDemoCommand.check(isEqual: reading.report.result == .genuine)
        }
    }
}
