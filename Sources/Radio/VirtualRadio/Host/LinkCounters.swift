import Air
import Bluetooth
import Radio

/// The counters of one link: those of the host, and the latest of the controller.
struct LinkCounters {
    /// The latest counters of the controller; nil before it has reported any.
    var controller: AirLinkStatistics?
    var mtu = ATTPDU.minimumMTU
    var pdusSent = 0
    var pdusReceived = 0
    /// The events that a consumer was too slow for.
    var droppedEvents = 0

    func statistics(of parameters: LinkParameters) -> LinkStatistics {
        LinkStatistics(
            parameters: parameters, mtu: mtu, packetsSent: controller?.packetsSent,
            packetsReceived: controller?.packetsReceived, retransmissions: controller?.retransmissions,
            pdusSent: pdusSent, pdusReceived: pdusReceived,
            droppedByHost: controller.map { $0.droppedByHost + droppedEvents },
            idleEvents: controller?.idleEvents, busyEvents: controller?.busyEvents)
    }
}
