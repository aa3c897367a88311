import Bluetooth
import Determinism
import Tuvali

/// A sequence of inputs to the servers of several links.
private struct ServerInputs {
    private var servers: [GATTServer]
    private var now = MonotonicInstant.zero
    private var lastID: UInt64 = 0
    private var owed: [Set<UInt64>] = [[], [], []]
    /// The links on which a read was passed on and not answered.
    private var waiting: Set<Int> = []

    init() {
        let definitions = [
            WireProfile.tuvali05.serviceDefinition(hasClientConfiguration: true, servesRequest: true),
            ServiceDefinition(
                uuid: BluetoothUUID(0x180F as UInt16),
                characteristics: [
                    CharacteristicDefinition(
                        uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .write, .notify, .indicate],
                        initialValue: Array(0...255) + Array(0...99), hasClientConfiguration: true)
                ]),
        ]
        guard let database = try? GATTDatabase(definitions) else { fatalError("the sample is a database") }
        servers = (0..<3).map { _ in GATTServer(database: database) }
    }

    mutating func tell(_ operations: inout Operations) {
        while !operations.isAtEnd {
            let choice = operations.byte()
            let link = Int(choice >> 4) % servers.count
            switch choice & 7 {
            case 0, 1, 2: put(.received(operations.run()), on: link)
            case 3: notify(&operations, on: link)
            case 4: put(.mtuAgreed(Int(operations.word())), on: link)
            case 5: wait(operations.byte(), on: link)
            case 6: put(.received([ATTOpcode.handleValueConfirmation.rawValue]), on: link)
            default: choice & 8 == 8 ? put(.linkDown, on: link) : answerRead(&operations, on: link)
            }
        }
        for link in servers.indices { put(.linkDown, on: link) }
        require(owed.allSatisfy(\.isEmpty), "every push ends once, at the latest with the link")
    }

    private mutating func notify(_ operations: inout Operations, on link: Int) {
        lastID += 1
        owed[link].insert(lastID)
        let isKnown = operations.byte() & 1 == 1
        let uuid = isKnown ? BluetoothUUID(0x2A19 as UInt16) : WireProfile.tuvali05.uuid(of: .reportResponse)
        let isConfirmed = operations.byte() & 1 == 1
        put(.notify(id: lastID, characteristic: uuid, value: operations.run(), confirmed: isConfirmed), on: link)
    }

    private mutating func answerRead(_ operations: inout Operations, on link: Int) {
        let isRefused = operations.byte() & 1 == 1
        put(.answerRead(isRefused ? nil : operations.longRun()), on: link)
    }

    private mutating func wait(_ seconds: UInt8, on link: Int) {
        now = now + .seconds(Int(seconds))
        put(.deadline, on: link)
        require(servers[link].nextDeadline.map { $0 > now } ?? true, "no deadline stays in the past")
    }

    private mutating func put(_ input: GATTServer.Input, on link: Int) {
        let wasOpen = servers[link].isOpen
        let wasWaiting = waiting.contains(link)
        let outputs = servers[link].handle(input, at: now)
        var answers = 0
        for output in outputs {
            switch output {
            case .send(let pdu):
                require(wasOpen, "nothing is sent on a closed link")
                require(!pdu.isEmpty && pdu.count <= servers[link].mtu, "no PDU is longer than the MTU")
                if pdu.first != 0x1B, pdu.first != 0x1D { answers += 1 }
            case .written(_, let value, _): require(value.count <= 512, "no value is longer than 512 bytes")
            case .notified(let id), .notifyFailed(let id, _):
                require(owed[link].remove(id) != nil, "a push ends once")
            case .mtuChanged(let mtu): require((23...517).contains(mtu), "the MTU is from 23 to 517")
            case .readPassedOn(_, let offset):
                require(waiting.insert(link).inserted && offset >= 0, "one read waits for its answer")
            case .subscribed, .dropped, .linkFailed: break
            }
        }
        let passesOn = !wasWaiting && waiting.contains(link)
        if case .received(let pdu) = input, wasOpen {
            let mustAnswer = !wasWaiting && !passesOn && pdu.first.map(ATTOpcode.isRequest) ?? false
            require(answers == (mustAnswer ? 1 : 0), "a request is answered once, and nothing else is")
        }
        if case .answerRead = input, wasOpen {
            require(answers == (wasWaiting ? 1 : 0), "a read that was passed on is answered once")
            waiting.remove(link)
        }
        if !servers[link].isOpen { waiting.remove(link) }
    }
}

/// A sequence of inputs to a client with a hostile server.
private struct ClientInputs {
    private var client = GATTClient()
    private var now = MonotonicInstant.zero
    private var lastID: UInt64 = 0
    private var owed: Set<UInt64> = []
    private var requestCount = 0
    private var known: [RemoteCharacteristic] = []
    private var service = RemoteService(uuid: WireProfile.tuvali05.service, startHandle: 1, endHandle: 0xFFFF)

    mutating func tell(_ operations: inout Operations) {
        while !operations.isAtEnd {
            let choice = operations.byte()
            switch choice & 7 {
            case 0, 1, 2: put(.received(operations.run()))
            case 3, 4: perform(&operations)
            case 5:
                now = now + .seconds(Int(operations.byte()))
                put(.deadline)
            case 6: choice & 8 == 8 ? cancel() : put(.mtuAgreed(Int(operations.word())))
            default: if choice & 8 == 8 { put(.linkDown) }
            }
        }
        put(.linkDown)
        require(owed.isEmpty, "every procedure ends once, at the latest with the link")
        require(client.nextDeadline == nil, "nothing is waited for on a closed link")
    }

    private mutating func cancel() {
        put(.cancel(id: lastID))
        owed.remove(lastID)
    }

    private mutating func perform(_ operations: inout Operations) {
        lastID += 1
        owed.insert(lastID)
        put(.perform(id: lastID, procedure(&operations)))
    }

    private mutating func procedure(_ operations: inout Operations) -> GATTClient.Procedure {
        switch operations.below(8) {
        case 0: .exchangeMTU(Int(operations.word()))
        case 1: .discoverServices(operations.byte() & 1 == 1 ? service.uuid : nil)
        case 2: .discoverCharacteristics(of: service)
        case 3: .read(handle: operations.word())
        case 4: .write(operations.run() + operations.run() + operations.run(), handle: operations.word())
        case 5: .writeCommand(operations.run(), handle: operations.word())
        default: known.first.map { .subscribe($0, isOn: true) } ?? .read(handle: 1)
        }
    }

    private mutating func put(_ input: GATTClient.Input) {
        let wasOpen = client.isOpen
        let outputs = client.handle(input, at: now)
        for output in outputs {
            switch output {
            case .send(let pdu):
                require(wasOpen, "nothing is sent on a closed link")
                require(!pdu.isEmpty && pdu.count <= client.mtu, "no PDU is longer than the MTU")
            case .completed(let id, let outcome):
                require(owed.remove(id) != nil, "a procedure ends once")
                learn(outcome)
            case .failed(let id, _): require(owed.remove(id) != nil, "a procedure ends once")
            case .mtuChanged(let mtu): require((23...517).contains(mtu), "the MTU is from 23 to 517")
            case .value(let value, _, _): require(value.count <= 512 + 2, "a pushed value fits a PDU")
            case .dropped, .linkFailed: break
            }
        }
    }

    private mutating func learn(_ outcome: GATTClient.GATTProcedureResult) {
        switch outcome {
        case .services(let services):
            require(services.count <= client.configuration.maximumDiscovered, "lists have a limit")
            if let first = services.first { service = first }
        case .characteristics(let found):
            require(found.count <= client.configuration.maximumDiscovered, "lists have a limit")
            known = found
        case .value(let value): require(value.count <= 512, "no value is longer than 512 bytes")
        case .mtu, .done: break
        }
    }
}

extension FuzzTarget {
    /// Requests, pushes, time and ends on the servers of three links.
    static var gattServer: FuzzTarget {
        FuzzTarget(name: "gatt-server", maximumBytes: 2048) {
            let pdus: [ATTPDU] = [
                .exchangeMTURequest(mtu: 185), .readByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService),
                .readByTypeRequest(start: 1, end: 0xFFFF, type: .characteristicDeclaration),
                .findInformationRequest(start: 1, end: 0xFFFF), .readBlobRequest(handle: 40, offset: 20),
                .prepareWriteRequest(handle: 40, offset: 0, value: [1, 2, 3]), .executeWriteRequest(commits: true),
                .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [1, 0]),
                .writeRequest(handle: 41, value: [3, 0]), .readMultipleRequest(handles: [3, 40]),
            ]
            let requests: [UInt8] = pdus.flatMap { [UInt8(0)] + $0.bytes.counted }
            // Reads of each value of the service that passes reads on, answered and refused.
            let reads: [UInt8] = (UInt8(3)..<22).flatMap { handle in
                [UInt8(0)] + ATTPDU.readRequest(handle: UInt16(handle)).bytes.counted + [7, handle & 1, 3, 0, 1, 2, 3]
            }
            let pushes: [UInt8] = [3, 1, 1, 2, 9, 9, 6, 3, 1, 0, 1, 1, 5, 31, 15]
            return [requests, pushes, reads, requests + pushes.map { $0 | 16 }]
        } run: { input in
            var operations = Operations(input)
            var story = ServerInputs()
            story.tell(&operations)
        }
    }

    /// Procedures, and any answers to them.
    static var gattClient: FuzzTarget {
        FuzzTarget(name: "gatt-client", maximumBytes: 2048) {
            let uuid = WireProfile.tuvali05.uuid(of: .identify)
            let declaration: [UInt8] = [0x08, 3, 0] + uuid.littleEndian
            let answers: [ATTPDU] = [
                .findByTypeValueResponse([.init(start: 1, end: 9)]),
                .readByTypeResponse([.init(handle: 2, value: declaration)]),
                .findInformationResponse([.init(handle: 4, type: .clientConfiguration)]),
                .errorResponse(opcode: 8, handle: 4, error: .attributeNotFound),
            ]
            let answered: [UInt8] = answers.flatMap { [UInt8(0)] + $0.bytes.counted }
            let discovery: [UInt8] = [3, 1, 1] + answered + [3, 2]
            let mtu: [UInt8] = [3, 0, 5, 2, 0] + ATTPDU.exchangeMTUResponse(mtu: 185).bytes.counted
            let push: [UInt8] = [0] + ATTPDU.handleValueIndication(handle: 3, value: [1]).bytes.counted
            let read: [UInt8] = [3, 3, 9, 0, 0] + ATTPDU.readResponse(value: Array(0..<22)).bytes.counted
            let long: [UInt8] = mtu + [4, 4, 3, 1, 2, 3, 0, 0, 5, 0, 0, 1, 0x13, 5, 40]
            return [mtu + discovery, discovery + push, read, long]
        } run: { input in
            var operations = Operations(input)
            var story = ClientInputs()
            story.tell(&operations)
        }
    }
}
