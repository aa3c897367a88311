import ByteCoding
import Credentials
import Determinism
import Foundation
import JSON
import TestSupport
import Testing

@testable import Presentations

/// The vectors for sections 7 and 8 of `Documentation/Profiles/request.md`, which an independent reader made.
@Suite struct ProfileVectorTests {
    private let vectors: JSONValueReader
    private let channel: ChannelBinding
    private let time: WallTime

    init() throws {
        let file = OutsideVectors.packageRoot.appending(path: "Tests/Interop/request/vectors.json")
        vectors = JSONValueReader(try JSONValue(parsing: [UInt8](try Data(contentsOf: file))))
        channel = ChannelBinding(
            verifierKey: try #require(Hex.decode(try vectors.string("verifierKey"))),
            walletKey: try #require(Hex.decode(try vectors.string("walletKey"))))
        let seconds = try #require(try vectors.member("time").value.number?.double)
        time = WallTime(millisecondsSinceEpoch: Int64(seconds) * 1000)
    }

    private func request(_ entry: JSONValueReader) throws -> PresentationRequest {
        var trust = TrustStore()
        if entry.value["pinned"] != nil { trust.issuers = try entry.strings("pinned").map { TrustedIssuer($0) } }
        if entry.value["roots"] != nil {
            trust.roots = try entry.strings("roots").map {
                TrustedRoot(certificate: try #require(Hex.decode($0)), purpose: .tokens(issuers: [], types: []))
            }
        }
        for member in entry.value["keys"]?.object?.members ?? [] {
            let parts = try #require(member.value.array)
            let document: JSONValue = [
                "id": .string(member.name), "type": "JsonWebKey2020", "publicKeyJwk": parts[1],
            ]
            trust.keys.append(
                PinnedKey(address: member.name, document: document, issuers: [try #require(parts[0].string)]))
        }
        let parser = PresentationRequestParser(
            VerificationRequest(trust: trust, at: time), acceptsUnbound: entry.value["acceptsUnbound"] == true)
        return try parser.request(
            mediaType: entry.string("mediaType"), content: Array(entry.string("content").utf8), over: channel)
    }

    private func code(_ body: () throws -> Void) throws -> String {
        do {
            try body()
            return "taken"
        } catch let error as PresentationError {
            return error.code.rawValue
        }
    }

    @Test(.shows("T2")) func `request objects are accepted or refused with the codes of the profile's vectors`() throws
    {
        let entries = try vectors.elements("requestObjects")
        #expect(entries.count == 45)
        for entry in entries {
            let name = try entry.string("name")
            let found = try code {
                let signer =
                    switch try request(entry).signer {
                    case .unsigned: "unsigned"
                    case .unknown(let name): "unknown \(name)"
                    case .known(let name): "known \(name)"
                    }
                #expect(try signer == entry.string("signer"), "\(name)")
            }
            #expect(try found == entry.string("code"), "\(name)")
        }
    }

    @Test(.shows("T2", "T5")) func `answers are accepted or refused with the codes of the profile's vectors`() throws {
        let asked = try vectors.string("asked")
        let entry = try #require(try vectors.elements("requestObjects").first { try $0.string("name") == asked })
        let checker = PresentationAnswerChecker(
            try request(entry), over: channel, VerificationRequest(trust: TrustStore(), at: time))
        let entries = try vectors.elements("answers")
        #expect(entries.count == 11)
        for entry in entries {
            let found = try code {
                if case .refused(let refusal) = try checker.check(Array(entry.string("payload").utf8)) {
                    throw refusal.error
                }
            }
            let name = try entry.string("name")
            #expect(try found == entry.string("code"), "\(name)")
        }
    }
}
