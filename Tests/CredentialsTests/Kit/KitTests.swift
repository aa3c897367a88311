import JSON
import TestSupport
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The kit of forgeries: made anew it is the same, and the verifier answers each file as the manifest says.
@Suite struct KitTests {
    private static var isRegenerating: Bool {
        ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] != nil
    }

    @Test func `the files of the kit are those that the seed gives, byte for byte`() throws {
        let kit = try Kit()
        #expect(kit.leftOut == Self.leftOut)
        let manager = FileManager.default
        if Self.isRegenerating {
            let old = try manager.subpathsOfDirectory(atPath: Kit.folder.path())
            for path in old where kit.files[path] == nil && path.contains("/") {
                try? manager.removeItem(at: Kit.folder.appending(path: path))
            }
            for (path, bytes) in kit.files {
                let place = Kit.folder.appending(path: path)
                try manager.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: place)
            }
        }
        let found = try manager.subpathsOfDirectory(atPath: Kit.folder.path())
        let names = found.filter { $0.contains(".") && $0 != "README.md" }
        #expect(Set(names) == Set(kit.files.keys))
        for (path, bytes) in kit.files where (try? KitEntry.contents(of: path)) != bytes {
            Issue.record("\(path) differs")
        }
        #expect(kit.files.values.reduce(0) { $0 + $1.count } < 6 << 20)
    }

    /// Forgeries that the kit leaves out, because a file and a trust file cannot express them.
    static let leftOut: [String] = []

    @Test func `no forgery is genuine, no good credential is refused, and each is found for its code`() throws {
        let entries = try KitEntry.all()
        for entry in entries {
            let report = CredentialVerifier(entry.request).verify(entry.bytes)
            let found = report.checks.filter { $0.outcome != .passed }.map {
                "\($0.code?.rawValue ?? ""): \($0.reason)"
            }
            #expect(report.result == entry.result, "\(entry.file) \(found)")
            #expect(entry.code.map(report.carries) ?? true, "\(entry.file) \(found)")
            #expect(KitAnswers.answers(report) == entry.answers, "\(entry.file)")
            #expect(entry.shows.map { $0 == KitAnswers.shows(report) } ?? true, "\(entry.file)")
        }
    }

    @Test func `each trust file of the kit gives what the manifest says, or is refused for its mistake`() throws {
        let files = try KitTrustText.all()
        for file in files {
            let outcome = try file.outcome()
            #expect(outcome == file.expected, "\(file.path) \(outcome.text)")
        }
        #expect(files.count >= 100)
    }

    @Test func `the kit has at least 300 forgeries and good credentials of each format, as its page counts them`()
        throws
    {
        let entries = try KitEntry.all()
        let page = String(decoding: try KitEntry.contents(of: "README.md"), as: UTF8.self)
        for format in CredentialFormat.allCases where format != .unknown {
            let cases = entries.filter { $0.format == format.rawValue }
            let counts = CredentialReport.CredentialVerdict.allCases.map { result in cases.count { $0.result == result }
            }
            let numbers = ([cases.count] + counts).map(String.init).joined(separator: " | ")
            let isCounted = page.contains("| `\(format.rawValue)` | \(numbers) |")
            #expect(isCounted, "\(format) \(numbers)")
        }
        #expect(entries.count { $0.result != .genuine } >= 300)
        for format in CredentialFormat.allCases where format != .unknown {
            #expect(entries.contains { $0.format == format.rawValue && $0.result == .genuine }, "\(format)")
            #expect(entries.contains { $0.format == format.rawValue && $0.result == .refused }, "\(format)")
        }
    }
}
