import ByteCoding
import CryptoSuite
import Foundation
import JSON
import TestSupport
import Testing

@testable import Tuvali

/// The vectors of `Documentation/Profiles/request.md`, which an independent reader made.
@Suite struct RequestVectorTests {
    private let vectors: JSONValueReader

    init() throws {
        let file = OutsideVectors.packageRoot.appending(path: "Tests/Interop/request/vectors.json")
        vectors = JSONValueReader(try JSONValue(parsing: [UInt8](try Data(contentsOf: file))))
    }

    private func bytes(_ reader: JSONValueReader, _ name: String) throws -> [UInt8] {
        try #require(Hex.decode(try reader.string(name)))
    }

    private func context(of reader: JSONValueReader) throws -> SealedRequest.SealingContext {
        let keys = try SessionKeys(
            privateKey: Secret(copying: try bytes(reader, "verifierPrivateKey")),
            peerPublicKey: bytes(reader, "walletKey"))
        return SealedRequest.SealingContext(
            walletKey: keys.wallet,
            identify: IdentifyRequest(nonce: try bytes(reader, "nonce"), publicKey: try bytes(reader, "walletKey")),
            verifierKey: try bytes(reader, "verifierKey"))
    }

    @Test func `credential requests are sealed, cut into windows, read and opened as the profile's vectors say`() throws
    {
        let context = try context(of: vectors)
        for request in try vectors.elements("requests") {
            let sealed = try SealedRequest.seal(
                zipped: bytes(request, "gzip"), for: context, salt: bytes(request, "salt"))
            #expect(try sealed == bytes(request, "sealed"))
            let size = try bytes(request, "size")
            #expect(VerifierRequestSize(sealedBytes: UInt32(sealed.count)).bytes == size)
            for entry in try request.member("windows").object().members {
                let writeBytes = entry.name
                let expected = try JSONValueReader(entry.value).strings().map { try #require(Hex.decode($0)) }
                var server = VerifierRequestServer(sealed: sealed, readLimit: 4096)
                #expect(server.readSize(offset: 0) == .value(size, isLast: false))
                for (index, window) in expected.enumerated() {
                    let mtu = try #require(Int(writeBytes)) + 3
                    let isLast = index == expected.count - 1
                    #expect(server.readWindow(offset: 0, mtu: mtu) == .value(window, isLast: isLast))
                }
            }
            let message = try SealedRequest.open(sealed, for: context)
            #expect(try message.mediaType == request.string("mediaType"))
            #expect(try message.content == bytes(request, "content"))
        }
    }

    @Test(.shows("T8")) func `a request that the profile refuses ends a wallet's session with the code of the vectors`()
        throws
    {
        let cases = try vectors.elements("refused")
        #expect(cases.count == 16)
        let expected: [TuvaliError.Code] = [
            .walletRequestTooLarge, .walletRequestMalformed, .walletRequestNotAuthentic,
        ]
        #expect(try Set(cases.map { try "tuvali.wallet." + $0.string("code") }) == Set(expected.map(\.rawValue)))
        for entry in cases {
            var script = try WalletScript(configure: { $0.readsRequest = true })
            script.goToRequest()
            var windows = try entry.strings("windows").map { try #require(Hex.decode($0)) }
            var outputs = script.put(.valueRead(.requestSize, try bytes(entry, "size")))
            while outputs.reads == [.request] {
                let window = windows.isEmpty ? [] : windows.removeFirst()
                outputs = script.put(.valueRead(.request, window))
            }
            script.passToDeadline()
            let codes = script.said.endings.compactMap(\.error?.code.rawValue)
            let name = try entry.string("name")
            #expect(try codes == ["tuvali.wallet." + entry.string("code")], "\(name)")
            #expect(!script.said.events.contains(.secureChannelEstablished))
        }
    }

    @Test func `values of REQUEST_SIZE that announce nothing let the wallet go on at once`() throws {
        for text in try vectors.strings("notAnnounced") {
            var script = try WalletScript(configure: { $0.readsRequest = true })
            script.goToRequest()
            let outputs = script.put(.valueRead(.requestSize, try #require(Hex.decode(text))))
            #expect(outputs == [.event(.secureChannelEstablished)])
        }
    }
}
