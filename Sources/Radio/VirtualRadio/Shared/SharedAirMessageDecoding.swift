import Air
import Bluetooth
import ByteCoding

extension SharedAirMessage {
    /// Reads the body of a frame; nil for bytes that `encoded` does not produce.
    init?(decoding body: ArraySlice<UInt8>) {
        var fields = AirMessageFieldReader(body)
        guard let tag = fields.byte().flatMap(Tag.init(rawValue:)), let message = fields.message(tag), fields.isAtEnd
        else { return nil }
        self = message
    }

    /// Returns true when `body` is a hello or a welcome of another version than this one, regardless of its rest.
    static func isOfOtherVersion(_ body: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(body)
        guard let tag = reader.byte().flatMap(Tag.init(rawValue:)), tag == .hello || tag == .welcome,
            let version = reader.littleEndian(UInt16.self)
        else { return false }
        return version != Self.version
    }
}

/// Reads the fields of messages, each within its range.
private struct AirMessageFieldReader {
    private var reader: ByteReader

    init(_ body: ArraySlice<UInt8>) { reader = ByteReader(body) }

    var isAtEnd: Bool { reader.isAtEnd }

    mutating func byte() -> UInt8? { reader.byte() }

    mutating func message(_ tag: SharedAirMessage.Tag) -> SharedAirMessage? {
        switch tag {
        case .hello:
            guard version(), let address = address(), let conditions = conditions() else { return nil }
            return .hello(address, conditions)
        case .welcome: return version() ? .welcome : nil
        case .refused:
            return byte().flatMap(SharedAirMessage.AirJoinRefusal.init(rawValue:)).map(SharedAirMessage.refused)
        case .command: return command().map(SharedAirMessage.command)
        case .event: return event().map(SharedAirMessage.event)
        }
    }

    private mutating func command() -> AirCommand? {
        switch byte() {
        case 1: return conditions().map(AirCommand.configure)
        case 2:
            guard let (data, scanResponse, interval, isConnectable) = advertisement() else { return nil }
            return .startAdvertising(
                data: data, scanResponse: scanResponse, intervalMicroseconds: interval, isConnectable: isConnectable)
        case 3: return .stopAdvertising
        case 4: return flag().map { .startScanning(isActive: $0) }
        case 5: return .stopScanning
        case 6: return address().map(AirCommand.connect)
        case 7: return .cancelConnect
        case 8: return link().map { .send($0, frame: Array(reader.rest())) }
        case 9: return link().map(AirCommand.disconnect)
        case 10: return link().map(AirCommand.readStatistics)
        case 11:
            guard let number = byte(), let (data, scanResponse, interval, isConnectable) = advertisement() else {
                return nil
            }
            return .addAdvertisement(
                number, data: data, scanResponse: scanResponse, intervalMicroseconds: interval,
                isConnectable: isConnectable)
        case 12: return byte().map(AirCommand.removeAdvertisement)
        default: return nil
        }
    }

    private mutating func event() -> AirEvent? {
        switch byte() {
        case 1: return report().map(AirEvent.report)
        case 2: return connected()
        case 3: return .connectCancelled
        case 4: return link().map(AirEvent.sent)
        case 5: return link().map { .received($0, frame: Array(reader.rest())) }
        case 6:
            guard let link = link(), let statistics = statistics() else { return nil }
            return .statistics(link, statistics)
        case 7:
            guard let link = link(), let reason = byte(), let statistics = statistics() else { return nil }
            return .disconnected(link, reason: reason, statistics)
        default: return nil
        }
    }

    private mutating func advertisement()
        -> (data: [UInt8], scanResponse: [UInt8], interval: Int, isConnectable: Bool)?
    {
        guard let interval = reader.littleEndian(UInt32.self), let isConnectable = flag(),
            let data = shortRun(limit: 31), let scanResponse = shortRun(limit: 31)
        else { return nil }
        return (data, scanResponse, Int(interval), isConnectable)
    }

    private mutating func connected() -> AirEvent? {
        guard let link = link(), let peer = address(), let isCentral = flag(), let parameters = parameters(),
            let queueCapacity = number(in: SharedAirMessage.queueCapacities)
        else { return nil }
        return .connected(link, peer: peer, isCentral: isCentral, parameters, queueCapacity: queueCapacity)
    }

    private mutating func version() -> Bool { reader.littleEndian(UInt16.self) == SharedAirMessage.version }

    private mutating func flag() -> Bool? {
        switch byte() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private mutating func link() -> LinkID? { reader.littleEndian(UInt32.self).map { LinkID(UInt64($0)) } }

    private mutating func address() -> DeviceAddress? {
        guard let kind = byte().flatMap(DeviceAddress.Kind.init(rawValue:)), let wire = reader.bytes(6) else {
            return nil
        }
        return DeviceAddress(littleEndian: wire, kind: kind)
    }

    private mutating func shortRun(limit: Int) -> [UInt8]? {
        guard let count = byte(), count <= limit else { return nil }
        return reader.bytes(Int(count)).map(Array.init)
    }

    private mutating func number(in range: ClosedRange<Int>) -> Int? {
        reader.littleEndian(UInt32.self).map { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// Reads a number from 0 to 1; refuses negative zero, because the writer never writes it.
    private mutating func share() -> Double? {
        guard let share = reader.littleEndian(UInt64.self).map({ Double(bitPattern: $0) }), (0...1).contains(share),
            share.sign == .plus
        else { return nil }
        return share
    }

    private mutating func strength() -> Int? { byte().map { Int(Int8(bitPattern: $0)) } }

    private mutating func conditions() -> DeviceRadioConditions? {
        guard let isGiven = flag() else { return nil }
        let link = isGiven ? parameters() : nil
        guard isGiven == (link != nil), let dropShare = share(), let lossShare = share(), let rssi = strength(),
            let queueCapacity = number(in: SharedAirMessage.queueCapacities)
        else { return nil }
        return DeviceRadioConditions(
            link: link, writeCommandDropShare: dropShare, packetLossShare: lossShare, rssi: rssi,
            queueCapacity: queueCapacity)
    }

    private mutating func parameters() -> LinkParameters? {
        guard let phy = byte().flatMap(PHY.init(rawValue:)), let interval = number(in: SharedAirMessage.intervals),
            let dataLength = number(in: SharedAirMessage.dataLengths), let isLimited = flag()
        else { return nil }
        let packets = isLimited ? number(in: SharedAirMessage.packetCounts) : nil
        guard isLimited == (packets != nil), let maximumMTU = number(in: SharedAirMessage.mtus),
            let isEncrypted = flag(),
            let timeout = number(in: SharedAirMessage.timeouts)
        else { return nil }
        return LinkParameters(
            phy: phy, intervalMicroseconds: interval, dataLengthBytes: dataLength, packetsPerEvent: packets,
            maximumMTU: maximumMTU, isEncrypted: isEncrypted, supervisionTimeoutMilliseconds: timeout)
    }

    private mutating func report() -> AdvertisementReport? {
        guard let address = address(), let kind = byte().flatMap(AdvertisementReport.Kind.init(rawValue:)),
            let hasStrength = flag()
        else { return nil }
        let rssi = hasStrength ? strength() : nil
        guard hasStrength == (rssi != nil), reader.remainingCount <= 31 else { return nil }
        return AdvertisementReport(address: address, kind: kind, rssi: rssi, data: Array(reader.rest()))
    }

    private mutating func statistics() -> AirLinkStatistics? {
        var counts: [Int] = []
        for _ in 0..<7 {
            guard let count = reader.littleEndian(UInt64.self).flatMap(Int.init(exactly:)) else { return nil }
            counts.append(count)
        }
        var statistics = AirLinkStatistics()
        statistics.packetsSent = counts[0]
        statistics.packetsReceived = counts[1]
        statistics.retransmissions = counts[2]
        statistics.droppedByHost = counts[3]
        statistics.busyEvents = counts[4]
        statistics.idleEvents = counts[5]
        statistics.bytesSent = counts[6]
        return statistics
    }
}
