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
    private var paths: [[UInt8]: String] = [:]

    /// Makes every file anew.
    init() throws {
        for item in try KitCases.all() {
            guard item.isMet(by: item.report) else {
                leftOut.append("\(item.format.rawValue): \(item.name)")
                continue
            }
            add(item)
        }
        let head = "{\"seed\":\(KitCases.seed),\"cases\":[\n"
        files["manifest.json"] = Array((head + lines.joined(separator: ",\n") + "\n]}\n").utf8)
    }

    private mutating func add(_ item: KitCase) {
        let trust = KitTrustFile(item.request)
        for (name, bytes) in trust.files { files["trust/" + name] = bytes }
        files["trust/" + trust.name] = Array(trust.text.utf8)
        let policy = item.request.policy
        let members: KeyValuePairs<String, JSONValue?> = [
            "file": .string(path(of: item)), "format": .string(item.format.rawValue),
            "recipe": item.recipe.map(JSONValue.string), "trust": .string("trust/" + trust.name),
            "time": .string(KitTrustFile.text(of: item.request.time)),
            "nonce": policy.nonce.map(JSONValue.string), "audience": policy.audience.map(JSONValue.string),
            "type": policy.types.first.map(JSONValue.string),
            "holder": policy.requiresHolderProof ? .bool(true) : nil,
            "result": .string(item.result.rawValue), "check": item.check.map { .string($0.rawValue) },
            "code": item.code.map { .string($0.rawValue) }, "why": .string(item.why),
        ]
        lines.append(JSONObject(present: members).text)
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

/// A line of the manifest as a verifier reads it.
struct KitEntry: Sendable {
    let file: String
    let format: String
    let result: CredentialReport.Result
    let check: String?
    let code: CredentialError.Code?
    let bytes: [UInt8]
    let request: VerificationRequest

    /// The entries of the manifest in the repository.
    static func all() throws -> [KitEntry] {
        let manifest = try JSONValue(parsing: try contents(of: "manifest.json"))
        var requests: [String: VerificationRequest] = [:]
        return try (manifest["cases"]?.array ?? []).map { try KitEntry($0, &requests) }
    }

    static func contents(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Kit.folder.appending(path: path)))
    }

    private init(_ value: JSONValue, _ requests: inout [String: VerificationRequest]) throws {
        file = value["file"]?.string ?? ""
        format = value["format"]?.string ?? ""
        result = CredentialReport.Result(rawValue: value["result"]?.string ?? "") ?? .notChecked
        check = value["check"]?.string
        code = value["code"]?.string.flatMap(CredentialError.Code.init(rawValue:))
        bytes = try Self.contents(of: file)
        let seconds = try CredentialTime.seconds(dateTime: value["time"]?.string ?? "", "The time")
        let path = value["trust"]?.string ?? ""
        var request: VerificationRequest
        if let known = requests[path] {
            request = known
        } else {
            let trust = try TrustFile(parsing: try Self.contents(of: path))
            var files: [String: [UInt8]] = [:]
            for name in trust.paths { files[name] = try Self.contents(of: "trust/" + name) }
            request = VerificationRequest(
                trust: try trust.store(files: files), at: WallTime(millisecondsSinceEpoch: 0))
            try trust.apply(to: &request.policy)
            requests[path] = request
        }
        request.time = WallTime(millisecondsSinceEpoch: Int64(seconds * 1000))
        request.policy.nonce = value["nonce"]?.string
        request.policy.audience = value["audience"]?.string
        request.policy.types = value["type"]?.string.map { [$0] } ?? []
        request.policy.requiresHolderProof = value["holder"]?.bool ?? false
        self.request = request
    }
}
