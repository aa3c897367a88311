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

    @Test func `the compiled-in style sheet equals the file in the sources`() throws {
        let expected = try file("status.css")
        #expect(PageAssets.statusStyle.bytes == expected)
        #expect(PageAssets.statusStyle.entityTag == "\"\(Hex.encode(SHA256.hash(expected).prefix(16)))\"")
    }

    @Test func `a static asset is found only by the name of a file`() {
        for name in ["status", "status.css/", ""] {
            #expect(StaticAsset(name: name, path: "/", mediaType: "text/plain") == nil)
        }
    }

    @Test func `a static asset is served with its media type, entity tag and policy`() throws {
        let response = PageAssets.statusStyle.response(to: try request("/assets/status.css"))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(response.headers["ETag"] == PageAssets.statusStyle.entityTag)
        #expect(response.headers["Content-Security-Policy"] == PageSecurityPolicy().contentSecurityPolicy)
        #expect(response.headers.firstFault == nil)
        #expect(response.body == PageAssets.statusStyle.bytes)
    }

    @Test func `a browser with the current asset gets 304, and one with an older asset gets the file`() throws {
        let tag = PageAssets.statusStyle.entityTag
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let response = PageAssets.statusStyle.response(to: try request("/assets/status.css", ifNoneMatch: known))
            #expect(response.status == 304)
            #expect(response.body == [])
            #expect(response.headers["ETag"] == tag)
        }
        for other in ["\"x\"", "", String(tag.dropLast()), String(repeating: ",", count: 4097) + tag] {
            #expect(
                PageAssets.statusStyle.response(to: try request("/assets/status.css", ifNoneMatch: other)).status == 200
            )
        }
    }

    @Test func `no style sheet loads another resource`() {
        let text = String(decoding: PageAssets.statusStyle.bytes, as: UTF8.self)
        for forbidden in ["url(", "@import", "//"] { #expect(!text.contains(forbidden), "\(forbidden)") }
    }
}
