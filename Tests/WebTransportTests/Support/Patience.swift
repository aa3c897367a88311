import WebTransport

/// Polls until a condition holds, for two minutes at most; false when it never did.
func eventually(_ holds: () async -> Bool) async -> Bool {
    for _ in 0..<12_000 {
        if await holds() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}

/// A gate at which tasks wait until a test opens it.
actor Door {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// The number of tasks that wait at the closed gate.
    var count: Int { waiters.count }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}

// Deadlines that nothing reaches, be the machine as busy as it may, for tests that are not about deadlines. They are
// longer than `RawPeer` waits, so that an end at a deadline is never taken for a refusal.

extension HTTPServerLimits {
    static var patient: HTTPServerLimits {
        var limits = HTTPServerLimits()
        limits.headerDeadline = .seconds(600)
        limits.bodyDeadline = .seconds(600)
        limits.handlerDeadline = .seconds(600)
        limits.lingerDeadline = .seconds(600)
        limits.responseDeadline = .seconds(600)
        limits.idleDeadline = .seconds(600)
        return limits
    }
}

extension ServerConfiguration {
    static var patient: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.limits = .patient
        return configuration
    }
}

extension ClientRequestLimits {
    static var patient: ClientRequestLimits {
        var limits = ClientRequestLimits()
        limits.deadline = .seconds(600)
        return limits
    }
}

extension WebSocketLimits {
    static var patient: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.pingInterval = .seconds(600)
        limits.sendDeadline = .seconds(600)
        limits.closeDeadline = .seconds(600)
        return limits
    }
}
