import CQREncode

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The only file that calls libqrencode.
enum QREncodeBackEnd {
    /// Encodes a text that is not empty and has no NUL.
    static func encode(_ text: String, level: QRCode.ErrorCorrection) throws(QRCodeError) -> QRSymbol {
        errno = 0
        guard let code = unsafe QRcode_encodeString(text, 0, library(level), QR_MODE_8, 1) else {
            throw error(errno, byteCount: text.utf8.count)
        }
        defer { unsafe QRcode_free(code) }
        let size = unsafe Int(code.pointee.width)
        let bytes = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size)
        // The lowest bit of each byte says whether the module is dark; the others say what it is for.
        return unsafe QRSymbol(version: Int(code.pointee.version), size: size, modules: bytes.map { $0 & 1 == 1 })
    }

    private static func library(_ level: QRCode.ErrorCorrection) -> QRecLevel {
        switch level {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }

    static func error(_ number: Int32, byteCount: Int) -> QRCodeError {
        number == ERANGE
            ? QRCodeError(.tooLong, "no QR code of this level holds \(byteCount) bytes")
            : QRCodeError(.internal, "libqrencode failed with error \(number)")
    }
}
