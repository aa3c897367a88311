import Bluetooth
import Determinism
import Simulation
import Testing

struct AirThroughputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let mtu: Int
        var parameters: LinkParameters
        var testDescription: String { "\(name), MTU \(mtu)" }
    }

    static let mtus = [23, 185, 247, 498, 512, 517]
    static let cases = LinkParameters.named.flatMap { name, parameters in
        (mtus + [parameters.bestMTU]).map { Case(name: name, mtu: $0, parameters: parameters) }
    }

    /// Value bytes a second that the peripheral got while the queue of the central was never empty.
    static func measure(
        _ parameters: LinkParameters, mtu: Int, opcode: UInt8 = 0x52, fromCentral: Bool = true, seconds: Double = 6
    ) throws -> Double {
        let frame = attFrame(opcode: opcode, pduBytes: mtu)
        let conditions = AirConditions(link: parameters)
        let flooder = Flooder(target: fromCentral ? Pair.address : nil, frame: frame)
        let listener = Listener(target: fromCentral ? nil : Pair.address)
        var pair = try #require(
            fromCentral
                ? Pair(central: flooder, peripheral: listener, conditions: conditions, trace: nil)
                : Pair(central: listener, peripheral: flooder, conditions: conditions, trace: nil))
        pair.world.run(until: .seconds(seconds + 2))
        let device = fromCentral ? pair.peripheral : pair.central
        let frames = try #require(pair.world.host(device, as: Listener.self)).log.frames
        let first = try #require(frames.first).at
        let period = MonotonicInstant(nanoseconds: first.nanoseconds + UInt64(seconds * 1e9))
        let count = frames.count { $0.at > first && $0.at <= period }
        return Double(count * (mtu - 3)) / seconds
    }

    @Test(arguments: cases)
    func `a full queue fills the link as the link's parameters say`(_ link: Case) throws {
        let measured = try Self.measure(link.parameters, mtu: link.mtu)
        let expected = link.parameters.bytesPerSecond(mtu: link.mtu)
        #expect(abs(measured / expected - 1) < 0.02, "\(measured) instead of \(expected)")
    }
}
