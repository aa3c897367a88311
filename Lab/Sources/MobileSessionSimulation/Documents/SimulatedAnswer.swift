import CBOR
import Determinism
import MobileSession

/// The answer of a simulated holder: a document of the test authority, or one of no issuer where that does not fit in.
struct SimulatedAnswer: Sendable {
    private let plan: MobileTrialPlan
    private let seed: UInt64
    private let document: SimulatedDocument?

    /// Makes the answer of a plan; throws the errors of issuing a document.
    init(_ plan: MobileTrialPlan, seed: UInt64) throws {
        self.plan = plan
        self.seed = seed
        let hasDocument = plan.messageBytes >= MobileTrialPlan.leastDocumentBytes
        document =
            hasDocument
            ? try SimulatedDocument(plan.keys.proof, in: plan.keys.curve, forgery: plan.forgery, seed: seed) : nil
    }

    /// Returns the answer in a session; its encrypted message has as many bytes as the plan says, or as few as it can.
    func encoded(in keys: MobileSessionKeys) -> [UInt8] {
        switch plan.deviation {
        case .answerVersionTwo: return CBORItem.map([.text("version"): .text("2.0"), .text("status"): .int(0)]).encoded
        case .answerStatusTwelve: return DeviceResponse.encoded(documents: [], status: 12)
        case .answerEmpty: return DeviceResponse.encoded(documents: [])
        default: break
        }
        guard let document else { return padded(plan.messageBytes) { Self.unsigned($0, seed) } }
        guard let documents = try? document.documents(in: keys) else { return [] }
        return padded(plan.messageBytes) { Self.response(documents, padding: $0) }
    }

    private static func response(_ documents: [CBORItem], padding count: Int) -> [UInt8] {
        var members: [[CBORItem]] = [[.text("version"), .text("1.0")], [.text("documents"), .array(documents)]]
        // A member that readers do not know.
        if count > 0 { members.append([.text("org.example.padding"), .bytes([UInt8](repeating: 0x2E, count: count))]) }
        return CBORItem.ordered(members + [[.text("status"), .int(0)]]).encoded
    }

    private static func unsigned(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return DeviceResponse.encoded(documents: [
            .ordered([[.text("docType"), .text("d")], [.text("x"), .bytes(random.bytes(count: max(8, count)))]])
        ])
    }

    private func padded(_ messageBytes: Int, _ make: (Int) -> [UInt8]) -> [UInt8] {
        func excess(_ answer: [UInt8]) -> Int {
            CBORItem.ordered([[.text("data"), .bytes([UInt8](repeating: 0, count: answer.count + 16))]]).encoded.count
                - messageBytes
        }
        var count = 0
        var answer = make(count)
        for _ in 0..<4 where excess(answer) != 0 {
            count = max(0, count - excess(answer))
            answer = make(count)
        }
        return answer
    }
}
