import Testing
import Tuvali
import VirtualRadio

@testable import TuvaliCompatibility

/// Long-lived objects with the calls of the deployed libraries, on a virtual air in real time.
@Suite struct HandOverTests {
    /// The events of one object, in their order.
    struct Recording {
        private var iterator: AsyncStream<any Event>.Iterator

        init(_ subscribe: (@escaping @Sendable (any Event) -> Void) -> Void) {
            let (events, continuation) = AsyncStream.makeStream(of: (any Event).self)
            subscribe { continuation.yield($0) }
            iterator = events.makeAsyncIterator()
        }

        mutating func next() async -> (any Event)? { await iterator.next() }

        /// The names of the events up to the one of that name.
        mutating func names(upTo last: String) async -> [String] {
            var names: [String] = []
            while names.last != last, let event = await next() { names.append(event.type) }
            return names
        }
    }

    /// Deadlines that a machine busy with other tests does not reach.
    static var patient: WalletConfiguration {
        var configuration = WalletConfiguration()
        configuration.scanWait = .seconds(120)
        configuration.connectWait = .seconds(60)
        return configuration
    }

    @Test func `wallet and verifier of the compatibility library hand over twice, with the stock events`()
        async throws
    {
        let air = VirtualAir.private()
        let verifier = Verifier(radio: try await air.makeRadio())
        let wallet = Wallet(radio: try await air.makeRadio(), configuration: Self.patient)
        var (desk, phone) = (Recording(verifier.subscribe), Recording(wallet.subscribe))
        for (text, status) in [("{\"k\":1}", VerificationStatusEvent.VerificationStatus.ACCEPTED), ("two", .REJECTED)] {
            let uri = await verifier.startAdvertisement("OVPMOSIP")
            #expect(uri.hasPrefix("OPENID4VP://connect?name=OVPMOSIP&key="))
            wallet.startConnection(uri)
            #expect(
                await phone.names(upTo: "onSecureChannelEstablished") == ["onConnected", "onSecureChannelEstablished"])
            wallet.sendData(text)
            #expect(
                await desk.names(upTo: "onSecureChannelEstablished") == ["onConnected", "onSecureChannelEstablished"])
            let received = try #require(await desk.next() as? DataReceivedEvent)
            #expect(received == DataReceivedEvent(data: text, crcFailureCount: 0, totalChunkCount: 1))
            verifier.sendVerificationStatus(status)
            #expect(await phone.next() is DataSentEvent)
            #expect(await phone.next() as? VerificationStatusEvent == VerificationStatusEvent(status: status))
            #expect(await phone.next() is DisconnectedEvent)
            #expect(await desk.next() is DisconnectedEvent)
        }
        await air.close()
    }

    /// Keeps what a bridge emits.
    private final class Emitter: BridgeEmitter {
        let events: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (events, continuation) = AsyncStream.makeStream(of: String.self) }

        func emit(_ name: String, _ body: [String: any Sendable]) {
            let status = (body["status"] as? Int).map { " \($0)" } ?? ""
            continuation.yield("\(name) \(body["type"] as? String ?? "")\(status)")
        }
    }

    @Test func `a React Native bridge as in Inji hands over through the wallet's protocol`() async throws {
        let air = VirtualAir.private()
        let verifier = Verifier(radio: try await air.makeRadio())
        let emitter = Emitter()
        let bridge = WalletBridge(
            wallet: Wallet(radio: try await air.makeRadio(), configuration: Self.patient), emitter: emitter)
        verifier.subscribe { if $0 is DataReceivedEvent { verifier.sendVerificationStatus(.ACCEPTED) } }
        bridge.startConnection(await verifier.startAdvertisement("OVPMOSIP"))
        var seen: [String] = []
        for await event in emitter.events {
            seen.append(event)
            if event == "DATA_EVENT onSecureChannelEstablished" { bridge.sendData("{}") }
            if event == "DATA_EVENT onDisconnected" { break }
        }
        #expect(seen.suffix(3).first == "DATA_EVENT onDataSent")
        #expect(seen.contains("DATA_EVENT onVerificationStatusReceived 0"))
        bridge.unsubscribe()
        await air.close()
    }

    @Test func `a disconnect by wallet or verifier ends the connection at both, with one event each`() async throws {
        for walletEnds in [true, false] {
            let air = VirtualAir.private()
            let verifier = Verifier(radio: try await air.makeRadio())
            let wallet = Wallet(radio: try await air.makeRadio(), configuration: Self.patient)
            var (desk, phone) = (Recording(verifier.subscribe), Recording(wallet.subscribe))
            wallet.startConnection(await verifier.startAdvertisement("Desk"))
            _ = await phone.names(upTo: "onSecureChannelEstablished")
            _ = await desk.names(upTo: "onSecureChannelEstablished")
            if walletEnds { wallet.disconnect() } else { verifier.disconnect() }
            #expect(await phone.next() is DisconnectedEvent)
            #expect(await desk.next() is DisconnectedEvent)
            await air.close()
        }
    }

    @Test func `starting wallet or verifier again ends the hand-over under way`() async throws {
        let air = VirtualAir.private()
        let verifier = Verifier(radio: try await air.makeRadio())
        let wallet = Wallet(radio: try await air.makeRadio(), configuration: Self.patient)
        var (desk, phone) = (Recording(verifier.subscribe), Recording(wallet.subscribe))
        let old = await verifier.startAdvertisement("Desk")
        let new = await verifier.startAdvertisement("Desk")
        #expect(old != new)
        #expect(await desk.next() is DisconnectedEvent)
        wallet.startConnection(new)
        _ = await phone.names(upTo: "onSecureChannelEstablished")
        wallet.startConnection("no code")
        #expect(await phone.next() is DisconnectedEvent)
        #expect((await phone.next() as? ErrorEvent)?.code == "TVW_CON_001")
        await air.close()
    }

    @Test func `impossible calls of the compatibility library give an error with a documented code`() async throws {
        let air = VirtualAir.private()
        let verifier = Verifier(radio: try await air.makeRadio())
        let wallet = Wallet(radio: try await air.makeRadio())
        var (desk, phone) = (Recording(verifier.subscribe), Recording(wallet.subscribe))
        for text in ["OPENID4VP://connect?name=Desk", "openid4vp://authorize?key=00", ""] {
            wallet.startConnection(text)
            #expect((await phone.next() as? ErrorEvent)?.code == "TVW_CON_001")
        }
        wallet.send("too early")
        #expect((await phone.next() as? ErrorEvent)?.code == "TUV_UNK_001")
        verifier.sendVerificationStatus(0)
        #expect((await desk.next() as? ErrorEvent)?.code == "TUV_UNK_001")
        #expect(await verifier.startAdvertisement("fifteen bytes..").isEmpty)
        #expect(await desk.next() is ErrorEvent)
        #expect(await !verifier.startAdvertisement("fourteen bytes").isEmpty)
        await air.close()
    }

    @Test func `a wallet without a verifier near gets its error code, and then the disconnect event`()
        async throws
    {
        let air = VirtualAir.private()
        var configuration = WalletConfiguration()
        configuration.scanWait = .milliseconds(20)
        let wallet = Wallet(radio: try await air.makeRadio(), configuration: configuration)
        var phone = Recording(wallet.subscribe)
        wallet.startConnection(try TuvaliURI(name: "Desk", key: [9] + [UInt8](repeating: 0, count: 31)).text)
        #expect((await phone.next() as? ErrorEvent)?.code == "TVW_UNK_001")
        #expect(await phone.next() is DisconnectedEvent)
        await air.close()
    }

    @Test func `a removed event listener gets no event`() async throws {
        let air = VirtualAir.private()
        let wallet = Wallet(radio: try await air.makeRadio())
        wallet.subscribe { _ in Issue.record("the listener was taken away") }
        wallet.unsubscribe()
        var phone = Recording(wallet.subscribe)
        wallet.startConnection("no code")
        #expect(await phone.next() is ErrorEvent)
        await air.close()
    }
}
