import Bluetooth
import Determinism
import Radio
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct LinkPhaseTests {
    @Test func `a BlueZNames link is down once it is closing or has ended`() {
        #expect(!LinkPhase.up.isDown)
        #expect(LinkPhase.closing(.local).isDown)
        #expect(LinkPhase.over.isDown)
    }

    @Test func `the first local reason for the end of a link is the one reported`() {
        var phase = LinkPhase.up
        phase.beginClosing(.protocolFailure)
        phase.beginClosing(.local)
        #expect(phase == .closing(.protocolFailure))
        let reason = phase.finish(.radioLost)
        #expect(reason == .protocolFailure)
        #expect(phase == .over)
    }

    @Test func `without a local reason the link's reported end reason counts, else the peer ended it`() {
        let expected: [DisconnectReason?: DisconnectReason] = [.radioLost: .radioLost, nil: .peer]
        for (reported, expected) in expected {
            var phase = LinkPhase.up
            let reason = phase.finish(reported)
            #expect(reason == expected)
        }
    }

    @Test func `a link that has ended does not close again`() {
        var phase = LinkPhase.over
        phase.beginClosing(.local)
        #expect(phase == .over)
    }
}

@Suite struct CommandFlowTests {
    @Test func `every sixteenth write command asks bluetoothd for an answer`() {
        var flow = WriteCommandFlowControl()
        let requests = (1...48).map { _ in flow.sent() }
        #expect(requests == (1...48).map { $0 % 16 == 0 })
    }

    @Test func `write commands go on while one request is unanswered, and stop at two`() {
        var flow = WriteCommandFlowControl()
        for _ in 1...WriteCommandFlowControl.commandsPerRequest { _ = flow.sent() }
        #expect(!flow.mustWait)
        for _ in 1...WriteCommandFlowControl.commandsPerRequest { _ = flow.sent() }
        #expect(flow.mustWait)
        flow.answered()
        #expect(!flow.mustWait)
    }

    @Test func `direct write commands stop one before the command that makes a request`() {
        var flow = WriteCommandFlowControl()
        #expect(flow.directCommands == WriteCommandFlowControl.commandsPerRequest - 1)
        _ = flow.sent()
        #expect(flow.directCommands == WriteCommandFlowControl.commandsPerRequest - 2)
        flow.sentDirectly(flow.directCommands)
        #expect(flow.directCommands == 0)
        let isRequest = flow.sent()
        #expect(isRequest)
    }
}

@Suite struct CentralSessionTests {
    private let session = CentralLinkState(
        id: LinkID(1), path: "/org/bluez/hci0/dev_1", peer: DeviceAddress(value: 1, kind: .random))

    @Test func `a change of a link's ATT MTU is recorded once`() {
        #expect(session.mtu == 23)
        #expect(!session.record(mtu: 23))
        #expect(session.record(mtu: 517))
        #expect(!session.record(mtu: 517))
        #expect(session.mtu == 517)
        #expect(session.statistics.mtu == 517)
    }

    @Test func `the PDUs of a link are counted in both directions`() {
        session.count(sent: 2)
        session.count(received: 3)
        session.count(sent: 1, received: 1)
        #expect(session.statistics.pdusSent == 3)
        #expect(session.statistics.pdusReceived == 4)
    }

    @Test func `an operation on a link is under way until it ends`() {
        #expect(!session.isBusy)
        session.beginOperation()
        #expect(session.isBusy)
        session.endOperation()
        #expect(!session.isBusy)
    }

    @Test func `at the end of a link, what waits of its last characteristic comes first`() {
        let state = RemoteCharacteristic(uuid: BluetoothUUID(high: 1, low: 2), properties: [.notify], valueHandle: 3)
        for object in ["/a/service0001/char0008", "/a/service0001/char0002", "/a/service0001/char0005"] {
            session.add(.property(state), to: object)
        }
        #expect(session.subscribedObjects.map { $0.suffix(4) } == ["0008", "0005", "0002"])
    }

    @Test func `a closing link counts as down before it has ended`() {
        session.beginClosing(.local)
        #expect(session.isDown)
        #expect(!session.isOver)
        #expect(session.finish(.peer) == .local)
        #expect(session.isOver)
    }
}

@Suite struct CommandChannelsTests {
    private func channel() throws -> WriteCommandSockets.WriteCommandSocket {
        let pair = try makeSocketPair()
        return WriteCommandSockets.WriteCommandSocket(descriptor: pair.ours, mtu: 100)
    }

    @Test func `a write waits for the socket written to last, unless it goes to the same one`() throws {
        let channels = WriteCommandSockets()
        #expect(channels.use("a") == nil)
        #expect(channels.unsettled(before: nil) == nil)
        channels.add(try channel(), for: "a")
        #expect(channels.unsettled(before: "a") == nil)
        #expect(channels.unsettled(before: "b") != nil)
        #expect(channels.unsettled(before: nil) != nil)
        channels.settled()
        #expect(channels.unsettled(before: nil) == nil)
        #expect(channels.use("a") != nil)
        #expect(channels.unsettled(before: "b") != nil)
    }

    @Test func `a write does not wait for a removed write socket`() throws {
        let channels = WriteCommandSockets()
        channels.add(try channel(), for: "a")
        channels.add(try channel(), for: "b")
        #expect(channels.remove("b"))
        #expect(!channels.remove("b"))
        #expect(channels.unsettled(before: nil) == nil)
        #expect(channels.use("a") != nil)
        channels.removeAll()
        #expect(channels.use("a") == nil)
        #expect(channels.unsettled(before: nil) == nil)
    }

    @Test func `a full write socket has room again when that is reported`() {
        let channels = WriteCommandSockets()
        channels.becameFull()
        #expect(!channels.hasRoom)
        channels.roomCame()
        #expect(channels.hasRoom)
        channels.becameFull()
        #expect(!channels.hasRoom)
    }
}

@Suite struct PeripheralSessionTests {
    private let session = PeripheralLinkState(
        id: LinkID(1), path: "/org/bluez/hci0/dev_1", peer: DeviceAddress(value: 1, kind: .random))

    @Test func `MTU, PDUs and drops of a link are recorded in its statistics`() {
        #expect(session.statistics.droppedByHost == 0)
        session.countDropped()
        session.count(sent: 1, received: 2)
        #expect(session.record(mtu: 100))
        #expect(!session.record(mtu: 100))
        #expect(session.statistics == LinkStatistics(mtu: 100, pdusSent: 1, pdusReceived: 2, droppedByHost: 1))
    }

    @Test func `a link whose central got a raw packet gets raw packets from then on`() {
        #expect(!session.getsRaw)
        session.startRaw()
        #expect(session.getsRaw)
    }

    @Test func `a link remembers its last notification and the last written characteristic`() {
        #expect(session.pushedAt == nil)
        #expect(session.lastWritten == nil)
        session.pushed(at: MonotonicInstant(nanoseconds: 5))
        session.wrote(to: "a")
        session.wrote(to: "b")
        #expect(session.pushedAt == MonotonicInstant(nanoseconds: 5))
        #expect(session.lastWritten == "b")
    }
}

@Suite struct DeviceForgetterTests {
    @Test(.shows("MDR-046", "MS3"))
    func `a device is removed after its link unless it is connected, paired, bonded, trusted or blocked`() {
        #expect(DeviceForgetter.isForgettable(["Connected": .bool(false), "Paired": .bool(false)]))
        for name in ["Connected", "Paired", "Bonded", "Trusted", "Blocked"] {
            #expect(!DeviceForgetter.isForgettable([name: .bool(true)]), "\(name)")
        }
        #expect(!DeviceForgetter.isForgettable(nil))
    }
}
