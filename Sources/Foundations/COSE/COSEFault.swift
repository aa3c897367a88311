package import CBOR

/// A fault in the form of an object or a key of COSE, with its place in the input.
package struct COSEFault: Error {
    /// The cause of a fault.
    package enum Cause: Sendable {
        /// It is another object of COSE, or a part of it is of another kind.
        case object
        /// An item is not what the format asks for.
        case item
        /// Bytes that must hold one item of CBOR do not.
        case cbor(CBORError)
        /// A header has more labels than the limit.
        case labelCount
        /// The two headers name two algorithms.
        case algorithms
        /// A key is not one of COSE.
        case keyForm
        /// A public key holds its private part.
        case keyPrivate
        /// A key is not a point of its curve.
        case keyCurve
    }

    /// The cause of the fault.
    package let cause: Cause
    /// One sentence for people, without anything of the input.
    package let reason: String
    /// The bytes of the input that the fault is in.
    package let range: Range<Int>

    init(_ cause: Cause, _ reason: String, in value: CBORValue) {
        self.cause = cause
        self.reason = reason
        range = value.range
    }

    /// Makes the fault of a byte string that holds no item, or more than one.
    init(_ error: CBORError, in value: CBORValue) {
        cause = .cbor(error)
        let isTrailing = error.code == .trailingData
        reason = isTrailing ? "A byte string holds more than one item." : "CBOR: \(error.reason)."
        range = isTrailing ? value.range : error.offset..<error.offset + 1
    }
}
