import ByteCoding
import CodeReader
import Determinism
import JSON
import WebTransport

/// One WebSocket of a page: opens the station for it, sends changes, and takes the operator's actions.
struct BrowserConnection: Sendable {
    /// The longest wait for a page to show its code or token.
    static let openingWait = Duration.seconds(10)
    /// The most entries of the list that are sent.
    static let maximumEntries = 500
    /// The most bytes of a message in JSON: a code of the most characters that the page sends.
    static let maximumTextBytes = 256 << 10

    let socket: WebSocketConnection
    let station: Station
    let stationCount: Int
    let gate: BrowserGate
    let version: String
    /// True while the codes in a picture are searched.
    private let isSearching = Lock(false)

    /// Serves the connection to its end.
    func serve() async {
        let socket = socket
        var messages = socket.messages.makeAsyncIterator()
        let place = await gate.arrive { socket.close(.policy, reason: "no code") }
        let late = Task {
            try await Task.sleep(for: Self.openingWait)
            socket.close(.policy, reason: "no code")
        }
        let first = try? await messages.next()
        late.cancel()
        await gate.stopWaiting(place)
        guard let number = await open(first ?? nil) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sendChanges() }
            group.addTask { await takeMessages(number) }
            await group.next()
            socket.close(.normal)
            group.cancelAll()
        }
        await gate.leave(number)
    }

    private func open(_ message: WebSocketMessage?) async -> Int? {
        guard let value = Self.object(message), value["do"]?.string == "open" else {
            socket.close(.policy, reason: "no code")
            return nil
        }
        let socket = socket
        let (answer, number) = await gate.open(code: value["code"]?.string, token: value["token"]?.string) { cause in
            _ = socket.offer(.text(StationMessages.closed(cause.rawValue).text))
            socket.close(.policy, reason: cause.rawValue)
        }
        switch answer {
        case .opened(let token, _):
            await send(StationMessages.opened(station, stations: stationCount, token: token, version: version))
            return number
        case .refused: await send(StationMessages.closed("refused"))
        case .wait(let time):
            await send(StationMessages.closed("wait", seconds: Int(time.components.seconds) + 1))
        }
        socket.close(.policy, reason: "not opened")
        return nil
    }

    /// Sends the state after each change, and a credential once.
    private func sendChanges() async {
        var held: Int?
        for await _ in await station.changes() {
            let snapshot = await station.snapshot()
            if snapshot.credential?.session != held {
                held = snapshot.credential?.session
                // The credential stands on the page before the state that speaks of it.
                await send(snapshot.credential.map(StationMessages.credential) ?? StationMessages.erased)
            }
            await send(StationMessages.state(snapshot))
        }
    }

    private func takeMessages(_ number: Int) async {
        do {
            for try await message in socket.messages {
                guard await gate.isCurrent(number) else { return }
                if case .binary(let bytes) = message {
                    guard let frame = PageFrame(bytes) else { return }
                    // The page sends the next picture after the answer.
                    if beginsSearch() { Task { await search(frame) } }
                    continue
                }
                guard let value = Self.object(message) else { return }
                await take(value)
            }
        } catch {
            // The page is gone; it comes back with its token.
        }
    }

    private func take(_ value: JSONObject) async {
        let session = value["session"]?.int ?? 0
        switch value["do"]?.string {
        case "accept": await station.operate(.accept(session: session))
        case "reject": await station.operate(.reject(session: session))
        case "erase": await station.operate(.erase)
        case "renew": await station.operate(.renew)
        case "ask": await station.operate(.ask(value["index"]?.int ?? -1))
        case "lock": await gate.lock()
        case "handover": await send(["type": "code", "code": .string("\(await gate.code)")])
        case "explain":
            let code = await station.take(typed: value["text"]?.string ?? "")
            await send(code.map(StationMessages.explained) ?? StationMessages.taken)
        case "list", "export", "forget": await list(value)
        default: break
        }
    }

    /// Takes each code in a picture; of codes without a credential the first one is explained.
    private func search(_ frame: PageFrame) async {
        let result = await frame.codes()
        var explained: ScannedCode?
        if case .success(let codes) = result {
            for code in codes { if let code = await station.take(code: code) { explained = explained ?? code } }
        }
        isSearching.withLock { $0 = false }
        switch result {
        case .success:
            await send(StationMessages.searched(nil))
            await send(explained.map(StationMessages.explained) ?? StationMessages.taken)
        case .failure(let error): await send(StationMessages.searched(error.code.rawValue))
        }
    }

    /// True when no picture was under way; then one is.
    private func beginsSearch() -> Bool {
        isSearching.withLock { isSearching in
            defer { isSearching = true }
            return !isSearching
        }
    }

    private func list(_ value: JSONObject) async {
        guard let list = station.dayList else { return }
        do throws(StationError) {
            switch value["do"]?.string {
            case "export": await send(["type": "export", "table": .string(try await list.table())])
            case "forget":
                try await list.eraseAll()
                await send(StationMessages.list(([], 0)))
            default:
                let text = (value["text"]?.string ?? "").start(scalars: 200)
                await send(StationMessages.list(try await list.entries(holding: text, count: Self.maximumEntries)))
            }
        } catch { await send(StationMessages.failed(error)) }
    }

    private func send(_ value: JSONValue) async {
        // A page that is gone is noticed where its messages are read.
        try? await socket.send(.text(value.text))
    }

    private static func object(_ message: WebSocketMessage?) -> JSONObject? {
        guard case .text(let bytes) = message else { return nil }
        return
            (try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumTextBytes, maximumDepth: 4)))?
            .object
    }
}
