import Air
import Bluetooth
import ByteCoding

extension SharedAirMessage {
    /// The tags, one for each message; those of commands and events follow in a byte of their own.
    enum Tag: UInt8 {
        case hello = 0x01
        case command = 0x02
        case welcome = 0x81
        case refused = 0x82
        case event = 0x83
    }

    /// The body of a frame.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .hello(let address, let conditions):
            bytes = [Tag.hello.rawValue]
            bytes.appendLittleEndian(Self.version)
            bytes.append(address)
            bytes.append(conditions)
        case .welcome:
            bytes = [Tag.welcome.rawValue]
            bytes.appendLittleEndian(Self.version)
        case .refused(let refusal): bytes = [Tag.refused.rawValue, refusal.rawValue]
        case .command(let command):
            bytes = [Tag.command.rawValue]
            bytes.append(command)
        case .event(let event):
            bytes = [Tag.event.rawValue]
            bytes.append(event)
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ command: AirCommand) {
        switch command {
        case .configure(let conditions):
            append(1)
            append(conditions)
        case .startAdvertising(let data, let scanResponse, let interval, let isConnectable):
            append(2)
            appendAdvertisement(data, scanResponse, interval, isConnectable)
        case .stopAdvertising: append(3)
        case .startScanning(let isActive):
            append(4)
            append(isActive)
        case .stopScanning: append(5)
        case .connect(let address):
            append(6)
            append(address)
        case .cancelConnect: append(7)
        case .send(let link, let frame):
            append(8)
            append(link)
            self += frame
        case .disconnect(let link):
            append(9)
            append(link)
        case .readStatistics(let link):
            append(10)
            append(link)
        case .addAdvertisement(let number, let data, let scanResponse, let interval, let isConnectable):
            append(11)
            append(number)
            appendAdvertisement(data, scanResponse, interval, isConnectable)
        case .removeAdvertisement(let number):
            append(12)
            append(number)
        }
    }

    private mutating func appendAdvertisement(
        _ data: [UInt8], _ scanResponse: [UInt8], _ interval: Int, _ isConnectable: Bool
    ) {
        appendLittleEndian(UInt32(clamping: interval))
        append(isConnectable)
        appendShort(data)
        appendShort(scanResponse)
    }

    fileprivate mutating func append(_ event: AirEvent) {
        switch event {
        case .report(let report):
            append(1)
            append(report)
        case .connected(let link, let peer, let isCentral, let parameters, let queueCapacity):
            append(2)
            append(link)
            append(peer)
            append(isCentral)
            append(parameters)
            append(queueCapacity, within: SharedAirMessage.queueCapacities)
        case .connectCancelled: append(3)
        case .sent(let link):
            append(4)
            append(link)
        case .received(let link, let frame):
            append(5)
            append(link)
            self += frame
        case .statistics(let link, let statistics):
            append(6)
            append(link)
            append(statistics)
        case .disconnected(let link, let reason, let statistics):
            append(7)
            append(link)
            append(reason)
            append(statistics)
        }
    }

    /// Appends the number of a link in 32 bits, which is enough because an air gives no higher number.
    fileprivate mutating func append(_ link: LinkID) { appendLittleEndian(UInt32(clamping: link.number)) }

    fileprivate mutating func append(_ flag: Bool) { append(flag ? 1 : 0) }

    fileprivate mutating func append(_ address: DeviceAddress) {
        append(address.kind.rawValue)
        self += address.littleEndian
    }

    /// Appends at most 255 bytes after their length; a longer run is cut, as no caller has one.
    private mutating func appendShort(_ run: [UInt8]) {
        append(UInt8(clamping: run.count))
        self += run.prefix(255)
    }

    fileprivate mutating func append(_ conditions: DeviceRadioConditions) {
        append(conditions.link != nil)
        if let link = conditions.link { append(link) }
        append(share: conditions.writeCommandDropShare)
        append(share: conditions.packetLossShare)
        append(UInt8(bitPattern: Int8(clamping: conditions.rssi)))
        append(conditions.queueCapacity, within: SharedAirMessage.queueCapacities)
    }

    /// Appends a share, limited to 0 to 1 as the air does.
    private mutating func append(share: Double) {
        appendLittleEndian((share > 0 ? Swift.min(share, 1) : 0).bitPattern)
    }

    private mutating func append(_ number: Int, within range: ClosedRange<Int>) {
        appendLittleEndian(UInt32(clamping: Swift.min(Swift.max(number, range.lowerBound), range.upperBound)))
    }

    private mutating func append(_ parameters: LinkParameters) {
        append(parameters.phy.rawValue)
        append(parameters.intervalMicroseconds, within: SharedAirMessage.intervals)
        append(parameters.dataLengthBytes, within: SharedAirMessage.dataLengths)
        append(parameters.packetsPerEvent != nil)
        if let packets = parameters.packetsPerEvent { append(packets, within: SharedAirMessage.packetCounts) }
        append(parameters.maximumMTU, within: SharedAirMessage.mtus)
        append(parameters.isEncrypted)
        append(parameters.supervisionTimeoutMilliseconds, within: SharedAirMessage.timeouts)
    }

    private mutating func append(_ report: AdvertisementReport) {
        append(report.address)
        append(report.kind.rawValue)
        append(report.rssi != nil)
        if let rssi = report.rssi { append(UInt8(bitPattern: Int8(clamping: rssi))) }
        self += report.data
    }

    private mutating func append(_ statistics: AirLinkStatistics) {
        for count in [
            statistics.packetsSent, statistics.packetsReceived, statistics.retransmissions, statistics.droppedByHost,
            statistics.busyEvents, statistics.idleEvents, statistics.bytesSent,
        ] { appendLittleEndian(UInt64(clamping: count)) }
    }
}
