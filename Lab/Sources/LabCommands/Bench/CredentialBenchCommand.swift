import ByteCoding
import Codes
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

    private static let codes = ValueOption(
        "codes", .path("FILE"), "Measures the printed codes that a file in JSON lists, and not the kit.")

    private static let usualPython = ".build-interop/credentials/venv/bin/python"

    package static let declaration = CommandDeclaration(
        "credentials", "Measures verifying beside the bare checks of the signatures, and beside libraries in Python.",
        discussion: [
            "Good files of the kit, one of each format, with a trust store that names their issuer and made its key "
                + "before, as a verifier's does. The bare checks are those of libcrypto and libsodium, with keys "
                + "that are made before, for as many signatures as the credential has, over as many bytes. Both are run "
                + "in turn, round by round, and the median of the ratios is shown. The libraries in Python are measured "
                + "before, with their keys and contexts made before, where their Python is found.",
            "With --codes, FILE is an array of objects, each of codes of one kind: name, trust (the path of a trust file), "
                + "time and texts. A figure is the mean of its codes, from the text to the verdict; each must have a "
                + "signature that is good. Tests/Interop/codes/timing.py makes such a file.",
        ],
        examples: [.init("symbolon-lab bench credentials --json", "Writes a JSON line for each format.")],
        options: [kit.declaration, rounds.declaration, python.declaration, codes.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let folder = arguments[kit] ?? "Vectors/credentials"
        let rounds = arguments[rounds] ?? 101
        let printed = try arguments[codes].map { try MeasuredCredentials.codes(in: $0) }
        let cases = try printed ?? MeasuredCredentials.kit(in: folder)
        let peers =
            printed == nil
            ? await PythonVerifiers.measure(
                cases.map(\.name), kit: folder, rounds: rounds, python: arguments[python] ?? usualPython) : [:]
        var report = BenchReport(
            context,
            [
                .init("file"), .init("bytes", alignsRight: true), .init("µs", alignsRight: true),
                .init("bare checks", alignsRight: true), .init("µs", alignsRight: true),
                .init("ratio", alignsRight: true), .init("peer"), .init("µs", alignsRight: true),
                .init("faster", alignsRight: true),
            ])
        for credential in cases {
            report.add(line(try await measure(credential, rounds: rounds), peers[credential.name]))
        }
        report.finish()
    }

    /// The times of one verification, on average over the credentials.
    private struct Measurement {
        let credentials: MeasuredCredentials
        let algorithms: [String]
        let seconds: [Double]
        let bareSeconds: [Double]

        var median: Double { TransferBenchCommand.median(seconds) }
        var bareMedian: Double { TransferBenchCommand.median(bareSeconds) }
        var ratio: Double { TransferBenchCommand.median(zip(seconds, bareSeconds).map { $0 / $1 }) }
    }

    @concurrent
    private static func measure(_ credentials: MeasuredCredentials, rounds: Int) async throws -> Measurement {
        var makers = BareSignatureCheck.Makers()
        var bare: [BareSignatureCheck] = []
        var algorithms: [String] = []
        for bytes in credentials.inputs {
            let report = credentials.report(of: bytes)
            let found = report.signatureAlgorithms
            guard credentials.isMeasured(report), !found.isEmpty else {
                throw CommandError(
                    .credentialRefused,
                    "A credential of \(credentials.name) is not genuine, so that it is not measured.")
            }
            // Proofs over statements sign 64 bytes, or a header with them.
            let count = report.format == .linkedData ? 128 : bytes.count
            for algorithm in found { bare.append(try makers.check(algorithm, count: count)) }
            if credentials.inputs.count == 1 {
                algorithms = found
            } else {
                algorithms += Set(found).subtracting(algorithms)
            }
        }
        let repetitions = max(1, leastVerifications / credentials.inputs.count)
        let count = Double(repetitions * credentials.inputs.count)
        var times: [[Double]] = [[], []]
        for round in 0...rounds {
            try Task.checkCancellation()
            // The order alternates between rounds; the first round warms up and is not counted.
            for isOurs in [round % 2 == 0, round % 2 == 1] {
                let start = ThreadCPUTime.seconds
                for _ in 0..<repetitions {
                    if isOurs {
                        for bytes in credentials.inputs {
                            try require(credentials.isMeasured(credentials.report(of: bytes)))
                        }
                    } else {
                        for check in bare { try require(check.holds) }
                    }
                }
                guard round > 0 else { continue }
                times[isOurs ? 0 : 1].append((ThreadCPUTime.seconds - start) / count)
            }
        }
        return Measurement(
            credentials: credentials, algorithms: algorithms.sorted(), seconds: times[0], bareSeconds: times[1])
    }

    /// The fewest verifications of a round.
    private static let leastVerifications = 10

    private static func require(_ holds: Bool) throws {
        guard holds else { throw CommandError(.credentialRefused, "A measured check does not hold.") }
    }

    private static func micro(_ seconds: Double) -> String { NumberText.decimal(seconds * 1e6, places: 1) }

    private static func line(_ measurement: Measurement, _ peer: PythonVerifiers.PythonVerificationTime?) -> BenchLine {
        let credentials = measurement.credentials
        let peerRatio = peer.map { $0.seconds / measurement.median }
        let row = [
            credentials.name, NumberText.bytes(credentials.meanBytes), micro(measurement.median),
            measurement.algorithms.joined(separator: " "), micro(measurement.bareMedian),
            NumberText.decimal(measurement.ratio, places: 2), peer?.library ?? "–",
            peer.map { micro($0.seconds) } ?? "–",
            peerRatio.map { NumberText.decimal($0, places: 1) } ?? "–",
        ]
        return BenchLine(
            row, of: "credentials",
            [
                .init("operation", .string(credentials.name)), .init("bytes", .integer(credentials.meanBytes)),
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

/// Credentials that are measured together, with the request by which each is verified.
private struct MeasuredCredentials: Sendable {
    let name: String
    let inputs: [[UInt8]]
    let request: VerificationRequest
    /// True for the texts of codes.
    var isCode = false

    /// The most bytes of a file that lists codes.
    private static let maximumListBytes = 16 << 20
    private static let files = [
        "jwt/good-a-credential-of-version-2-0.txt", "sd-jwt/good-without-the-holder-s-proof.txt",
        "sd-jwt/good-nested-and-array-disclosures-with-the-holder-s.txt", "cwt/good-a-token.cbor",
        "mdoc/good-a-whole-document.cbor", "json-ld/good-a-proof-over-statements.json",
        "json-ld/good-a-proof-over-json.json",
    ]

    var meanBytes: Int { inputs.reduce(0) { $0 + $1.count } / max(1, inputs.count) }

    func report(of bytes: [UInt8]) -> CredentialReport {
        isCode ? CodeVerifier(request).verify(bytes).credential : CredentialVerifier(request).verify(bytes)
    }

    /// True for a genuine credential, and for a code whose signature is good: many codes of others have expired.
    func isMeasured(_ report: CredentialReport) -> Bool {
        report.result == .genuine || isCode && report.content.signatures.contains(where: \.isValid)
    }

    /// Reads the good files of the kit, one or two of each format.
    static func kit(in folder: String) throws -> [MeasuredCredentials] {
        let manifest = try JSONValue(
            parsing: try BoundedFile.read(folder + "/manifest.json", limit: 4 << 20),
            limits: JSONLimits(maximumBytes: 4 << 20))
        let cases = (manifest["cases"]?.array ?? []).filter { $0["result"]?.string == "genuine" }
        return try files.map { file in
            guard let found = cases.first(where: { $0["file"]?.string == file }), let trust = found["trust"]?.string,
                let time = found["time"]?.string
            else { throw CommandError(.inputNotFound, "The kit in \(folder) has no file \(file).") }
            var request = try request(trust: folder + "/" + trust, time: time)
            request.policy.nonce = found["nonce"]?.string
            request.policy.audience = found["audience"]?.string
            let bytes = try BoundedFile.read(folder + "/" + file, limit: 1 << 20)
            let issuer = CredentialVerifier(request).verify(bytes).content.issuer
            if let issuer, request.trust.issuer(issuer) == nil {
                request.trust.issuers.append(TrustedIssuer(issuer))
                request.trust.makeKeys()
            }
            return MeasuredCredentials(name: file, inputs: [bytes], request: request)
        }
    }

    /// Reads a list of codes.
    static func codes(in path: String) throws -> [MeasuredCredentials] {
        let bytes = try BoundedFile.read(path, limit: maximumListBytes)
        let limits = JSONLimits(maximumBytes: maximumListBytes)
        return try (JSONValue(parsing: bytes, limits: limits).array ?? []).map { entry in
            let texts = (entry["texts"]?.array ?? []).compactMap(\.string)
            guard let name = entry["name"]?.string, let trust = entry["trust"]?.string,
                let time = entry["time"]?.string, !texts.isEmpty
            else { throw CommandError(.inputNotFound, "An entry of \(path) lacks name, trust, time or texts.") }
            return MeasuredCredentials(
                name: name, inputs: texts.map { Array($0.utf8) }, request: try request(trust: trust, time: time),
                isCode: true)
        }
    }

    private static func request(trust: String, time: String) throws -> VerificationRequest {
        var policy = VerificationPolicy()
        let store = try TrustFileReader.load(trust, into: &policy).store
        let seconds = try CredentialTime.seconds(dateTime: time, "The time of a case")
        return VerificationRequest(
            policy: policy, trust: store, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
    }
}

/// A signature over bytes without meaning, checked with a key that is at hand.
private struct BareSignatureCheck: Sendable {
    /// Keys that sign, each made once.
    struct Makers {
        private var random = SeededRandom(seed: 1)
        private var rsa: RSA.PrivateKey?

        /// Makes a check of a signature over `count` bytes; an algorithm that is not measured counts as ES256.
        mutating func check(_ name: String, count: Int) throws -> BareSignatureCheck {
            let message = (0..<count).map { _ in UInt8(random.within(0...255)) }
            switch name {
            case "EdDSA", "Ed25519":
                let seed = Secret(copying: 0..<32)
                return BareSignatureCheck(
                    message: message, signature: try Ed25519.sign(message, seed: seed),
                    key: .ed25519(try Ed25519.publicKey(for: seed)), algorithm: .edDSA)
            case "PS256", "RS256":
                let own = try rsa ?? RSA.PrivateKey.make(bitCount: 2048, from: &random)
                rsa = own
                let salt = (0..<32).map { _ in UInt8(random.within(0...255)) }
                return BareSignatureCheck(
                    message: message,
                    signature: name == "PS256"
                        ? try own.signPSS(message, hash: .sha256, salt: salt)
                        : try own.signPKCS1(message, hash: .sha256),
                    key: .rsa(own.publicKey), algorithm: name == "PS256" ? .ps256 : .rs256)
            default:
                let own = try ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: 1..<33))
                return BareSignatureCheck(
                    message: message, signature: try own.sign(message, hash: .sha256), key: .ecdsa(own.publicKey),
                    algorithm: .es256)
            }
        }
    }

    let message: [UInt8]
    let signature: [UInt8]
    let key: VerificationKey
    let algorithm: SignatureAlgorithm

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
