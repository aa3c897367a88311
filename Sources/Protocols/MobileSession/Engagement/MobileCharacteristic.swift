package import Bluetooth

/// The way in which reader and holder are connected over Bluetooth (ISO/IEC 18013-5, clause 11.1.3).
public enum MobileMode: String, CaseIterable, Hashable, Sendable {
    /// The holder is the peripheral and serves; the reader connects.
    case peripheralServer = "peripheral"
    /// The holder is the central and connects; the reader serves.
    case centralClient = "central"
}

/// The characteristics of the service of a session (ISO/IEC 18013-5, tables 11 and 12).
package enum MobileCharacteristic: CaseIterable, Hashable, Sendable {
    /// One byte: 01 begins, 02 ends. Notified, and written without response.
    case state
    /// The parts of messages of the client, written without response.
    case clientToServer
    /// The parts of messages of the server, notified.
    case serverToClient
    /// The proof of the reader that it read the code; in central client mode alone.
    case ident

    /// The UUID of the characteristic in a mode; nil for `ident` in peripheral server mode.
    package func uuid(in mode: MobileMode) -> BluetoothUUID? {
        let number: UInt64
        switch (self, mode) {
        case (.state, .peripheralServer): number = 1
        case (.clientToServer, .peripheralServer): number = 2
        case (.serverToClient, .peripheralServer): number = 3
        case (.ident, .peripheralServer): return nil
        case (.state, .centralClient): number = 5
        case (.clientToServer, .centralClient): number = 6
        case (.serverToClient, .centralClient): number = 7
        case (.ident, .centralClient): number = 8
        }
        return BluetoothUUID(high: number << 32 | 0xA123_48CE, low: 0x896B_4C76_9733_73E6)
    }

    /// Makes the characteristic of a UUID in a mode; nil for another UUID.
    package init?(_ uuid: BluetoothUUID, in mode: MobileMode) {
        guard let found = Self.allCases.first(where: { $0.uuid(in: mode) == uuid }) else { return nil }
        self = found
    }
}
