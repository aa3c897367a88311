/// A picture that is turned clockwise around its middle by 30 or 60 degrees.
struct TurnedLuminance {
    private typealias PicturePoint = FoundCode.PicturePoint

    /// The two angles.
    enum Angle: Sendable {
        case thirty
        case sixty

        /// The sine and the cosine, times 65,536.
        fileprivate var sine: Int { self == .thirty ? 32_768 : 56_756 }
        fileprivate var cosine: Int { self == .thirty ? 56_756 : 32_768 }
    }

    private let source: Luminance
    private let angle: Angle
    /// The turned picture, in which corners that the source does not have are of a middle grey.
    let pixels: Luminance

    /// Turns a picture.
    init(_ source: Luminance, by angle: Angle) {
        (self.source, self.angle) = (source, angle)
        let width = (source.width * angle.cosine + source.height * angle.sine) >> 16
        let height = (source.width * angle.sine + source.height * angle.cosine) >> 16
        var bytes = [UInt8](repeating: 128, count: max(1, width) * max(1, height))
        for row in 0..<height {
            // Twice the distances from the middle keep halves whole.
            let y = 2 * row - height + 1
            for column in 0..<width {
                let x = 2 * column - width + 1
                let (fromLeft, fromTop) = Self.turned(x: x, y: y, sine: -angle.sine, cosine: angle.cosine)
                let (left, top) = ((fromLeft + source.width) >> 1, (fromTop + source.height) >> 1)
                guard (0..<source.width).contains(left), (0..<source.height).contains(top) else { continue }
                bytes[row * width + column] = source.bytes[top * source.width + left]
            }
        }
        pixels = Luminance(bytes: bytes, width: max(1, width), height: max(1, height))
    }

    /// Returns the place in the source of a place in the turned picture.
    func place(of point: FoundCode.PicturePoint) -> FoundCode.PicturePoint {
        let (x, y) = Self.turned(
            x: 2 * point.x - pixels.width + 1, y: 2 * point.y - pixels.height + 1, sine: -angle.sine,
            cosine: angle.cosine)
        return PicturePoint(x: (x + source.width) >> 1, y: (y + source.height) >> 1)
    }

    private static func turned(x: Int, y: Int, sine: Int, cosine: Int) -> (x: Int, y: Int) {
        ((x * cosine - y * sine) >> 16, (x * sine + y * cosine) >> 16)
    }
}
