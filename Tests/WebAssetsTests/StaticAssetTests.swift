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

    @Test(arguments: [("page.css", "/assets/page.css"), ("page.js", "/assets/page.js"), ("status.html", "/status")])
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
        #expect(Assets.asset(at: "/assets/page.css/") == nil)
        #expect(Assets.asset(at: "page.css") == nil)
        #expect(Set(Assets.all.map(\.path)).count == Assets.all.count)
        #expect(StaticAsset(name: "page", path: "/", mediaType: "text/plain") == nil)
    }

    @Test func `a file is given with its type, its tag and the policy`() throws {
        let response = Assets.styleSheet.response(to: try request("/assets/page.css"))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(response.headers["ETag"] == Assets.styleSheet.entityTag)
        #expect(response.headers["Content-Security-Policy"] == PagePolicy().contentSecurityPolicy)
        #expect(response.headers.firstFault == nil)
        #expect(response.body == Assets.styleSheet.bytes)
    }

    @Test func `a browser that has the file is told so, and one that has another gets it`() throws {
        let tag = Assets.script.entityTag
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let response = Assets.script.response(to: try request("/assets/page.js", ifNoneMatch: known))
            #expect(response.status == 304)
            #expect(response.body == [])
            #expect(response.headers["ETag"] == tag)
        }
        for other in ["\"x\"", "", String(tag.dropLast()), String(repeating: ",", count: 4097) + tag] {
            #expect(Assets.script.response(to: try request("/assets/page.js", ifNoneMatch: other)).status == 200)
        }
    }

    @Test func `nothing in a page needs more than the strictest policy`() {
        let pages = Assets.all.filter { $0.mediaType.hasPrefix("text/html") }
        #expect(pages.count == 1)
        for page in pages {
            let text = String(decoding: page.bytes, as: UTF8.self)
            for forbidden in [
                "<style", " style=", " onclick", " onload", "javascript:", "http://", "https://", "<script>",
            ] {
                #expect(!text.contains(forbidden))
            }
            let linked = text.split(separator: "\"").filter { $0.hasPrefix("/assets/") }.map(String.init)
            #expect(!linked.isEmpty)
            #expect(linked.allSatisfy { Assets.asset(at: $0) != nil })
        }
        let script = String(decoding: Assets.script.bytes, as: UTF8.self)
        for forbidden in ["innerHTML", "eval(", "Function(", "document.write"] { #expect(!script.contains(forbidden)) }
    }
}
