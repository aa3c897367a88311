import Air
import Bluetooth

/// The activity that a host has started at its controller: none may be left when a session is over.
struct ControllerActivity: Sendable {
    private(set) var isAdvertising = false
    private(set) var isScanning = false
    private(set) var isConnecting = false
    private(set) var links: [LinkID] = []

    /// True when the controller does nothing for the host.
    var isAtRest: Bool { !isAdvertising && !isScanning && !isConnecting && links.isEmpty }

    /// The activity in words.
    var summary: String {
        let things = [
            isAdvertising ? "advertising" : nil, isScanning ? "scanning" : nil, isConnecting ? "connecting" : nil,
            links.isEmpty ? nil : "\(links.count) links",
        ]
        return things.compactMap { $0 }.joined(separator: ", ")
    }

    mutating func note(_ command: AirCommand) {
        switch command {
        case .startAdvertising: isAdvertising = true
        case .stopAdvertising: isAdvertising = false
        case .startScanning: isScanning = true
        case .stopScanning: isScanning = false
        case .connect: isConnecting = true
        case .cancelConnect: isConnecting = false
        case .configure, .addAdvertisement, .removeAdvertisement, .send, .disconnect, .readStatistics: break
        }
    }

    mutating func note(_ event: AirEvent) {
        switch event {
        case .connected(let link, _, let isCentral, _, _):
            links.append(link)
            if isCentral { isConnecting = false } else { isAdvertising = false }
        case .connectCancelled: isConnecting = false
        case .disconnected(let link, _, _): links.removeAll { $0 == link }
        case .report, .sent, .received, .statistics: break
        }
    }
}
