import Determinism
import JSON
import TestSupport

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The kit of forgeries as files: `Vectors/credentials`.
struct Kit {
    static var folder: URL { OutsideVectors.packageRoot.appending(path: "Vectors/credentials") }

    /// The files below the folder, by path.
    private(set) var files: [String: [UInt8]] = [:]
    /// The cases that the kit does not hold, because no file and trust file can say what they change.
    private(set) var leftOut: [String] = []
    private var lines: [String] = []
    private var trustLines: [String] = []
    private var paths: [[UInt8]: String] = [:]

    /// Makes every file anew.
    init() throws {
        for item in try KitCases.all() {
            let report = item.report
            guard item.isMet(by: report) else {
                let codes = Set(report.checks.compactMap(\.code?.rawValue)).sorted().joined(separator: " ")
                leftOut.append("\(item.kind): \(item.name) (\(report.result) \(codes))")
                continue
            }
            add(item, report)
        }
        for (name, bytes) in KitTrustText.files { files[KitTrustText.folder + name] = bytes }
        for text in KitTrustText.good { add(trust: text, isGood: true) }
        for text in KitTrustText.bad { add(trust: text, isGood: false) }
        let head = "{\"seed\":\(KitCases.seed),\"cases\":[\n"
        files["manifest.json"] = Array(
            (head + lines.joined(separator: ",\n") + "\n],\"trust-lines\":[\n"
                + trustLines.joined(separator: ",\n") + "\n]}\n").utf8)
    }

    /// Adds a trust file without a credential.
    private mutating func add(trust text: String, isGood: Bool) {
        let bytes = Array(text.utf8)
        let path = KitTrustText.folder + KitTrustFile.name(of: bytes, "txt")
        let outcome = KitTrustText.outcome(bytes) { KitTrustText.files[$0] }
        guard (outcome["code"] == nil) == isGood else {
            leftOut.append("\(text): \(outcome.text)")
            return
        }
        files[path] = bytes
        trustLines.append(JSONObject(present: ["trust": .string(path), "gives": outcome]).text)
    }

    private mutating func add(_ item: KitCase, _ report: CredentialReport) {
        let trust = KitTrustFile(item.request)
        for (name, bytes) in trust.files { files["trust/" + name] = bytes }
        files["trust/" + trust.name] = Array(trust.text.utf8)
        let policy = item.request.policy
        let transcript = item.request.session.map { path(ofSession: item.transcript ?? $0.transcript, "cbor") }
        let readerKey = item.readerKey.map { path(ofSession: $0, "json") }
        let shows: JSONValue? = item.result == .genuine ? .some(KitAnswers.shows(report)) : .none
        let members: KeyValuePairs<String, JSONValue?> = [
            "file": .string(path(of: item)), "format": .string(item.kind),
            "recipe": item.recipe.map(JSONValue.string), "trust": .string("trust/" + trust.name),
            "time": .string(KitTrustFile.text(of: item.request.time)),
            "nonce": policy.nonce.map(JSONValue.string), "audience": policy.audience.map(JSONValue.string),
            "type": policy.types.first.map(JSONValue.string),
            "holder": policy.requiresHolderProof ? .bool(true) : nil,
            "transcript": transcript.map(JSONValue.string), "reader-key": readerKey.map(JSONValue.string),
            "policy": item.policy, "decision": item.decision.map(JSONValue.string),
            "result": .string(item.result.rawValue), "answers": KitAnswers.answers(report),
            "shows": shows, "check": item.check.map { .string($0.rawValue) },
            "code": item.code.map { .string($0.rawValue) }, "why": .string(item.why),
        ]
        lines.append(JSONObject(present: members).text)
    }

    private mutating func path(ofSession bytes: [UInt8], _ suffix: String) -> String {
        let path = "sessions/" + KitTrustFile.name(of: bytes, suffix)
        files[path] = bytes
        return path
    }

    /// The path of the case's file; cases of the same bytes share one.
    private mutating func path(of item: KitCase) -> String {
        if let path = paths[item.bytes] { return path }
        var path = "\(item.stem).\(item.suffix)"
        var number = 2
        while files[path] != nil {
            path = "\(item.stem)-\(number).\(item.suffix)"
            number += 1
        }
        files[path] = item.bytes
        paths[item.bytes] = path
        return path
    }
}
