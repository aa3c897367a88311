/// Reassembles the L2CAP frames of one direction of a link from fragments.
///
/// A fragment out of place loses the frame under way and nothing else: the next first fragment starts anew.
public struct L2CAPReassembler: Hashable, Sendable {
    /// The longest payload of a frame that is accepted.
    public let maximumPayloadBytes: Int

    /// The number of frames that the first fragment of another frame cut off.
    public private(set) var cutOffCount = 0

    /// The fragments of the present frame; nil between frames, and after a refusal until the next first fragment.
    private var buffer: [UInt8]?

    /// Makes a reassembler between two frames.
    ///
    /// - Parameter maximumPayloadBytes: the longest payload that `receive` accepts; by default the largest ATT MTU.
    public init(maximumPayloadBytes: Int = ATTPDU.maximumMTU) {
        self.maximumPayloadBytes = maximumPayloadBytes
    }

    /// True when a frame has begun and is incomplete.
    public var isWithinFrame: Bool { buffer != nil }

    /// Receives one fragment, and returns the frame that it completes.
    ///
    /// - Parameter isFirst: true when the fragment begins a frame; one that has not ended is then lost and counted.
    /// - Throws: `fragmentOutOfPlace` for a continuing fragment without a first one, which is ignored; `frameTooLong`
    ///   when more is announced than is accepted; `wrongFrameLength` when more arrives than was announced.
    public mutating func receive(
        _ fragment: some Collection<UInt8>, isFirst: Bool
    ) throws(BluetoothFormatError) -> L2CAPFrame? {
        if isFirst {
            cutOffCount += buffer == nil ? 0 : 1
            buffer = []
        }
        guard buffer != nil else {
            throw BluetoothFormatError(.fragmentOutOfPlace, "a continuing fragment without a first")
        }
        buffer?.append(contentsOf: fragment)
        return try completed()
    }

    private mutating func completed() throws(BluetoothFormatError) -> L2CAPFrame? {
        guard let bytes = buffer, bytes.count >= L2CAPFrame.headerBytes else { return nil }
        let length = Int(bytes[0]) | Int(bytes[1]) << 8
        guard length <= maximumPayloadBytes else {
            buffer = nil
            throw BluetoothFormatError(.frameTooLong, "a frame of \(length) bytes, at most \(maximumPayloadBytes)")
        }
        guard bytes.count >= length + L2CAPFrame.headerBytes else { return nil }
        buffer = nil
        return try L2CAPFrame(bytes)
    }
}
