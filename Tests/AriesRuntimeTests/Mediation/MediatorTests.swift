import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesRuntime

/// An agent behind a mediator, and another one that it talks with.
struct Mediated {
    let net = MemoryNet()
    let clock = HandClock()
    let mediator: SimulatedMediator
    let us: Party
    let them: Party

    init(
        _ service: SimulatedMediator.Service, isLive: Bool, habits: SimulatedMediator.Habits = .init(),
        storeFault: MemoryStore.Fault? = nil, wireFault: MemoryWire.Fault? = nil,
        adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
    ) throws {
        mediator = try SimulatedMediator(service, isLive: isLive, net: net, habits: habits)
        us = try Party(
            "us", net: net, clock: clock, storeFault: storeFault, wireFault: wireFault, hasAddress: false,
            adjust: adjust)
        them = try Party("them", net: net, clock: clock, seed: 2)
    }

    /// Starts both, and has the mediator take messages.
    func begin() async throws {
        try await us.agent.start()
        try await them.agent.start()
        _ = try await us.agent.useMediator(mediator.invitation)
        #expect(try await isReady())
    }

    func isReady() async throws -> Bool {
        try await settled([us, them]) {
            guard let summary = try await us.agent.mediator() else { return false }
            return summary.stage == .granted && summary.freeKeys == 4
        }
    }

    /// Connects, we invited; the names of the connection at us and at them.
    func connect() async throws -> (ours: String, theirs: String) {
        let invitation = try await us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        let theirs = try await them.agent.accept(invitation)
        let isComplete = try await settled([us, them]) {
            let stages = try await us.agent.connections().connections.filter { $0.role == .inviter }.map(\.stage)
            let other = try await them.agent.connection(theirs.id)?.stage
            return stages == [.completed] && other == .completed
        }
        #expect(isComplete)
        let ours = try #require(try await us.agent.connections().connections.first { $0.role == .inviter })
        return (ours.id, theirs.id)
    }

    func text(_ number: Int) -> Message { BasicMessage("\(number)", sent: nil).message(id: "message-\(number)") }

    func received(_ party: Party) -> [String] {
        party.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
            .filter { $0.direction == .received }.compactMap { $0.message.object["content"]?.string }
    }

    func send(_ numbers: ClosedRange<Int>, on connection: String) async throws {
        for number in numbers { try await them.agent.send(text(number), on: connection) }
    }

    func hears(_ count: Int) async throws -> Bool {
        try await settled([us, them]) { received(us).count == count }
    }
}

@Suite struct MediatorTests {
    static let ways: [(SimulatedMediator.Service, Bool)] = SimulatedMediator.Service.allCases.flatMap {
        [($0, false), ($0, true)]
    }

    @Test(arguments: ways)
    func `what comes while nobody listens is fetched, in order and once`(
        service: SimulatedMediator.Service, isLive: Bool
    ) async throws {
        let story = try Mediated(service, isLive: isLive)
        try await story.begin()
        let (ours, theirs) = try await story.connect()
        let address = try #require(try await story.us.agent.connection(ours)?.connection?.ours)
        #expect(address.endpoint == story.mediator.endpoint && address.routingKeys.count == 1)
        #expect(story.mediator.keylist.contains(address.key))
        try await story.send(1...3, on: theirs)
        #expect(try await story.hears(3))
        async let end = story.us.agent.finish(within: .seconds(60))
        _ = try await settled([story.us, story.them]) { await !story.us.agent.isRunning }
        #expect(await end)
        try await story.send(4...25, on: theirs)
        let texts = (1...25).map(String.init)
        let isQueued = try await settled([story.them]) { story.mediator.queued == 22 }
        #expect(isQueued)
        try await story.us.restart()
        #expect(try await story.hears(25))
        // What comes by itself may overtake what is asked for.
        let heard = story.received(story.us)
        #expect((isLive ? heard.sorted() : heard) == (isLive ? texts.sorted() : texts))
        try await story.us.agent.send(story.text(1), on: ours)
        #expect(try await settled([story.us, story.them]) { story.received(story.them) == ["1"] })
        #expect(story.mediator.queued == 0)
    }

    @Test func `a mediator that names no thread in its answers is understood`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.namesNoThread = true
        let story = try Mediated(.implicit, isLive: true, habits: habits)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await story.send(1...1, on: theirs)
        #expect(try await story.hears(1))
    }

    @Test func `no address is told before the mediator knows its key, and each connection has one of its own`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        for number in 1...6 {
            let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "\(number)"))
            let key = try #require(
                invitation.services.first.flatMap {
                    try? StaticDIDResolver().resolve($0.resolution).service().recipientKeys.first
                })
            #expect(story.mediator.keylist.contains(key), "the invitation \(number)")
        }
        let keys = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        #expect(Set(keys.map(\.key.verkey)).count == keys.count)
        #expect(keys.filter { $0.owner != .spare && $0.mediator != nil }.count == 6)
    }

    @Test func `a deleted connection takes its key from the mediator`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (ours, _) = try await story.connect()
        let key = try #require(try await story.us.agent.connection(ours)?.connection?.ours.key)
        #expect(story.mediator.keylist.contains(key))
        try await story.us.agent.remove(ours)
        #expect(try await settled([story.us]) { !story.mediator.keylist.contains(key) })
    }

    @Test func `a mediator does not hear of keys that it never knew`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        try await story.them.agent.start()
        let connection = try await story.us.agent.accept(
            story.them.agent.invite(InvitationDraft(.outOfBand, label: "Them")))
        _ = try await connection.completed()
        try await story.begin()
        let key = try #require(try await story.us.agent.connection(connection.id)?.connection?.ours.key)
        story.mediator.change { $0.heard = [] }
        try await story.us.agent.remove(connection.id)
        let isTold = try await settled([story.us], within: .seconds(60)) {
            story.mediator.heard.contains("keylist-update")
        }
        #expect(!isTold)
        #expect(!story.us.store.records(of: "aries.key").contains { $0.id == key.base58 })
    }

    @Test func `after a restart the mediator is told what it lost, and forgets what is not ours`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (ours, _) = try await story.connect()
        let key = try #require(try await story.us.agent.connection(ours)?.connection?.ours.key)
        var random = SeededRandom(seed: 5)
        let foreign = AgentKey.make(from: &random).verkey
        story.mediator.change { $0.keylist = [foreign] }
        try await story.us.restart()
        let isMended = try await settled([story.us]) {
            story.mediator.keylist.contains(key) && !story.mediator.keylist.contains(foreign)
                && story.mediator.keylist.count == 6
        }
        #expect(isMended, "\(story.mediator.keylist.count)")
    }

    @Test func `a mediator that lists keys of nobody is told to forget only so many of them`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        var random = SeededRandom(seed: 5)
        let foreign = (0..<300).map { _ in AgentKey.make(from: &random).verkey }
        story.mediator.change { state in
            state.keylist += foreign
            state.listPage = 100
            state.heard = []
        }
        try await story.us.restart()
        let isMended = try await settled([story.us]) { story.mediator.keylist.count == 4 + 300 - 256 }
        #expect(isMended, "\(story.mediator.keylist.count)")
        #expect(story.mediator.heard.filter { $0 == "keylist-update" }.count == 256 / 32)
    }

    @Test func `the keys that are prepared are made known in one message`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        #expect(story.mediator.heard.filter { $0 == "keylist-update" }.count == 1)
    }

    @Test func `a mediator that denies is told as such, and another one can be used`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.denies = true
        let story = try Mediated(.pickup2, isLive: false, habits: habits)
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .denied })
        await #expect(throws: AriesError(.mediationRefused, "")) {
            try await story.us.agent.mediated(within: .seconds(1))
        }
        // Nothing is published through it.
        let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        let service = try StaticDIDResolver().resolve(invitation.services[0].resolution).service()
        #expect(service.endpoint == .queue && story.mediator.keylist.isEmpty)
        story.mediator.change { $0.habits.denies = false }
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await story.isReady())
    }

    @Test func `a mediator that is silent is given up for a while, with a code, and tried again`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.isSilent = true
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        try await story.them.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        story.mediator.change { $0.habits = habits }
        let events = await story.us.agent.events()
        let problem = Lock<String?>(nil)
        let watching = Task {
            for await case .mediator(.problem(let code, _, let wait?)) in events where wait > .zero {
                problem.withLock { $0 = code }
            }
        }
        #expect(try await settled([story.us]) { problem.withLock { $0 } == "aries.connection.timeout" })
        story.mediator.change { $0.habits.isSilent = false }
        #expect(try await story.isReady())
        watching.cancel()
    }

    @Test func `keys that a mediator refuses are not published, and an invitation says why there is none`() async throws
    {
        var habits = SimulatedMediator.Habits()
        habits.refusesKeys = true
        let story = try Mediated(.pickup2, isLive: false, habits: habits) { $0.mediatorWait = .seconds(60) }
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .granted })
        let outcome = Lock<AgentError?>(nil)
        let inviting = Task {
            do {
                _ = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
            } catch {
                outcome.withLock { $0 = error as? AgentError }
            }
        }
        #expect(try await settled([story.us]) { outcome.withLock { $0 } == AgentError(.mediatorKeyMissing, "") })
        await inviting.value
    }

    @Test func `a line that ends is opened again, and nothing is lost`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        for round in 1...3 {
            #expect(try await settled([story.us]) { story.mediator.hasLine })
            story.mediator.cut()
            try await story.send((round * 2 - 1)...(round * 2), on: theirs)
            #expect(try await story.hears(round * 2))
        }
        #expect(story.received(story.us).sorted() == (1...6).map(String.init))
    }

    @Test func `a batch that the mediator has forgotten already is taken before the agent ends`() async throws {
        let story = try Mediated(.pickup1, isLive: true)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        story.mediator.change { $0.habits.holdsPickup = true }
        try await story.send(1...3, on: theirs)
        let isUnderWay = try await settled([story.us, story.them]) {
            story.mediator.queued == 0 && story.mediator.heard.last == "batch-pickup"
        }
        #expect(isUnderWay && story.received(story.us).isEmpty)
        async let end = story.us.agent.finish(within: .seconds(10))
        #expect(try await settled([story.them], within: .seconds(1)) { await story.us.agent.isFinishing })
        story.mediator.release()
        _ = try await settled([story.us, story.them]) { await !story.us.agent.isRunning }
        #expect(await end)
        #expect(story.received(story.us) == ["1", "2", "3"])
    }

    @Test(arguments: [true, false])
    func `a mediator that denied is left in peace`(isLive: Bool) async throws {
        var habits = SimulatedMediator.Habits()
        habits.denies = true
        let story = try Mediated(.pickup2, isLive: isLive, habits: habits)
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .denied })
        story.mediator.change { $0.heard = [] }
        let lines = story.us.wire.lineEnds.withLock { $0.count }
        #expect(try await !settled([story.us], within: .seconds(600)) { story.mediator.heard.count > 1 })
        #expect(story.us.wire.lineEnds.withLock { $0.count } <= max(lines, 1) && !story.mediator.hasLine)
    }

    @Test func `a line that breaks while the agent ends is not opened again`() async throws {
        let story = try Mediated(.pickup1, isLive: true)
        try await story.begin()
        story.mediator.change { $0.habits.holdsPickup = true }
        let count = story.mediator.heard.count
        #expect(try await settled([story.us]) { story.mediator.heard.count > count })
        // Something on its way keeps the agent from ending at once.
        await story.us.agent.arriving.withLock { $0 += 1 }
        async let end = story.us.agent.finish(within: .seconds(3600))
        #expect(try await settled([story.them], within: .seconds(1)) { await story.us.agent.isFinishing })
        story.mediator.cut()
        #expect(try await !settled([story.them], within: .seconds(600)) { story.mediator.hasLine })
        #expect(story.us.wire.lineEnds.withLock { $0.count } == 1)
        await story.us.agent.arriving.withLock { $0 -= 1 }
        _ = try await settled([story.us]) { await !story.us.agent.isRunning }
        #expect(await end)
    }

    @Test func `what is heard late of an old line does not end the one with the next mediator`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        try await story.begin()
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.isLive == true })
        #expect(try await story.us.agent.leaveMediator(isForced: true))
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await story.isReady())
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.isLive == true })
        let ends = story.us.wire.lineEnds.withLock { $0 }
        #expect(ends.count == 2)
        let events = await story.us.agent.events()
        ends.first?()
        #expect(
            try await settled([story.us], within: .seconds(30)) { try await story.us.agent.mediator()?.isLive == true })
        try await Task.sleep(for: .milliseconds(20))
        await story.us.agent.stop()
        for await case .mediator(.line(let isOpen)) in events { #expect(isOpen) }
    }

    @Test func `what a mediator queues although a line is open is asked for`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.missesLineEvery = 3
        let story = try Mediated(.implicit, isLive: true, habits: habits)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await story.send(1...9, on: theirs)
        #expect(try await story.hears(9))
        #expect(Set(story.received(story.us)) == Set((1...9).map(String.init)))
    }

    @Test(arguments: [SimulatedMediator.Service.pickup2, .implicit])
    func `what cannot be opened is kept aside, and holds nothing up`(service: SimulatedMediator.Service) async throws {
        let story = try Mediated(service, isLive: false)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        story.mediator.change { state in
            state.queue.append(("bad-1", Array(#"{"protected":"e30","iv":"","ciphertext":"","tag":""}"#.utf8)))
            state.queue.append(("bad-2", Array("{}".utf8)))
        }
        try await story.send(1...2, on: theirs)
        #expect(try await story.hears(2))
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.quarantined == 2 })
        #expect(try await settled([story.us]) { story.mediator.queued == 0 })
        let kept = story.us.store.records(of: "aries.arrival").map(\.value)
        #expect(kept.contains(Array("{}".utf8)))
    }

    @Test func `as much is kept aside as allowed, then the oldest goes, and all of it with the mediator`() async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        for count in [ArrivalRecord.maximumKept, 1] {
            story.mediator.change { state in
                for number in 0..<count {
                    state.queue.append(("bad-\(count)-\(number)", Array("{\(count)-\(number)".utf8)))
                }
            }
            #expect(try await settled([story.us]) { story.mediator.queued == 0 })
            #expect(try await story.us.agent.mediator()?.quarantined == ArrivalRecord.maximumKept)
            let kept = story.us.store.records(of: "aries.arrival").map { String(decoding: $0.value, as: UTF8.self) }
            #expect(kept.first == (count == 1 ? "{256-1" : "{256-0") && kept.last == "{\(count)-\(count - 1)")
        }
        _ = try await story.us.agent.leaveMediator()
        #expect(story.us.store.records(of: "aries.arrival").isEmpty)
    }

    @Test func `an attachment that cannot be read stays at the mediator, is told of once, and holds nothing up`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        let events = await story.us.agent.events()
        story.mediator.change { $0.queue.append(("broken-1", [])) }
        for number in 1...3 {
            try await story.send(number...number, on: theirs)
            #expect(try await story.hears(number))
        }
        #expect(try await settled([story.us]) { story.mediator.queued == 1 }, "it is not acknowledged")
        #expect(try await story.us.agent.mediator()?.quarantined == 1)
        await story.us.agent.stop()
        var codes: [String] = []
        for await case .mediator(.quarantined(let code, _)) in events { codes.append(code) }
        #expect(codes == [AgentError.Code.mediatorQuarantine.rawValue])
    }

    @Test func `requests beyond the free keys wait until there are keys`() async throws {
        let story = try Mediated(.pickup2, isLive: false) { $0.spareKeys = 1 }
        try await story.us.agent.start()
        try await story.them.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.freeKeys == 1 })
        let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"), isMultiUse: true)
        let others = try (0..<6).map {
            try Party("other\($0)", net: story.net, clock: story.clock, seed: 10 + UInt64($0))
        }
        for other in others {
            try await other.agent.start()
            _ = try await other.agent.accept(invitation)
        }
        let areComplete = try await settled([story.us] + others) {
            for other in others where try await other.agent.connections().connections.map(\.stage) != [.completed] {
                return false
            }
            return true
        }
        #expect(areComplete)
        #expect(story.us.store.records(of: "aries.arrival").isEmpty)
        let haveKeysOfTheirOwn = try await settled([story.us] + others) {
            let mine = try await story.us.agent.connections().connections.filter { $0.role == .inviter }
            return Set(mine.compactMap(\.connection?.ours.key)).count == 6
        }
        #expect(haveKeysOfTheirOwn)
    }

    @Test func `a mediator is left when nothing needs it, or when that is insisted on`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        await #expect(throws: AgentError(.stopped, "")) { try await story.us.agent.mediator() }
        try await story.us.agent.start()
        await #expect(throws: AgentError(.mediatorUnknown, "")) { try await story.us.agent.leaveMediator() }
        await #expect(throws: AgentError(.mediatorUnknown, "")) {
            try await story.us.agent.mediated(within: .seconds(1))
        }
        try await story.begin()
        let connection = try #require(try await story.us.agent.mediator()?.connection)
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.remove(connection) }
        _ = try await story.connect()
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.leaveMediator() }
        let other = try await story.them.agent.invite(InvitationDraft(.outOfBand, label: "Other"))
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.useMediator(other) }
        #expect(try await story.us.agent.leaveMediator(isForced: true))
        #expect(story.mediator.keylist.isEmpty)
        #expect(try await story.us.agent.mediator() == nil)
        #expect(try await story.us.agent.connection(connection) == nil)
    }

    @Test func `only a mediator that says that it has forgotten every key has confirmed it`() async throws {
        var refusing = SimulatedMediator.Habits()
        refusing.refusesRemovals = true
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        story.mediator.change { $0.habits = refusing }
        #expect(try await !story.us.agent.leaveMediator(isForced: true))
        #expect(story.mediator.keylist.count == 4)
        #expect(try await story.us.agent.mediator() == nil && story.us.store.content.records.isEmpty)
        var denying = SimulatedMediator.Habits()
        denying.denies = true
        let other = try Mediated(.pickup2, isLive: false, habits: denying)
        try await other.us.agent.start()
        _ = try await other.us.agent.useMediator(other.mediator.invitation)
        #expect(try await settled([other.us]) { try await other.us.agent.mediator()?.stage == .denied })
        #expect(try await !other.us.agent.leaveMediator())
    }

    @Test func `a mediator that is not left after all knows our keys again`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        _ = try await story.connect()
        var habits = SimulatedMediator.Habits()
        habits.isSilent = true
        story.mediator.change { $0.habits = habits }
        let agent = story.us.agent
        let leaving = Task { try await agent.leaveMediator(isForced: true, within: .seconds(3600)) }
        #expect(try await settled([story.us]) { await agent.mediator?.isLeaving == true })
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        story.mediator.change { $0.habits.isSilent = false }
        let isBack = try await settled([story.us]) {
            let ours = story.us.store.records(of: "aries.key").filter { $0.tags.contains { $0.name == "mediator" } }
            return Set(ours.map(\.id)) == Set(story.mediator.keylist.map(\.base58)) && ours.count == 6
        }
        #expect(isBack)
        #expect(try await story.isReady())
    }

    @Test(arguments: [false, true])
    func `a free key that another process has given away is kept when the mediator is left or refuses it`(
        isRefused: Bool
    ) async throws {
        var habits = SimulatedMediator.Habits()
        habits.refusesKeys = isRefused
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let stored = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        let spares = stored.filter { $0.owner == .spare }
        let given = try #require(spares.first)
        // As another process does on the same store, and one of them it removes.
        try await story.us.store.write { store in
            try given.given(to: .connection("elsewhere")).save(in: store)
            try store.remove(spares[1].key.verkey.base58, in: "aries.key", expecting: nil)
        }
        if isRefused {
            story.mediator.change { $0.habits = habits }
            try await story.us.agent.perform { agent in
                for spare in spares.prefix(2) {
                    try await agent.refused(spare.key.verkey, AriesError(.mediationRefused, "No."))
                }
            }
        } else {
            _ = try await story.us.agent.leaveMediator(isForced: true)
        }
        let left = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        #expect(left.contains { $0.key.verkey == given.key.verkey && $0.owner == .connection("elsewhere") })
    }

    @Test func `a mediator that does not answer is not reachable`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        var habits = SimulatedMediator.Habits()
        habits.isSilent = true
        story.mediator.change { $0.habits = habits }
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        let failure = Lock<AgentError?>(nil)
        let waiting = Task {
            do { try await story.us.agent.mediated(within: .seconds(30)) } catch {
                failure.withLock { $0 = error as? AgentError }
            }
        }
        #expect(try await settled([story.us]) { failure.withLock { $0 } == AgentError(.mediatorUnreachable, "") })
        await waiting.value
    }
}
