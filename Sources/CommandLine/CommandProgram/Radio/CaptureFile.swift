import Bluetooth
import Determinism
import Radio
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writes the packets of a run to a btsnoop file.
///
/// Each packet is written at once, so that the capture of a killed run is complete up to its end. A full disk ends the
/// capture, not the run.
final class CaptureFile: PacketTap {
    private let descriptor: Int32
    private let writer = BTSnoopWriter()
    private let isOpen = Lock(true)

    /// Makes or empties the file at `path`, mode 0600.
    ///
    /// - Throws: `output.not-writable`.
    init(_ path: String) throws(CommandError) {
        descriptor = try POSIXFile.openOutput(path)
        guard POSIXFile.writeAll(BTSnoopWriter.header, to: descriptor) else {
            throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
        }
    }

    deinit { close(descriptor) }

    func record(_ packet: TappedPacket) {
        let bytes = encoded(packet)
        isOpen.withLock { isOpen in
            if isOpen { isOpen = POSIXFile.writeAll(bytes, to: descriptor) }
        }
    }

    private func encoded(_ packet: TappedPacket) -> [UInt8] {
        let handle = UInt16(truncatingIfNeeded: packet.linkNumber & 0x0EFF)
        let time = packet.microsecondsSinceEpoch
        switch packet.content {
        case .report(let report): return writer.advertisement(report, at: time)
        case .connected(let isCentral, let parameters):
            let known = parameters ?? LinkParameters(phy: .le1M, intervalMicroseconds: 30_000)
            return writer.connected(handle, peer: packet.peer, isCentral: isCentral, known, at: time)
        case .frame(let frame):
            return writer.frame(frame, connection: handle, isReceived: packet.direction == .received, at: time)
        case .disconnected(let reason): return writer.disconnected(handle, reason: reason, at: time)
        }
    }
}
