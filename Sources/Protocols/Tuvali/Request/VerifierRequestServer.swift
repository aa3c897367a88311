import ByteCoding

/// Serves the sealed request of one session, window by window, to the wallet that reads it.
///
/// A window is what one read of REQUEST returns: number (2 bytes, from 1), CRC-16/KERMIT of the data (2 bytes), data.
/// Each read gives the next one; a read of REQUEST_SIZE begins anew. Source: `Documentation/Profiles/request.md`,
/// "Windows".
struct VerifierRequestServer: Sendable {
    /// The server's answer to one read of the wallet.
    enum ReadAnswer: Hashable, Sendable {
        /// The value to return; `isLast` when the wallet has read the whole request with it for the first time.
        case value([UInt8], isLast: Bool)
        /// The wallet has read more often than the limit allows.
        case exhausted
    }

    private let sealed: [UInt8]
    private let readLimit: Int
    private var position = 0
    private var number: UInt16 = 0
    private var readCount = 0
    /// The value of the last read, from which the rest of a long read is served.
    private var window: [UInt8] = []

    /// True once the wallet has read the last window of the request.
    private(set) var isRead = false

    init(sealed: [UInt8], readLimit: Int) {
        self.sealed = sealed
        self.readLimit = readLimit
    }

    /// Returns the value of REQUEST_SIZE, and starts REQUEST at the first window.
    mutating func readSize(offset: Int) -> ReadAnswer {
        guard count() else { return .exhausted }
        if offset == 0 {
            position = 0
            number = 0
            window = []
        }
        return .value(VerifierRequestSize(sealedBytes: UInt32(sealed.count)).bytes, isLast: false)
    }

    /// Returns the next window over a link with `mtu`, or the same one again at an offset; empty after the last.
    mutating func readWindow(offset: Int, mtu: Int) -> ReadAnswer {
        guard count() else { return .exhausted }
        guard offset == 0 else { return .value(window, isLast: false) }
        let data = sealed[position...].prefix(max(0, ChunkLayout.writeBytes(mtu: mtu) - ChunkLayout.headerBytes))
        guard !data.isEmpty else {
            window = []
            return .value([], isLast: false)
        }
        position += data.count
        number += 1
        window = []
        window.appendBigEndian(number)
        window.appendBigEndian(CRC16Kermit.checksum(of: data))
        window += data
        let isLast = position == sealed.count && !isRead
        if isLast { isRead = true }
        return .value(window, isLast: isLast)
    }

    private mutating func count() -> Bool {
        readCount = min(readCount + 1, readLimit + 1)
        return readCount <= readLimit
    }
}
