import Bluetooth
import Determinism
import Testing

@Suite struct GATTServerPreparedWriteTests {
    private static func prepare(
        _ server: inout GATTServer, _ offset: UInt16, _ value: [UInt8], handle: UInt16 = 9
    ) -> [GATTServer.Output] {
        server.handle(
            .received(ATTPDU.prepareWriteRequest(handle: handle, offset: offset, value: value).bytes), at: .zero)
    }

    private static func execute(_ server: inout GATTServer) -> [GATTServer.Output] {
        server.handle(.received([0x18, 1]), at: .zero)
    }

    private static func refusal(_ opcode: UInt8, _ error: ATTErrorCode) -> [GATTServer.Output] {
        [.send(ATTPDU.errorResponse(opcode: opcode, handle: 9, error: error).bytes)]
    }

    private static let executed = GATTServer.Output.send([0x19])

    private static func written(_ value: [UInt8]) -> GATTServer.Output {
        .written(characteristic: GATTServerTests.writable, value: value, isCommand: false)
    }

    @Test func `prepared write parts are echoed, joined and handed out whole`() throws {
        var server = try GATTServerTests.server()
        let echo = ATTPDU.prepareWriteResponse(handle: 9, offset: 0, value: [1, 2, 3])
        #expect(Self.prepare(&server, 0, [1, 2, 3]) == [.send(echo.bytes)])
        _ = Self.prepare(&server, 3, [4])
        #expect(Self.execute(&server) == [Self.executed, Self.written([1, 2, 3, 4])])
        #expect(Self.execute(&server) == [Self.executed])
    }

    @Test func `a prepared write part may overlap an earlier one`() throws {
        var server = try GATTServerTests.server()
        _ = Self.prepare(&server, 0, [1, 2, 3])
        _ = Self.prepare(&server, 1, [9])
        _ = Self.prepare(&server, 2, [8, 7])
        #expect(Self.execute(&server) == [Self.executed, Self.written([1, 9, 8, 7])])
    }

    @Test func `a prepared write part right after the others is accepted, and one after a gap refused`() throws {
        var server = try GATTServerTests.server()
        _ = Self.prepare(&server, 0, [1])
        _ = Self.prepare(&server, 2, [3])
        #expect(Self.execute(&server) == Self.refusal(0x18, .invalidOffset))
        #expect(Self.execute(&server) == [Self.executed])
    }

    @Test func `a prepared write of 512 bytes is accepted and one of 513 refused`() throws {
        for last in [16, 17] {
            var server = try GATTServerTests.server()
            _ = server.handle(.mtuAgreed(300), at: .zero)
            let value = [UInt8](repeating: 5, count: 248)
            _ = Self.prepare(&server, 0, value)
            _ = Self.prepare(&server, 248, value)
            _ = Self.prepare(&server, 496, [UInt8](repeating: 5, count: last))
            let outputs = Self.execute(&server)
            #expect(
                outputs
                    == (last == 16
                        ? [Self.executed, Self.written([UInt8](repeating: 5, count: 512))]
                        : Self.refusal(0x18, .invalidValueLength)))
        }
    }

    @Test func `the prepared write queue holds the allowed number of parts and refuses one more`() throws {
        var server = try GATTServerTests.server(.init(maximumPreparedParts: 3))
        for _ in 0..<3 { #expect(Self.prepare(&server, 0, [1]) != Self.refusal(0x16, .prepareQueueFull)) }
        #expect(Self.prepare(&server, 0, [1]) == Self.refusal(0x16, .prepareQueueFull))
        #expect(Self.execute(&server) == [Self.executed, Self.written([1])])
    }

    @Test func `the prepared write queue holds the allowed number of bytes and refuses one more`() throws {
        var server = try GATTServerTests.server(.init(maximumPreparedBytes: 10))
        _ = Self.prepare(&server, 0, [UInt8](repeating: 1, count: 9))
        #expect(Self.prepare(&server, 9, [1, 1]) == Self.refusal(0x16, .prepareQueueFull))
        #expect(Self.prepare(&server, 9, [1]) != Self.refusal(0x16, .prepareQueueFull))
    }

    @Test func `a cancelled prepared write gives the application no value`() throws {
        var server = try GATTServerTests.server()
        _ = Self.prepare(&server, 0, [1])
        #expect(server.handle(.received([0x18, 0]), at: .zero) == [Self.executed])
        #expect(Self.execute(&server) == [Self.executed])
    }

    @Test func `all values of a prepared write are checked before the first is handed out`() throws {
        var server = try GATTServerTests.server()
        _ = Self.prepare(&server, 0, [1])
        _ = Self.prepare(&server, 0, [9, 9], handle: 14)
        let outputs = Self.execute(&server)
        #expect(outputs == [.send(ATTPDU.errorResponse(opcode: 0x18, handle: 14, error: .valueNotAllowed).bytes)])
    }

    @Test func `prepared values of several attributes are handed out in the order of their first parts`() throws {
        var server = try GATTServerTests.server()
        _ = Self.prepare(&server, 0, [2], handle: 14)
        _ = Self.prepare(&server, 0, [1])
        _ = Self.prepare(&server, 1, [0], handle: 14)
        let subscribed = GATTServer.Output.subscribed(characteristic: GATTServerTests.pushed, isSubscribed: true)
        #expect(Self.execute(&server) == [Self.executed, subscribed, Self.written([1])])
    }
}
