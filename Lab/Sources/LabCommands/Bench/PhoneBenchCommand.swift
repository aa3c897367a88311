import Bluetooth
package import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import MobileSession
import MobileSessionSimulation
package import Terminal

/// `symbolon-lab bench phone`: the time of a mobile document's way from the code to the verdict on named links.
package enum PhoneBenchCommand {
    private static let seeds = ValueOption(
        "seeds", .integer("N", in: 1...1001), "Runs each row with so many seeds (50 if not given).")

    /// The bytes of the portraits: an answer of about 3.8 kB, and one of about 30 kB.
    private static let portraits = [2000, 29_000]

    package static let declaration = CommandDeclaration(
        "phone", "Measures the reading of mobile documents: links, modes and sizes.",
        discussion: [
            "Set-up and transfer are in virtual time and the same on every machine; a row is the median over the seeds. "
                + "The set-up runs from the code to State 01, the transfer from there to the whole answer, request and "
                + "device's proof included. The limit is what whole link-layer packets carry of the answer at the best ATT "
                + "MTU, which is measured beside the largest one of use, 515. The verification is in processor time of this machine: the answer of the row with the test "
                + "authority trusted."
        ],
        examples: [
            .init("symbolon-lab bench phone", "Measures every link, mode and size."),
            .init("symbolon-lab bench phone --link phone-4.2 --json", "Measures one link."),
        ],
        options: [Options.link.declaration, seeds.declaration])

    package static let run: Program.Body = { context in
        let count = context.arguments[seeds] ?? 50
        let links = LinkParameters.named.filter { link in
            context.arguments[Options.link].map { $0 == link.name } ?? true
        }
        let names = ["bytes", "link", "mode", "MTU", "set-up", "intervals", "transfer", "of limit", "verify", "total"]
        var report = BenchReport(context, names.map { .init($0, alignsRight: !["link", "mode"].contains($0)) })
        for portrait in portraits {
            for link in links {
                for mode in MobileMode.allCases {
                    for mtu in mtus(of: link.parameters) {
                        try Task.checkCancellation()
                        report.add(try await row(portrait, link, mode, mtu: mtu, seeds: count))
                    }
                }
            }
        }
        report.finish()
    }

    /// The MTU whose values fill the packets of a link best, and the largest that values of 512 bytes fill.
    private static func mtus(of link: LinkParameters) -> [Int] {
        Set([link.bestMTU, min(link.maximumMTU, 515)]).sorted()
    }

    @concurrent
    private static func row(
        _ portrait: Int, _ named: (name: String, parameters: LinkParameters), _ mode: MobileMode, mtu: Int, seeds: Int
    ) async throws -> BenchLine {
        let (name, link) = named
        var random = SeededRandom(seed: 1)
        let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
        let issuer = try TestMobileIssuer(at: time, random: &random)
        let document = try issuer.licence(
            portrait: TestMobileIssuer.portrait(byteCount: portrait), random: &random)
        let request = try MobileRequest(asking: "over-18,driving")
        var timings: [MobileReadingTiming] = []
        for seed in 1...UInt64(seeds) {
            let timing = try MobileReadingTiming(
                document, asking: request, mode: mode, mtu: mtu, link: link, seed: seed)
            guard let timing else {
                throw MobileSessionError(.sessionInternal, "Seed \(seed) on \(name) did not complete.")
            }
            timings.append(timing)
        }
        let bytes = timings[0].messageBytes
        let setup = TransferBenchCommand.median(timings.map(\.setup.inSeconds))
        let transfer = TransferBenchCommand.median(timings.map(\.transfer.inSeconds))
        let limit = Double(bytes) / link.limitBytesPerSecond
        let verification = try verificationSeconds(of: timings[0], trusting: issuer.authority, at: time)
        let intervals = setup * 1e6 / Double(link.intervalMicroseconds)
        let total = TransferBenchCommand.median(timings.map { ($0.setup + $0.transfer).inSeconds }) + verification
        return BenchLine(
            [
                NumberText.bytes(bytes), name, mode.rawValue, "\(mtu)", NumberText.decimal(setup, places: 3) + " s",
                NumberText.decimal(intervals, places: 1), NumberText.decimal(transfer, places: 3) + " s",
                NumberText.decimal(limit / transfer * 100, places: 1) + " %",
                NumberText.decimal(verification * 1000, places: 2) + " ms", NumberText.decimal(total, places: 3) + " s",
            ], of: "phone",
            [
                .init("messageBytes", .integer(bytes)), .init("link", .string(name)),
                .init("mode", .string(mode.rawValue)), .init("mtu", .integer(mtu)),
                .init("setupSeconds", .number(setup, places: 6)),
                .init("setupIntervals", .number(intervals, places: 3)),
                .init("transferSeconds", .number(transfer, places: 6)),
                .init("limitSeconds", .number(limit, places: 6)),
                .init("limitShare", .number(limit / transfer, places: 4)),
                .init("verificationSeconds", .number(verification, places: 6)),
                .init("totalSeconds", .number(total, places: 6)),
            ])
    }

    /// Returns the processor time of one verification, the least of ten times over twenty.
    private static func verificationSeconds(
        of timing: MobileReadingTiming, trusting authority: [UInt8], at time: WallTime
    ) throws -> Double {
        var trust = TrustStore()
        trust.roots = [
            TrustedRoot(
                certificate: authority, purpose: .mobileDocuments(types: [], country: TestMobileIssuer.country))
        ]
        var request = VerificationRequest(trust: trust, at: time)
        request.policy.requiresHolderProof = true
        request.policy.limits.maximumBytes = ReaderSession.maximumResponseBytes
        request.session = try MobileDocumentSession(
            transcript: timing.keys.transcript.bytes, agreementKey: timing.keys.ownKey)
        let verifier = MobileDocumentVerifier(request)
        var least = Double.infinity
        for _ in 0..<10 {
            let began = ThreadCPUTime.seconds
            for _ in 0..<20 {
                guard verifier.verify(timing.response).result == .genuine else {
                    throw MobileSessionError(.sessionInternal, "The answer was not found genuine.")
                }
            }
            least = min(least, (ThreadCPUTime.seconds - began) / 20)
        }
        return least
    }
}
