import BlueZRadio
import Bluetooth
import CommandProgram
import Determinism
import Radio

/// A test of two radios of one machine: one advertises and answers, the other finds it and asks.
///
/// Needs no special rights: the advertisement has no scan response, and the asking side subscribes.
struct RadioLoopbackTest: Sendable {
    /// The steps, in their order.
    enum LoopbackTestStep: String, Sendable, CaseIterable {
        /// Services are published and advertised.
        case advertise = "be advertised"
        /// The other radio hears the advertisement.
        case hear = "be heard"
        /// The other radio connects.
        case connect
        /// Services are found and subscribed to.
        case discover = "be looked at"
        /// The question is written and answered.
        case ask = "answer"
    }

    /// The time-out of the whole test.
    static let patience = Duration.seconds(45)

    private static let service = BluetoothUUID(UInt16(0xFFF0))
    private static let question = BluetoothUUID(UInt16(0xFFF1))
    private static let answer = BluetoothUUID(UInt16(0xFFF2))

    private let advertiser: any PeripheralRadio
    private let seeker: any CentralRadio
    private let nonce: [UInt8]
    private let step = Lock(LoopbackTestStep.advertise)

    /// Makes a test.
    ///
    /// - Parameter nonce: 8 bytes that distinguish this run from others nearby.
    init(advertiser: any PeripheralRadio, seeker: any CentralRadio, nonce: [UInt8]) {
        self.advertiser = advertiser
        self.seeker = seeker
        self.nonce = nonce
    }

    /// Runs the test.
    ///
    /// - Returns: Nil when it passed, else the step at which it failed, and why.
    func run(_ clock: any MonotonicClock) async -> (step: LoopbackTestStep, reason: String)? {
        let reason = await withTaskGroup(of: String?.self) { group in
            group.addTask { await self.talk() }
            group.addTask {
                try? await clock.wait(until: clock.now() + Self.patience)
                return "it took longer than \(Self.patience.components.seconds) seconds"
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        await advertiser.stopAdvertising()
        return reason.map { (reached, $0) }
    }

    private func talk() async -> String? {
        do {
            try await advertise()
            let serving = Task { await serve() }
            defer { serving.cancel() }
            reach(.hear)
            guard let address = try await hear() else { return "the scan ended" }
            reach(.connect)
            let link = try await seeker.connect(to: address, timeout: .seconds(20))
            let reason = try await ask(over: link)
            await link.disconnect()
            return reason
        } catch let error as RadioError {
            return error.reason
        } catch {
            return "\(error)"
        }
    }

    /// The step that it has reached.
    var reached: LoopbackTestStep { step.withLock { $0 } }

    private func reach(_ next: LoopbackTestStep) { step.withLock { $0 = next } }

    private func advertise() async throws(RadioError) {
        try await advertiser.publish([
            ServiceDefinition(
                uuid: Self.service,
                characteristics: [
                    CharacteristicDefinition(uuid: Self.question, properties: .write),
                    CharacteristicDefinition(uuid: Self.answer, properties: .notify, hasClientConfiguration: true),
                ])
        ])
        let data = [2, 1, 6, UInt8(nonce.count + 3), 0x16] + Self.service.littleEndian + nonce
        try await advertiser.startAdvertising(Advertisement(data: data, scanResponse: []))
    }

    private func hear() async throws -> DeviceAddress? {
        for try await report in try await seeker.scan(services: []) {
            let isOurs = report.data.indices.contains { report.data[$0...].starts(with: nonce) }
            if isOurs { return report.address }
        }
        return nil
    }

    /// Answers each write with the same bytes in reverse.
    private func serve() async {
        for await event in advertiser.events {
            guard case .written(let link, Self.question, let value, _) = event else { continue }
            try? await advertiser.notify(value.reversed(), of: Self.answer, on: link, confirmed: false)
        }
    }

    private func ask(over link: any CentralLink) async throws -> String? {
        reach(.discover)
        guard let service = try await link.discoverServices(Self.service).first else { return "its service is missing" }
        let found = try await link.discoverCharacteristics(of: service)
        guard let question = found.first(where: { $0.uuid == Self.question }),
            let answer = found.first(where: { $0.uuid == Self.answer })
        else { return "its characteristics are missing" }
        try await link.subscribe(to: answer)
        reach(.ask)
        try await link.write(nonce, to: question)
        for await event in link.events {
            guard case .value(let value, _, _) = event else { continue }
            return value == nonce.reversed() ? nil : "the answer was another one"
        }
        return "the link went down"
    }
}

extension RadioLoopbackTest {
    /// Tries two adapters that are on: the last of them that can advertise serves, the first asks.
    static func finding(_ facts: BluetoothFacts, _ environment: CommandEnvironment) async -> BluetoothDiagnosis.Finding
    {
        let adapters = facts.adapters.filter(\.isPowered)
        guard let seeker = adapters.first, let advertiser = adapters.last(where: \.isPeripheral), seeker != advertiser
        else {
            return finding(.note, "There are no two adapters that are on, so nothing was tried over the air.")
        }
        let names = "\(advertiser.name) and \(seeker.name)"
        do throws(RadioError) {
            let serving = try await environment.openAdapter(BlueZRadio.Configuration(adapter: advertiser.name))
            let failure = await tried(serving, seeker.name, environment)
            await serving.close()
            guard let failure else {
                return finding(.fine, "\(names) found each other, connected, wrote and answered.")
            }
            return finding(
                .missing, "\(advertiser.name) could not \(failure.step) with \(seeker.name): \(failure.reason)")
        } catch {
            return finding(.missing, "\(names) could not be used: \(error.reason)")
        }
    }

    private static func tried(
        _ serving: any ClosableRadio, _ seeker: String, _ environment: CommandEnvironment
    ) async -> (step: String, reason: String)? {
        do throws(RadioError) {
            let asking = try await environment.openAdapter(BlueZRadio.Configuration(adapter: seeker))
            var random = environment.makeRandom()
            let loop = RadioLoopbackTest(advertiser: serving, seeker: asking, nonce: random.bytes(count: 8))
            let failure = await loop.run(environment.clock)
            await asking.close()
            return failure.map { ($0.step.rawValue, $0.reason) }
        } catch {
            return (LoopbackTestStep.hear.rawValue, error.reason)
        }
    }

    private static func finding(
        _ gravity: BluetoothDiagnosis.Severity, _ sentence: String
    ) -> BluetoothDiagnosis.Finding {
        BluetoothDiagnosis.Finding(name: "loop-back", gravity: gravity, sentence: sentence)
    }
}
