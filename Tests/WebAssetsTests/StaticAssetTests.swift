import ByteCoding
import CryptoSuite
import Foundation
import Testing
import WebTransport

@testable import WebAssets

@Suite struct StaticAssetTests {
    /// The file as it lies in the sources.
    private func file(_ name: String) throws -> [UInt8] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: package.appendingPathComponent("Sources/Runtime/CAssets/Files/\(name)")))
    }

    private func request(_ path: String, ifNoneMatch: String? = nil) throws -> HTTPRequest {
        var request = HTTPRequest(.get, try RequestTarget(parsing: path))
        request.headers["If-None-Match"] = ifNoneMatch
        return request
    }

    @Test(arguments: [("status.css", "/assets/status.css")])
    func `what was compiled in is what lies in the sources`(name: String, path: String) throws {
        let asset = try #require(Assets.asset(at: path))
        let expected = try file(name)
        #expect(asset.bytes == expected)
        #expect(asset.count == expected.count)
        #expect(
            asset.withBytes { span in (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) } }
                == expected)
        #expect(asset.entityTag == "\"\(Hex.encode(SHA256.hash(expected).prefix(16)))\"")
    }

    @Test func `no other path has a file, and no path has two`() {
        #expect(Assets.asset(at: "/assets/") == nil)
        #expect(Assets.asset(at: "/assets/status.css/") == nil)
        #expect(Assets.asset(at: "status.css") == nil)
        #expect(Set(Assets.all.map(\.path)).count == Assets.all.count)
        #expect(StaticAsset(name: "status", path: "/", mediaType: "text/plain") == nil)
    }

    @Test func `a file is given with its type, its tag and the policy`() throws {
        let response = Assets.statusStyle.response(to: try request("/assets/status.css"))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(response.headers["ETag"] == Assets.statusStyle.entityTag)
        #expect(response.headers["Content-Security-Policy"] == PagePolicy().contentSecurityPolicy)
        #expect(response.headers.firstFault == nil)
        #expect(response.body == Assets.statusStyle.bytes)
    }

    @Test func `a browser with the current file gets 304, and one with an older file gets the file`() throws {
        let tag = Assets.statusStyle.entityTag
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let response = Assets.statusStyle.response(to: try request("/assets/status.css", ifNoneMatch: known))
            #expect(response.status == 304)
            #expect(response.body == [])
            #expect(response.headers["ETag"] == tag)
        }
        for other in ["\"x\"", "", String(tag.dropLast()), String(repeating: ",", count: 4097) + tag] {
            #expect(
                Assets.statusStyle.response(to: try request("/assets/status.css", ifNoneMatch: other)).status == 200)
        }
    }

    @Test func `no style sheet loads anything`() {
        for asset in Assets.all where asset.mediaType.hasPrefix("text/css") {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            for forbidden in ["url(", "@import", "//"] { #expect(!text.contains(forbidden), "\(asset.path)") }
        }
    }
}
