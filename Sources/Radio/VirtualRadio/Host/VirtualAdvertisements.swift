import Air
import Radio

/// The advertisements of a radio, which are started again on another air.
struct VirtualAdvertisements {
    /// The advertisement without a number, which a connection ends.
    var plain: Advertisement?
    private var numbered: [UInt8: Advertisement] = [:]

    /// The commands that start all of them.
    var commands: [AirCommand] {
        (plain.map { [Self.start($0)] } ?? [])
            + numbered.sorted { $0.key < $1.key }.map { Self.start($0.value, number: $0.key) }
    }

    /// Sets the advertisement of a number.
    ///
    /// - Throws: `tooLarge` when there are too many; a place is kept for the one without a number.
    mutating func set(_ advertisement: Advertisement, number: UInt8) throws(RadioError) {
        let maximum = SimulatedAir.maximumAdvertisementsPerDevice
        guard numbered[number] != nil || numbered.count < maximum - 1 else {
            throw RadioError(.tooLarge, "a device has at most \(maximum) advertisements")
        }
        numbered[number] = advertisement
    }

    /// Removes the advertisement of a number; false when there is none.
    mutating func remove(number: UInt8) -> Bool { numbered.removeValue(forKey: number) != nil }

    /// The command that starts an advertisement.
    static func start(_ advertisement: Advertisement, number: UInt8? = nil) -> AirCommand {
        let interval = Int(clamping: advertisement.interval.wholeNanoseconds / 1000)
        guard let number else {
            return .startAdvertising(
                data: advertisement.data, scanResponse: advertisement.scanResponse, intervalMicroseconds: interval,
                isConnectable: advertisement.isConnectable)
        }
        return .addAdvertisement(
            number, data: advertisement.data, scanResponse: advertisement.scanResponse,
            intervalMicroseconds: interval, isConnectable: advertisement.isConnectable)
    }
}
