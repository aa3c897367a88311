/// The version of bluetoothd, as far as it can be read without special rights.
///
/// An adapter's Modalias names the software of its host: `usb:v1D6Bp0246d0542` is version 5.66 of BlueZ (1D6B:0246),
/// the version in two bytes. A configuration may name another product; then the version is not known.
struct BluetoothdVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The major version: the number before the point.
    var major: Int
    /// The minor version: the number after the point.
    var minor: Int

    /// Makes a daemon version from its parts.
    init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the version in a Modalias; nil when the Modalias is not bluetoothd's.
    init?(modalias: String) {
        guard let marker = modalias.firstRange(of: "v1D6Bp0246d") else { return nil }
        let digits = modalias[marker.upperBound...].prefix(4)
        guard digits.count == 4, let number = Int(digits, radix: 16) else { return nil }
        self.init(number >> 8, number & 0xFF)
    }

    /// The first version in which writes of 511 and 512 bytes reach the application.
    static let takesLongWrites = BluetoothdVersion(5, 69)
    /// The first version in which an advertisement over D-Bus may have a scan response.
    static let hasScanResponse = BluetoothdVersion(5, 80)

    /// Orders versions by major, then minor number.
    static func < (left: BluetoothdVersion, right: BluetoothdVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The version in the form `5.66`.
    var description: String { "\(major).\(minor)" }
}
