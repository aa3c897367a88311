import Radio

/// One adapter for the sessions of a station: opened for the first of them, and closed after the last.
///
/// An adapter serves one program, which advertises for wallets all day and for a phone that connects beside them. Two
/// sessions whose services have the same characteristics need two adapters: the events of a radio do not tell them
/// apart. A station has one session with wallets and one with a phone at a time.
package actor SharedStationRadio {
    private struct OpenedRadio {
        let shared: SharedPeripheralRadio
        let close: @Sendable () async -> Void
    }

    private let open: @Sendable () async throws -> StationRadio
    private var opened: Task<OpenedRadio, any Error>?
    /// The closing of the radio before, which the next one waits for: an adapter serves one at a time.
    private var closing: Task<Void, Never>?
    private var userCount = 0

    /// Shares the radios that `open` opens, one at a time.
    package init(open: @escaping @Sendable () async throws -> StationRadio) { self.open = open }

    /// Makes the radio of one more session; its `close` ends this session's part alone.
    ///
    /// - Throws: what `open` throws; `unavailable` where the radio is lost, until its sessions have ended.
    package func makeRadio() async throws -> StationRadio {
        userCount += 1
        do {
            let user = try await openedRadio().shared.makeUser()
            return StationRadio(user) {
                await user.leave()
                await self.leave()
            }
        } catch {
            await leave()
            throw error
        }
    }

    private func openedRadio() async throws -> OpenedRadio {
        let task: Task<OpenedRadio, any Error>
        if let opened {
            task = opened
        } else {
            let closing = closing
            task = Task { [open] in
                await closing?.value
                let radio = try await open()
                do {
                    return OpenedRadio(shared: try SharedPeripheralRadio(radio.radio), close: radio.close)
                } catch {
                    await radio.close()
                    throw error
                }
            }
            opened = task
        }
        return try await task.value
    }

    private func leave() async {
        userCount -= 1
        guard userCount == 0, let last = opened else { return }
        opened = nil
        let closing = Task { if let radio = try? await last.value { await radio.close() } }
        self.closing = closing
        await closing.value
    }
}
