import Determinism
import Testing
import Tuvali

@testable import TuvaliCompatibility

@Suite struct EventTests {
    @Test func `compatibility events have the names and fields of the React Native module`() throws {
        let received = DataReceivedEvent(data: "x", crcFailureCount: 2, totalChunkCount: 5)
        #expect(received.type == "onDataReceived")
        #expect(received.fields["data"] as? String == "x")
        #expect(received.fields["crcFailureCount"] as? Int == 2)
        #expect(received.fields["totalChunkCount"] as? Int == 5)
        let status = VerificationStatusEvent(status: .REJECTED)
        #expect(status.type == "onVerificationStatusReceived")
        #expect(status.fields["status"] as? Int == 1)
        let error = ErrorEvent(message: "m", code: "TVW_CON_001")
        #expect(error.type == "onError")
        #expect(error.fields["message"] as? String == "m")
        #expect(error.fields["code"] as? String == "TVW_CON_001")
        let plain: [any Event] = [
            ConnectedEvent(), SecureChannelEstablishedEvent(), DataSentEvent(), DisconnectedEvent(),
        ]
        #expect(
            plain.map(\.type) == ["onConnected", "onSecureChannelEstablished", "onDataSent", "onDisconnected"])
        #expect(plain.allSatisfy { $0.fields.isEmpty })
    }

    @Test func `the error message of a failed transfer begins with chunk counts, of an earlier failure not`() {
        let emitted = Lock<[any Event]>([])
        let listeners = EventListeners()
        listeners.add { event in emitted.withLock { $0.append(event) } }
        var counts = Verifier.Counts()
        let early = TuvaliError(.verifierMTUTooSmall, "The MTU is 66.")
        Verifier.report(.error(early), &counts, to: listeners)
        Verifier.report(.announced(sealedBytes: 500, chunkCount: 9), &counts, to: listeners)
        for _ in 0..<3 {
            Verifier.report(.refused(TuvaliError(.verifierBadChunk, "A chunk.")), &counts, to: listeners)
        }
        Verifier.report(.refused(TuvaliError(.verifierForeignLink, "Another.")), &counts, to: listeners)
        let late = TuvaliError(.verifierTooManyMissingChunks, "8 of 9 chunks are missing.")
        Verifier.report(.error(late), &counts, to: listeners)
        let errors = emitted.withLock { $0.compactMap { $0 as? ErrorEvent } }
        #expect(
            errors == [
                ErrorEvent(message: "The MTU is 66.", code: "TVV_CON_001"),
                ErrorEvent(
                    message: "CRCFailureCount:3 TotalChunkCount:9 - 8 of 9 chunks are missing.", code: "TVV_TRA_002"),
            ])
    }

    @Test func `each session error has a wire code of wallet, verifier or neither`() {
        for code in TuvaliError.Code.allCases {
            let event = ErrorEvent(TuvaliError(code, "x"), orElse: .walletUnknown)
            #expect(TuvaliWireCode(rawValue: event.code) != nil)
        }
    }
}
