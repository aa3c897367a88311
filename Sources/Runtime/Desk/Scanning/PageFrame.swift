import CodeReader
import WebTransport

/// The pixels of a camera's frame or of a picture, as the page sends them in a binary message.
///
/// The first byte is 0 for a frame and 1 for a picture, the next four are width and height, two bytes each with the
/// higher one first; then follows one byte of luminance for each pixel, row by row.
struct PageFrame: Sendable {
    /// The most pixels: those of a frame of 1920 by 1080.
    static let maximumPixels = 1920 * 1080
    /// The most bytes of a message.
    static let maximumBytes = maximumPixels + headerBytes
    private static let headerBytes = 5

    let luminance: [UInt8]
    let width: Int
    let height: Int
    let effort: CodeReader.Effort

    /// Reads a message; nil for another form or size.
    init?(_ message: [UInt8]) {
        guard message.count > Self.headerBytes, message[0] <= 1 else { return nil }
        width = Int(message[1]) << 8 | Int(message[2])
        height = Int(message[3]) << 8 | Int(message[4])
        guard width * height == message.count - Self.headerBytes, message.count <= Self.maximumBytes else {
            return nil
        }
        luminance = Array(message[Self.headerBytes...])
        effort = message[0] == 0 ? .frame : .thorough
    }

    /// Returns the bytes of each code in reading order; works on a thread of its own.
    func codes() async -> Result<[[UInt8]], CodeReaderError> {
        await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start {
                do throws(CodeReaderError) {
                    let picture = CodePicture(luminance: luminance, width: width, height: height)
                    let found = try CodeReader.codes(in: picture, effort: effort)
                    continuation.resume(returning: .success(found.map(\.bytes)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isStarted {
                continuation.resume(
                    returning: .failure(CodeReaderError(.noCode, "The system has no thread left for the search.")))
            }
        }
    }
}
