import CTurboJPEG

/// The only file that calls libturbojpeg.
enum TurboJPEGBackEnd {
    /// True when the library is open, or could be opened now.
    static var isAvailable: Bool { CTurboJPEGOpen() }

    /// Makes the error of a machine without the library.
    static let missing = CodeReaderError(
        .library,
        "The library libturbojpeg, which reads JPEG, is not on this machine: the package libturbojpeg0 has it.")

    /// Returns the brightness of the pixels of a JPEG whose header was read; `isDamaged` when a part is missing.
    ///
    /// Throws `picture.library`, and `picture.broken` when nothing of it can be read.
    static func pixels(
        of file: [UInt8], _ header: JPEGHeader
    ) throws(CodeReaderError) -> (pixels: Luminance, isDamaged: Bool) {
        guard isAvailable else { throw missing }
        var outcome = CTURBOJPEG_FAILED
        var pixels = [UInt8](repeating: 255, count: header.width * header.height)
        unsafe file.withUnsafeBufferPointer { bytes in
            unsafe pixels.withUnsafeMutableBufferPointer { pixels in
                guard let input = bytes.baseAddress, let output = pixels.baseAddress else { return }
                outcome = unsafe CTurboJPEGRead(input, bytes.count, output, Int32(header.width), Int32(header.height))
            }
        }
        guard outcome != CTURBOJPEG_FAILED else { throw CodeReaderError(.broken, "The data of the JPEG are damaged.") }
        return (Luminance(bytes: pixels, width: header.width, height: header.height), outcome == CTURBOJPEG_DAMAGED)
    }
}
