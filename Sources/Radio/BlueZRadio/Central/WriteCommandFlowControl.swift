/// Flow control of the write commands of one link.
///
/// bluetoothd takes write commands faster than it, or another one, gets them out of the kernel at the other end, and
/// what does not fit there is lost. So it is asked for an answer after every few commands. One request may be
/// unanswered while commands go on, so that the link does not run empty over it.
struct WriteCommandFlowControl {
    /// The number of write commands sent between two requests; twice as many may be ahead of bluetoothd.
    static let commandsPerRequest = 16
    /// The most unanswered requests at which write commands still go on.
    static let unansweredRequests = 1

    /// Write commands since the last request.
    private var commands = 0
    private var requests = 0

    /// True when no command may follow before bluetoothd has answered.
    var mustWait: Bool { requests > Self.unansweredRequests }

    /// The number of commands that may go direct before one goes over D-Bus, which makes the next request.
    var directCommands: Int { Self.commandsPerRequest - commands - 1 }

    /// Counts a command that went the ordinary way; true when bluetoothd has to be asked for an answer now.
    mutating func sent() -> Bool {
        commands += 1
        guard commands >= Self.commandsPerRequest else { return false }
        commands = 0
        requests += 1
        return true
    }

    /// Counts commands that went direct.
    mutating func sentDirectly(_ count: Int) { commands += count }

    /// Counts the answer to a request, or its failure.
    mutating func answered() { requests -= 1 }
}
