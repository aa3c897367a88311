import Bluetooth
public import Foundation

/// A UUID of 16, 32 or 128 bits; short ones are equal to their long form.
open class CBUUID: NSObject {
    /// Most significant byte first, in the length that it was made with.
    public let data: Data

    public init(data theData: Data) {
        precondition([2, 4, 16].contains(theData.count), "a UUID has 2, 4 or 16 bytes")
        data = theData
    }

    public convenience init(string theString: String) {
        guard let uuid = BluetoothUUID(theString) else { preconditionFailure("\(theString) is no UUID") }
        self.init(uuid)
    }

    convenience init(_ uuid: BluetoothUUID) { self.init(data: Data(uuid.littleEndian.reversed())) }

    public var uuidString: String { value.short == nil ? value.description : hex }

    private var hex: String { data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() }

    var value: BluetoothUUID {
        guard let uuid = BluetoothUUID(littleEndian: data.reversed()) else {
            preconditionFailure("the length was checked")
        }
        return uuid
    }

    open override var hash: Int { value.hashValue }

    open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }
}
