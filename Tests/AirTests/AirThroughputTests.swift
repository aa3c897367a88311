import Air
import Bluetooth
import Determinism
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
        _ parameters: LinkParameters, mtu: Int, opcode: UInt8 = 0x52, fromCentral: Bool = true, seconds: Double = 3
    ) throws -> Double {
        let frame = attFrame(opcode: opcode, pduBytes: mtu)
        let conditions = DeviceRadioConditions(link: parameters)
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
    func `a full queue reaches the data rate of the link's parameters`(_ link: Case) throws {
        let measured = try Self.measure(link.parameters, mtu: link.mtu)
        let expected = link.parameters.bytesPerSecond(mtu: link.mtu)
        #expect(abs(measured / expected - 1) < 0.02, "\(measured) instead of \(expected)")
    }

    @Test(arguments: LinkParameters.named.map(\.name))
    func `notifications are as fast as write commands`(name: String) throws {
        let parameters = try #require(LinkParameters.named.first { $0.name == name }).parameters
        let measured = try Self.measure(parameters, mtu: parameters.bestMTU, opcode: 0x1B, fromCentral: false)
        #expect(abs(measured / parameters.limitBytesPerSecond - 1) < 0.02)
    }

    @Test func `an encrypted link with short packets has the data rate of its parameters`() throws {
        let parameters = LinkParameters(
            phy: .le1M, intervalMicroseconds: 50_000, dataLengthBytes: 27, maximumMTU: 185, isEncrypted: true)
        for mtu in [23, 185] {
            let measured = try Self.measure(parameters, mtu: mtu)
            #expect(abs(measured / parameters.bytesPerSecond(mtu: mtu) - 1) < 0.02)
        }
    }

    @Test(arguments: [
        // Link, MTU, frames in one interval, counted by hand: an exchange of 251 bytes takes 2,468 or 1,392
        // microseconds, one of 14 bytes 572 or 444.
        ("ideal-1m", 247, 3.0), ("ideal-1m", 512, 1), ("ideal-2m", 247, 5), ("ideal-2m", 512, 2),
        ("phone-4.2", 185, 6), ("phone-5", 247, 10), ("phone-5", 498, 5),
    ])
    func `one interval carries the number of frames that was computed by hand`(name: String, mtu: Int, frames: Double)
        throws
    {
        let parameters = try #require(LinkParameters.named.first { $0.name == name }).parameters
        let expected = frames * Double(mtu - 3) / (Double(parameters.intervalMicroseconds) / 1e6)
        #expect(abs(parameters.bytesPerSecond(mtu: mtu) - expected) < 0.01)
        let measured = try Self.measure(parameters, mtu: mtu)
        #expect(abs(measured / expected - 1) < 0.02)
    }
}
