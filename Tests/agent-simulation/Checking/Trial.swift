import Aries
import CloudAgent
import CryptoSuite
import DIDComm
import Determinism
import FaultLayer

/// One run of the simulation: a cloud agent, its clients, senders, and the faults that a seed decides.
final class Trial: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    let world: World
    let network: Network
    let plan: Plan
    private let correspondencePlan: CorrespondencePlan?
    private var correspondence: Correspondence?
    private let planted: PlantedBug?
    private let disk: Disk
    let books: Books
    private(set) var hosts: [Host] = []
    private var recipients: [Recipient] = []
    private var senders: [Sender] = []
    private(set) var failure: String?
    private(set) var isOver = false
    private var isDiskDown = false
    private var configuration = CloudAgentConfiguration()

    init(seed: UInt64, planted: PlantedBug? = nil) {
        self.planted = planted
        ChosenRandomness.begin(seed)
        world = World(seed: seed)
        plan = Plan(&world.random)
        correspondencePlan = CorrespondencePlan(seed: seed, plan)
        network = Network(world)
        books = Books(world, age: plan.age)
        disk = Disk(world, limits: plan.limits)
        hosts = (0..<plan.hostCount).map { Host("host\($0)", world, network) }
        configuration.messageAge = plan.age
        configuration.maintenanceInterval = plan.maintenanceInterval
        configuration.session.deliveryCount = 4
        configuration.session.windowCount = plan.window
        configuration.redeliverAfter = [.seconds(1), .seconds(5), .seconds(20)]
    }

    /// Runs the simulation to its end; returns the violations.
    func run() -> [String] {
        world.watch = { [unowned self] in if !isDiskDown, disk.hasCrashed { diskCrashed() } }
        Task.detached { [self] in
            do { try await script() } catch { failure = "\(error)" }
            isOver = true
        }
        world.run(until: .zero + .seconds(1_000_000)) { isOver }
        // Ends the tasks that are left.
        for host in hosts { host.die() }
        world.watch = {}
        let end = world.now + .seconds(10_000)
        world.run(until: end) { false }
        if !isOver { failure = "nothing happens any more" }
        return books.violations + (correspondence?.judge() ?? []) + (failure.map { ["the run broke off: \($0)"] } ?? [])
    }

    private func script() async throws {
        try await disk.open()
        for host in hosts { await bringUp(host) }
        fanOut()
        for (index, habit) in plan.habits.enumerated() {
            let name = "r\(index)"
            let endpoint = habit == .home ? try ServiceEndpoint(parsing: "http://\(name).example") : .queue
            let wallet = try await Wallet(world, network, hosts[0], endpoint: endpoint, keyCount: 2)
            let recipient = Recipient(name, habit, wallet, world, network, books, hosts)
            plan.shape(recipient)
            recipients.append(recipient)
            for (place, key) in wallet.keys.enumerated() {
                senders.append(
                    Sender("s\(index)\(place)", to: recipient, key, count: plan.messages, pause: plan.pause))
            }
        }
        if let correspondencePlan { try await connect(correspondencePlan) }
        network.lossOneIn = plan.lossOneIn
        correspondence?.begin()
        for recipient in recipients { Task.detached { await recipient.run() } }
        for sender in senders { Task.detached { await sender.run() } }
        for fault in plan.faults {
            await world.pause(fault.after)
            await strike(fault.kind)
        }
        _ = await world.until(within: .seconds(36_000)) { senders.allSatisfy(\.isOver) }
        await calm()
        try await judge()
    }

    /// Adds two clients of the cloud agent that write to each other.
    private func connect(_ plan: CorrespondencePlan) async throws {
        var pair: [Recipient] = []
        for (index, habit) in plan.habits.enumerated() {
            let wallet = try await Wallet(world, network, hosts[0], endpoint: .queue, keyCount: 1)
            let recipient = Recipient("p\(index)", habit, wallet, world, network, books, hosts)
            self.plan.shape(recipient)
            pair.append(recipient)
        }
        let made = try Correspondence(pair, plan, planted: planted)
        for (recipient, key) in made.firstKeys {
            guard await recipient.wallet.register(key, at: hosts[0]) else {
                throw Wallet.Refused(what: "a key was not taken")
            }
        }
        recipients += pair
        correspondence = made
    }

    /// Passes the store's notifications to every instance, with a delay; may replace one by a later “any message”.
    private func fanOut() {
        disk.store?.listen { [unowned self] news in
            if case .wentBack = news { world.note("went-back", visit: true) }
            for host in hosts {
                // Each instance finds out of its own accord that the store went back.
                var mayMiss = plan.missesWords
                if case .wentBack = news { mayMiss = false }
                let isMissed = mayMiss && world.random.chance(1, in: 10)
                if isMissed { world.note("word-missed", visit: true) }
                world.after(isMissed ? .seconds(2) : world.milliseconds(0...20)) {
                    host.store?.listener?(isMissed ? .anyMail : news)
                }
            }
        }
    }

    /// Starts a process repeatedly until it is up, as a supervisor does.
    private func bringUp(_ host: Host) async {
        while host.service == nil, !isOver {
            if !isDiskDown {
                do {
                    try await host.start(configuration, disk, books, planted, isShared: hosts.count > 1)
                } catch {
                    world.note("does-not-start", "\(host.name): \(error)")
                }
            }
            if host.service == nil { await world.pause(.seconds(1)) }
        }
    }

    // Faults.

    private func strike(_ fault: Plan.Fault) async {
        world.note(fault.name, visit: true)
        switch fault {
        case .kill(let losesPower): kill(anyHost(), losesPower: losesPower)
        case .crashAtWrite(let operation): disk.arm(.crash, at: operation)
        case .failingDisk(let fault, let operation, let duration):
            disk.arm(fault, at: operation)
            await world.pause(duration)
            disk.arm(nil, at: 0)
        case .drain(let killedAfter):
            let host = anyHost()
            Task.detached { [self] in
                await host.drain()
                await reopen()
                await world.pause(world.milliseconds(10...5000))
                await bringUp(host)
            }
            if let killedAfter {
                await world.pause(killedAfter)
                if host.isDraining { kill(host, losesPower: false) }
            }
        case .clock(let seconds): world.setClock(by: seconds)
        case .goesBack(let lag): await goBack(lag)
        case .freeze(let duration): disk.freeze(for: duration)
        case .split(let duration): await split(for: duration)
        case .cutAll:
            for line in hosts.flatMap(\.lines) { line.cut(agentNoticesWithin: 30_000, clientNoticesWithin: 30_000) }
        }
    }

    private func anyHost() -> Host { hosts[world.random.within(0...(hosts.count - 1))] }

    /// Closes and opens the store after a process that was alone on its disk has ended.
    private func reopen() async {
        guard hosts.count == 1, !isDiskDown, hosts[0].service == nil else { return }
        isDiskDown = true
        await disk.close()
        await openDisk()
    }

    /// Opens the store, and retries every second until the disk permits it.
    private func openDisk() async {
        while true {
            do {
                try await disk.open()
                break
            } catch {
                world.note("does-not-open", "\(error)")
                if disk.hasCrashed { await disk.restart(losesPower: world.random.chance(1, in: 2)) }
                await world.pause(.seconds(1))
            }
        }
        isDiskDown = false
        fanOut()
    }

    /// Kills a process; a process that is alone on its disk takes the disk down with it.
    private func kill(_ host: Host, losesPower: Bool) {
        guard !isDiskDown else { return }
        guard hosts.count > 1 else { return diskCrashed(losesPower) }
        host.die()
        let pause = world.milliseconds(10...15_000)
        Task.detached { [self] in
            await world.pause(pause)
            await bringUp(host)
        }
    }

    /// Replaces the database server by one that lacks the writes of the last `lag`; the instances continue.
    private func goBack(_ lag: Duration) async {
        guard !isDiskDown else { return }
        disk.keep()
        books.keep()
        await world.pause(lag)
        guard !isDiskDown, disk.store != nil else { return }
        isDiskDown = true
        await disk.goBack()
        books.wentBack()
        await world.pause(world.milliseconds(10...15_000))
        await openDisk()
        for host in hosts {
            host.store?.listener?(.anyMail)
            await bringUp(host)
        }
    }

    /// Lets an instance continue with the former primary for a while, and the others with the new one.
    private func split(for duration: Duration) async {
        let host = anyHost()
        guard !isDiskDown, let late = host.store, let (former, end) = try? await disk.fork() else { return }
        former.listen { [world] news in
            world.after(world.milliseconds(0...20)) { if late.former != nil { late.listener?(news) } }
        }
        books.splits()
        late.former = former
        await world.pause(duration)
        late.former = nil
        late.listener?(.wentBack(StoreDataLoss(steps: nil, age: .zero, timelineBefore: nil, timelineAfter: nil)))
        late.listener?(.anyMail)
        await end()
    }

    /// Takes down the disk for a while: with one process, that too; with several, the server that they share.
    private func diskCrashed(_ losesPower: Bool? = nil) {
        guard !isDiskDown else { return }
        isDiskDown = true
        world.note("disk-down", visit: true)
        if hosts.count == 1 { hosts[0].die() }
        let isDark = losesPower ?? world.random.chance(1, in: 2)
        Task.detached { [self] in
            await disk.restart(losesPower: isDark)
            await world.pause(world.milliseconds(10...15_000))
            await openDisk()
            for host in hosts {
                host.store?.listener?(.anyMail)
                await bringUp(host)
            }
        }
    }

    // The end.

    /// Ends all faults, and waits until all accepted messages have arrived.
    private func calm() async {
        world.note("calm")
        network.lossOneIn = 0
        disk.arm(nil, at: 0)
        _ = await world.until(within: .seconds(120)) { !isDiskDown && hosts.allSatisfy { $0.service != nil } }
        for host in hosts { await bringUp(host) }
        for recipient in recipients { recipient.behave() }
        correspondence?.behave()
        _ = await world.until(within: .seconds(1200)) { correspondence?.isSettled ?? true }
        let forgetful = forgetful
        _ = await world.until(within: .seconds(1200)) { books.missing(forgetful: forgetful).isEmpty }
        // In this time the last acknowledgements are carried out, and messages whose answer was empty are fetched too.
        await world.pause(.seconds(240))
    }

    private var forgetful: Set<String> { Set(recipients.filter(\.habit.isForgetful).map(\.name)) }

    private func judge() async throws {
        for recipient in recipients { recipient.isOver = true }
        guard let store = disk.store else {
            failure = "the store is not there at the end"
            return
        }
        let left = try await WatchedStore.texts(in: store)
        books.judge(forgetful: forgetful, left: left)
        if !left.isEmpty { failure = "messages wait at the end: \(left.sorted())" }
        let findings = try await store.check()
        if !findings.isEmpty { failure = "the store is not whole: \(findings)" }
        for host in hosts { await host.drain() }
        await disk.close()
    }
}
