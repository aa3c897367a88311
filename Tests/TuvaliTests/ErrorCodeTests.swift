import TestSupport
import Testing
import Tuvali

@Suite struct ErrorCodeTests {
    @Test func `the fourteen documented codes all arise, each from a cause of ours`() {
        #expect(TuvaliWireCode.allCases.count == 14)
        let arising = Set(TuvaliError.Code.allCases.compactMap(\.wireCode))
        #expect(arising == Set(TuvaliWireCode.allCases))
    }

    @Test(.shows("TUV-070", "TUV-071", "TUV-072"))
    func `the role and the stage of a wire code are those that its letters say`() {
        for code in TuvaliWireCode.allCases {
            #expect(code.rawValue.split(separator: "_")[1] == code.stage.rawValue)
        }
        for code in TuvaliError.Code.allCases {
            guard let wire = code.wireCode, wire != .unknown else { continue }
            let isWallet = code.rawValue.hasPrefix("tuvali.wallet") || code.rawValue.hasPrefix("tuvali.uri")
            #expect(wire.rawValue.hasPrefix(isWallet ? "TVW" : "TVV"))
        }
    }

    @Test func `errors are equal when their codes are, whatever they say`() {
        #expect(TuvaliError(.linkLost, "a") == TuvaliError(.linkLost, "b"))
        #expect(TuvaliError(.linkLost, "a") != TuvaliError(.peerDisconnected, "a"))
        #expect("\(TuvaliError(.linkLost, "It broke."))" == "tuvali.session.link-lost: It broke.")
    }

    @Test(.shows("TUV-073")) func `a library that fails below gives the code for the unknown, without the role`() {
        #expect(TuvaliError(.sessionInternal, "").wireCode?.rawValue == "TUV_UNK_001")
    }
}
