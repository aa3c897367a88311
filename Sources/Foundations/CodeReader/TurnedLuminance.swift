/// A picture that is turned clockwise around its middle.
struct TurnedLuminance {
    private typealias PicturePoint = FoundCode.PicturePoint

    /// The angles in degrees: with quarter turns, which zxing-cpp tries, no code is farther than 7.5 from one.
    enum Angle: Int, CaseIterable, Sendable {
        case fifteen = 15
        case thirty = 30
        case fortyFive = 45
        case sixty = 60
        case seventyFive = 75

        /// The sine, times 65,536.
        fileprivate var sine: Int {
            switch self {
            case .fifteen: 16_962
            case .thirty: 32_768
            case .fortyFive: 46_341
            case .sixty: 56_756
            case .seventyFive: 63_303
            }
        }

        /// The cosine, times 65,536.
        fileprivate var cosine: Int { Angle(rawValue: 90 - rawValue)?.sine ?? 0 }
    }

    private let source: Luminance
    private let angle: Angle
    /// The turned picture, whose corners repeat the edge of the source.
    let pixels: Luminance

    /// The most pixels of a turned picture: a long and narrow one becomes far larger.
    static let maximumPixels = 20_000_000

    /// Turns a picture; nil when it would become too large.
    init?(_ source: Luminance, by angle: Angle) {
        (self.source, self.angle) = (source, angle)
        let (sine, cosine) = (angle.sine, angle.cosine)
        let width = max(1, (source.width * cosine + source.height * sine) >> 16)
        let height = max(1, (source.width * sine + source.height * cosine) >> 16)
        guard width * height <= Self.maximumPixels else { return nil }
        var bytes = [UInt8](repeating: 0, count: width * height)
        for row in 0..<height {
            // Twice the distances from the middle keep halves whole.
            let y = 2 * row - height + 1
            for column in 0..<width {
                let x = 2 * column - width + 1
                let (fromLeft, fromTop) = Self.turned(x: x, y: y, sine: -sine, cosine: cosine)
                let left = min(source.width - 1, max(0, (fromLeft + source.width) >> 1))
                let top = min(source.height - 1, max(0, (fromTop + source.height) >> 1))
                bytes[row * width + column] = source.bytes[top * source.width + left]
            }
        }
        pixels = Luminance(bytes: bytes, width: width, height: height)
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
