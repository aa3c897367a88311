import QRCode

@testable import CodeReader

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A place in a drawing, between pixels too.
struct DrawnPoint {
    var x: Double
    var y: Double
}

/// A picture that a test draws: light grey, with codes as a camera sees them.
struct Drawing {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]

    init(width: Int, height: Int, paper: UInt8 = 255) {
        (self.width, self.height) = (width, height)
        pixels = Array(repeating: paper, count: width * height)
    }

    var picture: CodePicture { CodePicture(luminance: pixels, width: width, height: height) }
    var luminance: Luminance { Luminance(bytes: pixels, width: width, height: height) }

    /// Draws a code with its quiet zone into the square with this top left corner.
    mutating func draw(_ code: CodeModules, x: Double, y: Double, side: Double, dark: UInt8 = 0, light: UInt8 = 255) {
        let high =
            side * Double(code.rows + 2 * CodeModules.quietZone) / Double(code.columns + 2 * CodeModules.quietZone)
        draw(
            code,
            onto: [
                DrawnPoint(x: x, y: y), DrawnPoint(x: x + side, y: y), DrawnPoint(x: x + side, y: y + high),
                DrawnPoint(x: x, y: y + high),
            ], dark: dark, light: light)
    }

    /// Draws a code around a centre, turned by degrees.
    mutating func draw(
        _ code: CodeModules, turnedBy degrees: Double, around centre: DrawnPoint, side: Double, dark: UInt8 = 0,
        light: UInt8 = 255
    ) {
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let half = side / 2
        let high =
            half * Double(code.rows + 2 * CodeModules.quietZone) / Double(code.columns + 2 * CodeModules.quietZone)
        let corners = [(-half, -high), (half, -high), (half, high), (-half, high)].map {
            DrawnPoint(x: centre.x + $0.0 * cosine - $0.1 * sine, y: centre.y + $0.0 * sine + $0.1 * cosine)
        }
        draw(code, onto: corners, dark: dark, light: light)
    }

    /// Draws a code with its quiet zone onto a quadrilateral: top left, top right, bottom right, bottom left.
    ///
    /// Each pixel is the mean of nine samples.
    mutating func draw(_ code: CodeModules, onto corners: [DrawnPoint], dark: UInt8 = 0, light: UInt8 = 255) {
        let projection = Projection(ofUnitSquareOnto: corners).inverted()
        let rows = clamped(corners.map(\.y), height)
        let columns = clamped(corners.map(\.x), width)
        for row in rows {
            for column in columns {
                var (sum, count) = (0, 0)
                for step in 0..<9 {
                    let place = projection(
                        DrawnPoint(
                            x: Double(column) + Double(2 * (step % 3) + 1) / 6,
                            y: Double(row) + Double(2 * (step / 3) + 1) / 6))
                    guard (0..<1).contains(place.x), (0..<1).contains(place.y) else { continue }
                    sum += Int(code.isDark(at: place) ? dark : light)
                    count += 1
                }
                let index = row * width + column
                if count > 0 { pixels[index] = UInt8((sum + (9 - count) * Int(pixels[index])) / 9) }
            }
        }
    }

    private func clamped(_ values: [Double], _ limit: Int) -> Range<Int> {
        let low = max(0, Int(values.min() ?? 0))
        return low..<max(low, min(limit, Int(values.max() ?? 0) + 1))
    }

    /// Blurs the picture: each pixel becomes the mean of a square around it.
    func blurred(radius: Int) -> Drawing {
        var blurred = self
        for row in 0..<height {
            for column in 0..<width {
                var (sum, count) = (0, 0)
                for y in max(0, row - radius)...min(height - 1, row + radius) {
                    for x in max(0, column - radius)...min(width - 1, column + radius) {
                        sum += Int(pixels[y * width + x])
                        count += 1
                    }
                }
                blurred.pixels[row * width + column] = UInt8(sum / count)
            }
        }
        return blurred
    }

    mutating func set(_ row: Int, _ column: Int, _ level: UInt8) { pixels[row * width + column] = level }

    func mirrored() -> Drawing {
        var mirrored = self
        mirrored.pixels = luminance.mirrored().bytes
        return mirrored
    }
}

/// A code as dark and light modules without a quiet zone.
struct CodeModules {
    /// Wide enough for each symbology.
    static let quietZone = 4

    let rows: Int
    let columns: Int
    private let dark: Set<Int>

    init(_ code: QRCode) {
        self.init((0..<code.size).map { row in (0..<code.size).map { code[row, $0] } })
    }

    init(qr text: String, level: QRCode.ErrorCorrection = .medium) throws { self.init(try QRCode(text, level: level)) }

    /// Makes a code of lines of text in which # is a dark module.
    init(_ text: String) {
        self.init(text.split(separator: "\n").map { line in line.map { $0 == "#" } })
    }

    private init(_ modules: [[Bool]]) {
        rows = modules.count
        columns = modules.map(\.count).max() ?? 0
        let width = columns
        dark = Set(
            modules.enumerated().flatMap { row, line in
                line.enumerated().filter(\.element).map { row * width + $0.offset }
            })
    }

    func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<rows).contains(row) && (0..<columns).contains(column) && dark.contains(row * columns + column)
    }

    /// The module at a place in the unit square that the code takes with its quiet zone.
    func isDark(at place: DrawnPoint) -> Bool {
        let row = Int(place.y * Double(rows + 2 * Self.quietZone)) - Self.quietZone
        let column = Int(place.x * Double(columns + 2 * Self.quietZone)) - Self.quietZone
        return isDark(row, column)
    }

    /// The codes of other symbologies than QR, made by zxing-cpp's own writer.
    static let aztec = CodeModules(OtherCodes.aztec)
    static let dataMatrix = CodeModules(OtherCodes.dataMatrix)
    static let pdf417 = CodeModules(OtherCodes.pdf417)
}

/// A projection of the plane, as a camera makes one.
struct Projection {
    private var m: [Double]

    /// Makes the projection that takes the corners of the unit square, clockwise from the origin, to four points.
    init(ofUnitSquareOnto p: [DrawnPoint]) {
        let (sumX, sumY) = (p[0].x - p[1].x + p[2].x - p[3].x, p[0].y - p[1].y + p[2].y - p[3].y)
        let (firstX, firstY) = (p[1].x - p[2].x, p[1].y - p[2].y)
        let (secondX, secondY) = (p[3].x - p[2].x, p[3].y - p[2].y)
        let determinant = firstX * secondY - secondX * firstY
        let g = (sumX * secondY - secondX * sumY) / determinant
        let h = (firstX * sumY - sumX * firstY) / determinant
        m = [
            p[1].x - p[0].x + g * p[1].x, p[3].x - p[0].x + h * p[3].x, p[0].x,
            p[1].y - p[0].y + g * p[1].y, p[3].y - p[0].y + h * p[3].y, p[0].y, g, h, 1,
        ]
    }

    /// The projection back, up to a factor, which makes no difference.
    func inverted() -> Projection {
        var inverse = self
        inverse.m = [
            m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
            m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
            m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
        ]
        return inverse
    }

    func callAsFunction(_ point: DrawnPoint) -> DrawnPoint {
        let w = m[6] * point.x + m[7] * point.y + m[8]
        return DrawnPoint(
            x: (m[0] * point.x + m[1] * point.y + m[2]) / w, y: (m[3] * point.x + m[4] * point.y + m[5]) / w)
    }
}
