import ByteCoding

/// Writes a btsnoop file that Wireshark reads, with the packets between a host and its controller.
///
/// Write `header` once, then whatever the functions return, in the order of time. Times are microseconds since
/// 1970-01-01T00:00:00Z.
public struct BTSnoopWriter: Hashable, Sendable {
    /// The magic of a btsnoop file: eight bytes.
    static let magic = Array("btsnoop\0".utf8)

    /// The btsnoop link type of HCI UART (H4).
    static let linkType: UInt32 = 1002

    /// The header of a btsnoop file: magic, version 1, link type 1002.
    public static var header: [UInt8] {
        var bytes = magic
        bytes.appendBigEndian(UInt32(1))
        bytes.appendBigEndian(linkType)
        return bytes
    }

    /// The most bytes of an L2CAP frame in one record; longer frames are fragmented.
    public let maximumACLBytes: Int

    /// Makes a writer of btsnoop records.
    ///
    /// - Parameter maximumACLBytes: clamped to 27 to 65,535; at 1,021 every ATT frame is one record.
    public init(maximumACLBytes: Int = HCIPacket.usualACLBytes) {
        self.maximumACLBytes = min(max(maximumACLBytes, 27), 65_535)
    }

    /// Returns the record of one L2CAP frame, header included, on a connection.
    public func frame(_ frame: [UInt8], connection: UInt16, isReceived: Bool, at microseconds: Int64) -> [UInt8] {
        stride(from: 0, to: frame.count, by: maximumACLBytes).flatMap { start in
            let fragment = Array(frame[start..<min(start + maximumACLBytes, frame.count)])
            return record(
                .data(connection: connection, isFirst: start == 0, fragment: fragment), isReceived, microseconds)
        }
    }

    /// Returns the record of one ATT PDU on a connection.
    public func attribute(_ pdu: [UInt8], connection: UInt16, isReceived: Bool, at microseconds: Int64) -> [UInt8] {
        frame(L2CAPFrame(payload: pdu).bytes, connection: connection, isReceived: isReceived, at: microseconds)
    }

    /// Returns the record of an LE connection that began.
    public func connected(
        _ connection: UInt16, peer: DeviceAddress, isCentral: Bool, _ parameters: LinkParameters, at microseconds: Int64
    ) -> [UInt8] {
        let announced = HCIConnection(
            handle: connection, isCentral: isCentral, peer: peer,
            intervalSteps: UInt16(clamping: parameters.intervalMicroseconds / 1250),
            supervisionSteps: UInt16(clamping: parameters.supervisionTimeoutMilliseconds / 10))
        return record(.connectionComplete(announced, status: 0), true, microseconds)
    }

    /// Returns the record of a connection that ended; `reason` is an HCI error code.
    public func disconnected(_ connection: UInt16, reason: UInt8, at microseconds: Int64) -> [UInt8] {
        record(.disconnectionComplete(connection: connection, reason: reason), true, microseconds)
    }

    /// Returns the record of an advertisement or a scan response that was received; data past 31 bytes are left out.
    public func advertisement(_ report: AdvertisementReport, at microseconds: Int64) -> [UInt8] {
        var report = report
        report.data = Array(report.data.prefix(AdvertisingData.maximumBytes))
        return record(.advertisingReports([report]), true, microseconds)
    }

    private func record(_ packet: HCIPacket, _ isReceived: Bool, _ microseconds: Int64) -> [UInt8] {
        BTSnoopRecord(
            microsecondsSinceEpoch: microseconds, isReceived: isReceived, isControl: packet.isControl,
            packet: packet.bytes(isReceived: isReceived)
        ).bytes
    }
}
