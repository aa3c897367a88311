#if DEBIAN_LIBRARIES
    /// Converts ECDSA signatures between r ‖ s and DER, and accepts only the one valid form of each.
    enum ECDSASignatureCoding {
        /// Returns the DER encoding of r ‖ s; nil for another length, and for a half that is 0 or not below the order.
        static func derEncoding(of signature: [UInt8], curve: ECDSA.Curve) -> [UInt8]? {
            let count = curve.coordinateCount
            guard signature.count == 2 * count else { return nil }
            let (r, s) = (signature[..<count], signature[count...])
            let order = curve.order
            guard isScalar(r, below: order), isScalar(s, below: order) else { return nil }
            var content: [UInt8] = []
            content.reserveCapacity(2 * count + 8)
            appendInteger(r, to: &content)
            appendInteger(s, to: &content)
            let length = content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
            return [0x30] + length + content
        }

        /// Returns r ‖ s of a DER encoding; nil unless it is the one of two numbers from 1 to the order less 1.
        static func halves(inDER signature: [UInt8], curve: ECDSA.Curve) -> [UInt8]? {
            var reader = DERReader(signature[...])
            guard var numbers = try? reader.readSequence(), (try? reader.finish()) != nil,
                let r = try? numbers.readUnsignedInteger(), let s = try? numbers.readUnsignedInteger(),
                (try? numbers.finish()) != nil, let first = padded(r, for: curve), let second = padded(s, for: curve)
            else { return nil }
            return first + second
        }

        /// Returns true when big-endian bytes, as many as the order has, are a number from 1 to the order less 1.
        static func isScalar(_ bytes: some Collection<UInt8>, below order: [UInt8]) -> Bool {
            bytes.count == order.count && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
        }

        private static func padded(_ number: ArraySlice<UInt8>, for curve: ECDSA.Curve) -> [UInt8]? {
            guard number.count <= curve.coordinateCount else { return nil }
            let bytes = [UInt8](repeating: 0, count: curve.coordinateCount - number.count) + number
            return isScalar(bytes, below: curve.order) ? bytes : nil
        }

        /// Appends a DER INTEGER of at most 67 bytes of content, so that its length is one byte.
        private static func appendInteger(_ number: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
            let digits = number.drop { $0 == 0 }
            let needsZero = (digits.first ?? 0) >= 0x80
            bytes.append(2)
            bytes.append(UInt8(digits.count + (needsZero ? 1 : 0)))
            if needsZero { bytes.append(0) }
            bytes.append(contentsOf: digits)
        }
    }
#endif
