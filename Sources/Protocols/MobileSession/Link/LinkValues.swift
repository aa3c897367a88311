/// The values of the characteristic State (ISO/IEC 18013-5, table 14).
enum LinkState {
    static let start: UInt8 = 1
    static let end: UInt8 = 2
}

/// The waits of a link.
enum LinkTimes {
    /// The wait for a connection to an advertiser.
    static let connect = Duration.seconds(10)
    /// The longest time from a connection to State 01, for the other side and for strangers.
    static let setUp = Duration.seconds(30)
    /// The wait for the subscriptions of a client that has begun, before a value is sent without them.
    static let subscription = Duration.seconds(3)
    /// The wait for the other side to hang up, or for the host to take the last values, after the end.
    static let close = Duration.seconds(3)
    /// The time for the air to carry what the host has taken, before the client hangs up: a host drops what it has not
    /// sent when the link ends, and a bluetoothd of 5.66 may end when the link goes while it hands over a write.
    static let departure = Duration.milliseconds(200)
    /// The wait for the first mode before the other one is tried too.
    static let secondMode = Duration.seconds(3)
}

/// The values that come over an open link: parts of messages, and states.
struct LinkInbox: Sendable {
    private var assembler: PartAssembler

    init(limit: Int) { assembler = PartAssembler(limit: limit) }

    /// The number of bytes of a message that is half here; nil between messages.
    var midMessage: Int? { assembler.isUnderWay ? assembler.bytes.count : nil }

    /// Drops what has come of a message: nothing is kept once the link has ended.
    mutating func clear() { assembler.clear() }

    /// Takes a part, and gives the event that it causes.
    mutating func take(_ part: [UInt8]) -> MobileLinkEvent {
        do throws(MobileSessionError) {
            if let message = try assembler.take(part) { return .message(message) }
            let announced = SessionMessageReader.announcedCount(of: assembler.bytes)
            return .progress(assembler.bytes.count, of: announced.flatMap { $0 <= assembler.limit ? $0 : nil })
        } catch {
            return .broken(error)
        }
    }

    /// Takes a value of State, and gives the event that it causes.
    func take(state: [UInt8]) -> MobileLinkEvent {
        guard state == [LinkState.end] else {
            let text = state.count == 1 ? "\(state[0])" : "of \(state.count) bytes"
            return .broken(MobileSessionError(.protocolBroken, "A state \(text) came on an open link."))
        }
        return .ended
    }
}
