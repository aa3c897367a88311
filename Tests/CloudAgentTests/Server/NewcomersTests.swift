import Aries
import AriesRuntime
import CryptoSuite
import DIDComm
import Determinism
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgent

/// How many accounts one source may open.
@Suite struct NewcomersTests {
    private func office(
        in folder: String, perHour: Int, change: (inout CloudAgentConfiguration) -> Void = { _ in }
    ) async throws -> AgentOffice {
        var configuration = CloudAgentConfiguration()
        change(&configuration)
        configuration.perSourceAccounts = perHour
        return try AgentOffice(
            configuration, try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite"), try RunningAgent.secret(),
            try AgentEndpoints("http://agent.example"), wire: WebMessageTransport(WebService()),
            timekeeper: SystemTimekeeper(),
            wallTime: Wallet.time)
    }

    /// Asks for an account from an address; whether one was opened.
    private func opens(_ office: AgentOffice, from address: String) async throws -> Bool {
        let source = SocketAddress(try #require(IPAddress(parsing: address)), 4000)
        let request = try RawClient.request(for: office.invitations.current.invitation)
        let before = try await office.store.totals().accounts
        let carrier = RequestCarrier()
        let line = ClientLine(carrier, from: source, office)
        #expect(await EnvelopeDesk(office: office).take(request, on: line) == .taken)
        #expect(carrier.answer != nil, "a refusal is an answer")
        return try await office.store.totals().accounts > before
    }

    @Test func `a source opens as many accounts in an hour as it may, and others are not held up`() async throws {
        try await TemporaryFolder.with { folder in
            let office = try await office(in: folder, perHour: 2)
            #expect(try await opens(office, from: "192.0.2.1"))
            #expect(try await opens(office, from: "192.0.2.1"))
            #expect(try await opens(office, from: "192.0.2.1") == false)
            #expect(office.tally.counts.turnedAway == 1)
            #expect(try await opens(office, from: "2001:db8::1"))
            #expect(try await opens(office, from: "2001:db8::2"))
            #expect(try await opens(office, from: "2001:db8::3") == false, "by the first 64 bits")
            for _ in 0..<4 { #expect(try await opens(office, from: "127.0.0.1"), "a proxy may be here") }
            await office.store.close()
        }
    }

    @Test func `without a limit a source opens what it likes`() async throws {
        try await TemporaryFolder.with { folder in
            let office = try await office(in: folder, perHour: 0)
            for _ in 0..<4 { #expect(try await opens(office, from: "192.0.2.1")) }
            await office.store.close()
        }
    }

    @Test func `the same request opens an account again that was forgotten because it was never confirmed`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            // Every account counts as old.
            let office = try await office(in: folder, perHour: 0) { $0.confirmationWait = .seconds(-60) }
            let request = try RawClient.request(for: office.invitations.current.invitation)
            for _ in 0..<2 {
                let line = ClientLine(RequestCarrier(), from: nil, office)
                #expect(await EnvelopeDesk(office: office).take(request, on: line) == .taken)
                #expect(try await office.store.totals().accounts == 1)
                _ = await Upkeep(office: office).once(after: nil)
                #expect(try await office.store.totals().accounts == 0)
            }
            await office.store.close()
        }
    }

    @Test func `as many keys are at hand as may be, and those that were forgotten are read again`() async throws {
        try await TemporaryFolder.with { folder in
            let office = try await office(in: folder, perHour: 0)
            var random = SystemRandom()
            var keys: [AgentKey] = []
            for start in stride(from: 0, to: KeyCabinet.capacity + 1, by: 512) {
                let more = (start..<min(start + 512, KeyCabinet.capacity + 1)).map { _ in AgentKey.make(from: &random) }
                try await office.store.addOwnKeys(more.map { KeyCabinet.stored($0, .routing, by: office.secret) })
                keys += more
            }
            for key in keys { #expect(try await office.cabinet.find(key.verkey)?.key.verkey == key.verkey) }
            #expect((KeyCabinet.capacity / 2...KeyCabinet.capacity).contains(office.cabinet.count))
            #expect(try await office.cabinet.find(keys[0].verkey)?.key.verkey == keys[0].verkey)
            await office.store.close()
        }
    }

    @Test func `a key in use stays at hand while as many others as may be are used once`() async throws {
        try await TemporaryFolder.with { folder in
            let office = try await office(in: folder, perHour: 0)
            var random = SystemRandom()
            let busy = AgentKey.make(from: &random)
            try await office.store.addOwnKeys([KeyCabinet.stored(busy, .routing, by: office.secret)])
            for _ in 0..<2 {
                _ = try await office.cabinet.find(busy.verkey)
                // So many that a key which was not used meanwhile counts as unused.
                for _ in 0..<KeyCabinet.capacity / 1024 {
                    let others = (0..<512).map { _ in AgentKey.make(from: &random) }
                    try await office.store.addOwnKeys(others.map { KeyCabinet.stored($0, .routing, by: office.secret) })
                    for other in others { _ = try await office.cabinet.find(other.verkey) }
                }
            }
            await office.store.close()
            #expect(try await office.cabinet.find(busy.verkey)?.key.verkey == busy.verkey, "without the store")
        }
    }
}
