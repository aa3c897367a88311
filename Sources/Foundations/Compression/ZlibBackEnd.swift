import CZlib

/// The only file that calls zlib.
enum ZlibBackEnd {
    /// The wrapping around the compressed data, as zlib encodes it in its number of window bits.
    enum ZlibWrapperFormat: Int32 {
        case zlib = 15
        case gzip = 31
        case raw = -15
    }

    /// The number of bytes that are decompressed between two checks against the limits.
    private static let stepBytes = 32768

    static func crc32(_ bytes: some Collection<UInt8>) -> UInt32 {
        unsafe withRawBytes(bytes) { unsafe UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }

    static func deflate(
        _ bytes: some Collection<UInt8>, level: Int, format: ZlibWrapperFormat
    ) throws(CompressionError) -> [UInt8] {
        precondition((0...9).contains(level), "a level of compression is 0…9")
        guard bytes.count <= Int(UInt32.max) else { throw CompressionError(.tooLarge, "the input has 4 GiB or more") }
        let stream = try CompressionError.require(Stream(deflatingAt: Int32(level), format), "zlib could not start")
        let output = unsafe withRawBytes(bytes) { unsafe stream.deflateAll($0) }
        return try CompressionError.require(output, "zlib could not compress")
    }

    static func inflate(
        _ bytes: some Collection<UInt8>, format: ZlibWrapperFormat, members: Gzip.MemberLimit, cap: EffectiveGzipLimits
    ) throws(CompressionError) -> [UInt8] {
        guard bytes.count <= Int(UInt32.max) else { throw CompressionError(.tooLarge, "the input has 4 GiB or more") }
        let stream = try CompressionError.require(Stream(inflating: format), "zlib could not start")
        return unsafe try withRawBytes(bytes) { unsafe stream.inflateAll($0, members: members, cap: cap) }.get()
    }

    private static func withRawBytes<Result>(
        _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let direct = bytes.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
        if let direct { return direct }
        return unsafe Array(bytes).withUnsafeBytes { unsafe body($0) }
    }

    /// One compression or decompression by zlib.
    @safe private final class Stream {
        // Invariant: zlib remembers the address of its state, so it never moves until `deinit` ends the run.
        private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        private let end: (UnsafeMutablePointer<z_stream>) -> Int32
        private let header = UnsafeMutablePointer<gz_header>.allocate(capacity: 1)

        init?(deflatingAt level: Int32, _ format: ZlibWrapperFormat) {
            unsafe end = { unsafe deflateEnd($0) }
            unsafe state.initialize(to: z_stream())
            unsafe header.initialize(to: gz_header())
            unsafe header.pointee.os = 3
            let size = unsafe Int32(MemoryLayout<z_stream>.size)
            let status = unsafe deflateInit2_(
                state, level, Z_DEFLATED, format.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            guard status == Z_OK else { return nil }
            if format == .gzip, unsafe deflateSetHeader(state, header) != Z_OK { return nil }
        }

        init?(inflating format: ZlibWrapperFormat) {
            unsafe end = { unsafe inflateEnd($0) }
            unsafe state.initialize(to: z_stream())
            unsafe header.initialize(to: gz_header())
            let size = unsafe Int32(MemoryLayout<z_stream>.size)
            guard unsafe inflateInit2_(state, format.rawValue, ZLIB_VERSION, size) == Z_OK else { return nil }
        }

        deinit {
            _ = unsafe end(state)
            unsafe state.deallocate()
            unsafe header.deallocate()
        }

        /// Compresses the whole input; nil when zlib refuses.
        func deflateAll(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
            let bound = unsafe Int(deflateBound(state, UInt(input.count)))
            guard bound <= Int(UInt32.max) else { return nil }
            var status = Z_ERRNO
            let output = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, written in
                unsafe feed(input)
                unsafe state.pointee.next_out = buffer.baseAddress
                unsafe state.pointee.avail_out = UInt32(bound)
                status = unsafe CZlib.deflate(state, Z_FINISH)
                written = unsafe bound - Int(state.pointee.avail_out)
            }
            return status == Z_STREAM_END ? output : nil
        }

        func inflateAll(
            _ input: UnsafeRawBufferPointer, members: Gzip.MemberLimit, cap: EffectiveGzipLimits
        ) -> Result<[UInt8], CompressionError> {
            let step = UnsafeMutableRawBufferPointer.allocate(byteCount: stepBytes, alignment: 16)
            defer { unsafe step.deallocate() }
            var output: [UInt8] = []
            unsafe feed(input)
            while true {
                let (status, count) = unsafe inflateSome(into: step)
                guard status == Z_OK || status == Z_STREAM_END else { return .failure(error(for: status)) }
                guard count <= cap.count - output.count else { return .failure(cap.error) }
                Self.grow(&output, by: count, atFirst: 4 * input.count, cap: cap)
                unsafe output.append(contentsOf: step[..<count])
                guard status == Z_STREAM_END else { continue }
                let rest = unsafe Int(state.pointee.avail_in)
                if rest == 0 { return .success(output) }
                guard members == .any, unsafe Gzip.isStart(input.suffix(rest)) else {
                    return .failure(CompressionError(.trailingData, "bytes follow the end of the member"))
                }
                guard unsafe inflateReset(state) == Z_OK else { return .failure(error(for: Z_STREAM_ERROR)) }
            }
        }

        private func inflateSome(into step: UnsafeMutableRawBufferPointer) -> (status: Int32, count: Int) {
            unsafe state.pointee.next_out = unsafe step.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe state.pointee.avail_out = UInt32(step.count)
            let status = unsafe CZlib.inflate(state, Z_NO_FLUSH)
            return unsafe (status, step.count - Int(state.pointee.avail_out))
        }

        private func feed(_ input: UnsafeRawBufferPointer) {
            let start = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe state.pointee.next_in = unsafe UnsafeMutablePointer(mutating: start)
            unsafe state.pointee.avail_in = UInt32(input.count)
        }

        private func error(for status: Int32) -> CompressionError {
            switch status {
            case Z_BUF_ERROR: CompressionError(.truncated, "the member is cut off")
            case Z_DATA_ERROR, Z_NEED_DICT: CompressionError(.corrupt, "the member is damaged")
            default: CompressionError(.internal, "zlib ended with status \(status)")
            }
        }

        /// Grows the output to four times the input first, then doubles it, but never beyond the limit.
        private static func grow(_ output: inout [UInt8], by count: Int, atFirst first: Int, cap: EffectiveGzipLimits) {
            let needed = output.count + count
            guard needed > output.capacity else { return }
            output.reserveCapacity(min(cap.count, max(needed, first, output.capacity * 2)))
            cap.observeCapacity?(output.capacity)
        }
    }
}
