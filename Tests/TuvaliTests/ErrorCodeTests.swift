import TestSupport
import Testing
import Tuvali

@Suite struct ErrorCodeTests {
    @Test func `each of the fourteen documented wire codes is produced by an error code`() {
        #expect(TuvaliWireCode.allCases.count == 14)
        let arising = Set(TuvaliError.Code.allCases.compactMap(\.wireCode))
        #expect(arising == Set(TuvaliWireCode.allCases))
    }

    @Test(.shows("TUV-070", "TUV-071", "TUV-072"))
    func `the role and stage in a wire code's letters match those of its error codes`() {
        for code in TuvaliWireCode.allCases {
            #expect(code.rawValue.split(separator: "_")[1] == code.stage.rawValue)
        }
        for code in TuvaliError.Code.allCases {
            guard let wire = code.wireCode, wire != .unknown else { continue }
            let isWallet = code.rawValue.hasPrefix("tuvali.wallet") || code.rawValue.hasPrefix("tuvali.uri")
            #expect(wire.rawValue.hasPrefix(isWallet ? "TVW" : "TVV"))
        }
    }

    @Test func `Tuvali errors are equal when their codes are, whatever they say`() {
        #expect(TuvaliError(.linkLost, "a") == TuvaliError(.linkLost, "b"))
        #expect(TuvaliError(.linkLost, "a") != TuvaliError(.peerDisconnected, "a"))
        #expect("\(TuvaliError(.linkLost, "It broke."))" == "tuvali.session.link-lost: It broke.")
    }

    @Test(.shows("TUV-073")) func `a failure of a library below Tuvali gives the unknown wire code without a role`() {
        #expect(TuvaliError(.sessionInternal, "").wireCode?.rawValue == "TUV_UNK_001")
    }
}
