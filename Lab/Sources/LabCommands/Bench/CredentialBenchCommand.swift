import ByteCoding
package import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import JSON
package import Terminal

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
    import Glibc
#endif

/// `symbolon-lab bench credentials`: verifying credentials of each format, beside the bare checks of signatures and
/// beside libraries in Python.
package enum CredentialBenchCommand {
    private static let kit = ValueOption(
        "kit", .path("FOLDER"), "The kit of credentials (Vectors/credentials if not given).")
    private static let rounds = ValueOption(
        "rounds", .integer("N", in: 3...1001), "Measures so many rounds of each (101 if not given).")
    private static let python = ValueOption(
        "python", .text("PYTHON"), "The Python that has the other libraries (\(usualPython) if not given).")

    private static let usualPython = ".build-interop/credentials/venv/bin/python"

    package static let declaration = CommandDeclaration(
        "credentials", "Measures verifying beside the bare checks of the signatures, and beside libraries in Python.",
        discussion: [
            "Good files of the kit, one of each format, with a trust store that names their issuer and made its key "
                + "before, as a verifier's does. The bare checks are those of libcrypto and libsodium, with keys "
                + "that are made before, for as many signatures as the credential has, over as many bytes. Both are run "
                + "in turn, round by round, and the median of the ratios is shown. The libraries in Python are measured "
                + "before, with their keys and contexts made before, where their Python is found."
        ],
        examples: [.init("symbolon-lab bench credentials --json", "Writes a JSON line for each format.")],
        options: [kit.declaration, rounds.declaration, python.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let folder = arguments[kit] ?? "Vectors/credentials"
        let rounds = arguments[rounds] ?? 101
        let cases = try KitCredential.measured(in: folder)
        let peers = await PythonVerifiers.measure(
            cases.map(\.file), kit: folder, rounds: rounds, python: arguments[python] ?? usualPython)
        var report = BenchReport(
            context,
            [
                .init("file"), .init("bytes", alignsRight: true), .init("µs", alignsRight: true),
                .init("bare checks", alignsRight: true), .init("µs", alignsRight: true),
                .init("ratio", alignsRight: true), .init("peer"), .init("µs", alignsRight: true),
                .init("faster", alignsRight: true),
            ])
        for credential in cases {
            report.add(line(try await measure(credential, rounds: rounds), peers[credential.file]))
        }
        report.finish()
    }

    /// The times of one credential.
    private struct Measurement {
        let credential: KitCredential
        let algorithms: [String]
        let seconds: [Double]
        let bareSeconds: [Double]

        var median: Double { TransferBenchCommand.median(seconds) }
        var bareMedian: Double { TransferBenchCommand.median(bareSeconds) }
        var ratio: Double { TransferBenchCommand.median(zip(seconds, bareSeconds).map { $0 / $1 }) }
    }

    @concurrent
    private static func measure(_ credential: KitCredential, rounds: Int) async throws -> Measurement {
        let verifier = CredentialVerifier(credential.request)
        let report = verifier.verify(credential.bytes)
        guard report.result == .genuine else {
            throw CommandError(.credentialRefused, "\(credential.file) is not genuine, so that it is not measured.")
        }
        let algorithms = report.signatureAlgorithms
        var bare: [BareSignatureCheck] = []
        for algorithm in algorithms {
            // Proofs over statements sign 64 bytes, or a header with them.
            bare.append(
                try BareSignatureCheck(algorithm, count: report.format == .linkedData ? 128 : credential.bytes.count))
        }
        var times: [[Double]] = [[], []]
        for round in 0...rounds {
            try Task.checkCancellation()
            // The order alternates between rounds; the first round warms up and is not counted.
            for isOurs in [round % 2 == 0, round % 2 == 1] {
                let start = ThreadCPUTime.seconds
                for _ in 0..<repetitions {
                    if isOurs {
                        try require(verifier.verify(credential.bytes).result == .genuine)
                    } else {
                        for check in bare { try require(check.holds) }
                    }
                }
                guard round > 0 else { continue }
                times[isOurs ? 0 : 1].append((ThreadCPUTime.seconds - start) / Double(repetitions))
            }
        }
        return Measurement(
            credential: credential, algorithms: algorithms, seconds: times[0], bareSeconds: times[1])
    }

    private static let repetitions = 10

    private static func require(_ holds: Bool) throws {
        guard holds else { throw CommandError(.credentialRefused, "A measured check does not hold.") }
    }

    private static func micro(_ seconds: Double) -> String { NumberText.decimal(seconds * 1e6, places: 1) }

    private static func line(_ measurement: Measurement, _ peer: PythonVerifiers.PythonVerificationTime?) -> BenchLine {
        let credential = measurement.credential
        let peerRatio = peer.map { $0.seconds / measurement.median }
        let row = [
            credential.file, NumberText.bytes(credential.bytes.count), micro(measurement.median),
            measurement.algorithms.joined(separator: " "), micro(measurement.bareMedian),
            NumberText.decimal(measurement.ratio, places: 2), peer?.library ?? "–",
            peer.map { micro($0.seconds) } ?? "–",
            peerRatio.map { NumberText.decimal($0, places: 1) } ?? "–",
        ]
        return BenchLine(
            row, of: "credentials",
            [
                .init("operation", .string(credential.file)), .init("bytes", .integer(credential.bytes.count)),
                .init("microseconds", .number(measurement.median * 1e6, places: 1)),
                .init("signatures", .array(measurement.algorithms.map { .string($0) })),
                .init("bareMicroseconds", .number(measurement.bareMedian * 1e6, places: 1)),
                .init("ratio", .number(measurement.ratio, places: 3)), .init("peer", .string(peer?.library)),
                .init("peerMicroseconds", .number(peer.map { $0.seconds * 1e6 }, places: 1)),
                .init("peerRatio", .number(peerRatio, places: 2)),
            ])
    }
}

extension CredentialReport {
    /// The algorithms of all signatures that were checked, those of certificates as ES256.
    fileprivate var signatureAlgorithms: [String] {
        let own = content.signatures.map(\.algorithm)
        // A chain of one certificate below a root is one signature more.
        let isCertified = format == .mobileDocument && !own.isEmpty
        return own + (isCertified ? ["ES256"] : []) + inner.flatMap(\.signatureAlgorithms)
    }
}

/// A file of the kit that is measured, with the request by which it is genuine.
private struct KitCredential: Sendable {
    let file: String
    let bytes: [UInt8]
    let request: VerificationRequest

    private static let files = [
        "jwt/good-a-credential-of-version-2-0.txt", "sd-jwt/good-without-the-holder-s-proof.txt",
        "sd-jwt/good-nested-and-array-disclosures-with-the-holder-s.txt", "cwt/good-a-token.cbor",
        "mdoc/good-a-whole-document.cbor", "json-ld/good-a-proof-over-statements.json",
        "json-ld/good-a-proof-over-json.json",
    ]

    static func measured(in folder: String) throws -> [KitCredential] {
        let manifest = try JSONValue(parsing: try BoundedFile.read(folder + "/manifest.json", limit: 4 << 20))
        let cases = (manifest["cases"]?.array ?? []).filter { $0["result"]?.string == "genuine" }
        return try files.map { file in
            guard let found = cases.first(where: { $0["file"]?.string == file }), let trust = found["trust"]?.string,
                let text = found["time"]?.string
            else { throw CommandError(.inputNotFound, "The kit in \(folder) has no file \(file).") }
            var policy = VerificationPolicy()
            let store = try TrustFileReader.load(folder + "/" + trust, into: &policy).store
            policy.nonce = found["nonce"]?.string
            policy.audience = found["audience"]?.string
            let seconds = try CredentialTime.seconds(dateTime: text, "The time of a case")
            let bytes = try BoundedFile.read(folder + "/" + file, limit: 1 << 20)
            var request = VerificationRequest(
                policy: policy, trust: store, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
            let issuer = CredentialVerifier(request).verify(bytes).content.issuer
            if let issuer, request.trust.issuer(issuer) == nil {
                request.trust.issuers.append(TrustedIssuer(issuer))
                request.trust.makeKeys()
            }
            return KitCredential(file: file, bytes: bytes, request: request)
        }
    }
}

/// A signature over bytes without meaning, checked with a key that is at hand.
private struct BareSignatureCheck: Sendable {
    private let message: [UInt8]
    private let signature: [UInt8]
    private let key: VerificationKey
    private let algorithm: SignatureAlgorithm

    init(_ name: String, count: Int) throws {
        var random = SeededRandom(seed: 1)
        message = (0..<count).map { _ in UInt8(random.within(0...255)) }
        switch name {
        case "EdDSA":
            let seed = Secret(copying: 0..<32)
            signature = try Ed25519.sign(message, seed: seed)
            (key, algorithm) = (.ed25519(try Ed25519.publicKey(for: seed)), .edDSA)
        default:
            let own = try ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: 1..<33))
            signature = try own.sign(message, hash: .sha256)
            (key, algorithm) = (.ecdsa(own.publicKey), .es256)
        }
    }

    var holds: Bool { (try? key.verify(signature, over: message, algorithm: algorithm)) != nil }
}

/// Measures libraries of others in a Python process.
private enum PythonVerifiers {
    /// The time that a library takes for one file.
    struct PythonVerificationTime: Sendable {
        let library: String
        let seconds: Double
    }

    private static let script = "Tests/Interop/credentials/time-peers.py"
    private static let secondsAllowed = 120

    /// Figures by file; empty where the libraries, or the sources, are not to be found.
    @concurrent
    static func measure(_ files: [String], kit: String, rounds: Int, python: String) async -> [String:
        PythonVerificationTime]
    {
        let contexts = FileManager.default.temporaryDirectory.path() + "/symbolon-contexts-\(getpid()).json"
        let documents = BuiltInJSONLDContexts.documents.sorted { $0.key < $1.key }
        var object = JSONObject()
        for (address, document) in documents { object[address] = document }
        guard FileManager.default.createFile(atPath: contexts, contents: Data(object.encoded)) else { return [:] }
        defer { try? FileManager.default.removeItem(atPath: contexts) }
        let arguments = [python, script, kit, contexts, "\(rounds)"] + files
        guard let output = ChildProcess.output(of: arguments, secondsAllowed: secondsAllowed) else { return [:] }
        var figures: [String: PythonVerificationTime] = [:]
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n").prefix(64) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let seconds = Double(words[2]), seconds > 0, seconds.isFinite else { continue }
            figures[words[0]] = PythonVerificationTime(library: words[1], seconds: seconds)
        }
        return figures
    }
}
