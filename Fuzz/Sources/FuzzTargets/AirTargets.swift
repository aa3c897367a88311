import Air
import Bluetooth
import Determinism

@testable import VirtualRadio

extension FuzzTarget {
    private static let conditions = DeviceRadioConditions(
        link: LinkParameters(phy: .le2M, intervalMicroseconds: 15_000), packetLossShare: 0.01)

    private static var commands: [AirCommand] {
        [
            .configure(conditions),
            .startAdvertising(data: [2, 1, 6], scanResponse: [1], intervalMicroseconds: 20_000, isConnectable: true),
            .stopAdvertising, .startScanning(isActive: true), .stopScanning, .connect(peer), .cancelConnect,
            .send(LinkID(1), frame: [3, 0, 4, 0, 2, 5, 2]), .disconnect(LinkID(1)),
            .readStatistics(LinkID(1)), .removeAdvertisement(1),
            .addAdvertisement(
                1, data: [2, 1, 6], scanResponse: [], intervalMicroseconds: 30_000, isConnectable: true),
        ]
    }

    private static var events: [AirEvent] {
        let report = AdvertisementReport(address: peer, kind: .connectable, rssi: -40, data: [2, 1, 6])
        let link = LinkParameters(phy: .le1M, intervalMicroseconds: 7500, packetsPerEvent: 6)
        return [
            .report(report), .connected(LinkID(1), peer: peer, isCentral: true, link, queueCapacity: 16),
            .connectCancelled, .sent(LinkID(1)), .received(LinkID(1), frame: [1, 0, 4, 0, 3]),
            .statistics(LinkID(1), AirLinkStatistics()),
            .disconnected(LinkID(1), reason: 0x13, AirLinkStatistics()),
        ]
    }

    /// The body of a frame between two processes on one air.
    static var airMessage: FuzzTarget {
        FuzzTarget(name: "air-message", maximumBytes: 4096) {
            let messages: [SharedAirMessage] = [.hello(peer, conditions), .welcome, .refused(.full)]
            return (messages + commands.map(SharedAirMessage.command) + events.map(SharedAirMessage.event)).map(
                \.encoded)
        } run: { input in
            _ = SharedAirMessage.isOfOtherVersion(input[...])
            guard let message = SharedAirMessage(decoding: input[...]) else { return }
            require(message.encoded == input, "a message is written as it was read")
        }
    }

    private static func frame(_ command: AirCommand, after milliseconds: UInt8, device: UInt8) -> [UInt8] {
        [device, milliseconds] + SharedAirMessage.command(command).encoded.longCounted
    }

    /// Commands of a process that is no friend, on an air with three devices.
    static var airHost: FuzzTarget {
        FuzzTarget(name: "air-host", maximumBytes: 2048) {
            let connect: [AirCommand] = [commands[1], .connect(peer), commands[7], commands[8]]
            return [
                commands.flatMap { frame($0, after: 1, device: 0) },
                connect.enumerated().flatMap { frame($0.element, after: 20, device: UInt8($0.offset % 2)) },
            ]
        } run: { input in
            var operations = Operations(input)
            var air = SimulatedAir(seed: 1)
            let addresses = [peer, DeviceAddress(staticRandom: 2), DeviceAddress(staticRandom: 3)]
            let devices = addresses.compactMap { air.attach(address: $0)?.device }
            var deliveries: [SimulatedAir.HostDelivery] = []
            var now = MonotonicInstant.zero
            while !operations.isAtEnd {
                let device = devices[operations.below(devices.count)]
                now = now + .milliseconds(Int(operations.byte()))
                guard case .command(let command)? = SharedAirMessage(decoding: operations.longRun()[...]) else {
                    continue
                }
                air.perform(command, by: device, at: now, into: &deliveries)
                require(air.now >= now, "an air keeps up with its commands")
            }
            for device in devices { air.detach(device, at: now, into: &deliveries) }
            air.advance(to: now + .seconds(40), into: &deliveries)
            require(air.nextDeadline == nil, "an air whose devices are gone is still")
            for delivery in deliveries {
                let message = SharedAirMessage.event(delivery.event)
                require(SharedAirMessage(decoding: message.encoded[...]) == message, "what an air says can be read")
            }
        }
    }
}
