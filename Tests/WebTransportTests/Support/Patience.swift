import WebTransport

/// Waits until something holds, which it does soon or never: asks again for up to two minutes.
func eventually(_ holds: () async -> Bool) async -> Bool {
    for _ in 0..<12_000 {
        if await holds() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}

/// A door that stays shut until it is opened.
actor Door {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

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

// Deadlines that nothing reaches, be the machine as busy as it may, for tests that are not about deadlines.

extension ServerLimits {
    static var patient: ServerLimits {
        var limits = ServerLimits()
        limits.headerDeadline = .seconds(110)
        limits.bodyDeadline = .seconds(110)
        limits.handlerDeadline = .seconds(110)
        limits.lingerDeadline = .seconds(110)
        limits.responseDeadline = .seconds(110)
        limits.idleDeadline = .seconds(110)
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

extension ClientLimits {
    static var patient: ClientLimits {
        var limits = ClientLimits()
        limits.deadline = .seconds(110)
        return limits
    }
}

extension WebSocketLimits {
    static var patient: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.pingInterval = .seconds(110)
        limits.sendDeadline = .seconds(110)
        limits.closeDeadline = .seconds(110)
        return limits
    }
}
