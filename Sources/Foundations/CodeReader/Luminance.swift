/// The brightness of each pixel, 0 for black to 255 for white, row by row from the top left corner.
struct Luminance: Hashable, Sendable {
    let bytes: [UInt8]
    let width: Int
    let height: Int

    /// Returns the picture with light and dark exchanged.
    func inverted() -> Luminance { Luminance(bytes: bytes.map { ~$0 }, width: width, height: height) }

    /// Returns the picture with left and right exchanged.
    func mirrored() -> Luminance {
        var mirrored: [UInt8] = []
        mirrored.reserveCapacity(bytes.count)
        for row in 0..<height { mirrored += bytes[row * width..<(row + 1) * width].reversed() }
        return Luminance(bytes: mirrored, width: width, height: height)
    }

    /// Returns a picture of half the width and height, whose pixels are the means of four; both sides are at least 2.
    func halved() -> Luminance {
        precondition(width >= 2 && height >= 2, "a picture that is halved has two rows and columns")
        let (columns, rows) = (width / 2, height / 2)
        var halved = [UInt8](repeating: 0, count: columns * rows)
        for row in 0..<rows {
            let upper = 2 * row * width
            for column in 0..<columns {
                let index = upper + 2 * column
                let sum =
                    UInt16(bytes[index]) + UInt16(bytes[index + 1]) + UInt16(bytes[index + width])
                    + UInt16(bytes[index + width + 1])
                halved[row * columns + column] = UInt8((sum + 2) / 4)
            }
        }
        return Luminance(bytes: halved, width: columns, height: rows)
    }

    /// Returns a picture of twice the width and height, whose pixels lie between those of this one.
    func doubled() -> Luminance {
        var doubled = [UInt8](repeating: 0, count: 4 * bytes.count)
        for row in 0..<2 * height {
            // A new row is a quarter of a pixel away from the nearest one, and three from the next.
            let near = row / 2 * width
            let far = min(height - 1, max(0, row / 2 + row % 2 * 2 - 1)) * width
            let target = 2 * width * row
            func blend(_ column: Int) -> UInt16 { 3 * UInt16(bytes[near + column]) + UInt16(bytes[far + column]) }
            var (last, own) = (blend(0), blend(0))
            for column in 0..<width {
                let next = column + 1 < width ? blend(column + 1) : own
                doubled[target + 2 * column] = UInt8((3 * own + last + 8) / 16)
                doubled[target + 2 * column + 1] = UInt8((3 * own + next + 8) / 16)
                (last, own) = (own, next)
            }
        }
        return Luminance(bytes: doubled, width: 2 * width, height: 2 * height)
    }

    /// Returns the picture with its edges made stronger: four times a pixel, less three times the mean around it.
    ///
    /// The mean is that of a square of seven by seven pixels, which ends at the edges of the picture.
    func sharpened() -> Luminance {
        let radius = 3
        var sharpened = bytes
        // The sums of each column over the rows around the present one.
        var sums = [Int](repeating: 0, count: width)
        for row in -radius..<height {
            for (added, sign) in [(row + radius, 1), (row - radius - 1, -1)] where (0..<height).contains(added) {
                for column in 0..<width { sums[column] += sign * Int(bytes[added * width + column]) }
            }
            guard row >= 0 else { continue }
            let rows = min(height - 1, row + radius) - max(0, row - radius) + 1
            var sum = sums[..<min(width, radius)].reduce(0, +)
            for column in 0..<width {
                if column + radius < width { sum += sums[column + radius] }
                if column > radius { sum -= sums[column - radius - 1] }
                let count = rows * (min(width - 1, column + radius) - max(0, column - radius) + 1)
                let index = row * width + column
                sharpened[index] = UInt8(min(255, max(0, 4 * Int(bytes[index]) - 3 * sum / count)))
            }
        }
        return Luminance(bytes: sharpened, width: width, height: height)
    }

    /// Returns a part of the picture.
    func cropped(x: Int, y: Int, width: Int, height: Int) -> Luminance {
        var part: [UInt8] = []
        part.reserveCapacity(width * height)
        for row in y..<y + height {
            let start = row * self.width + x
            part += bytes[start..<start + width]
        }
        return Luminance(bytes: part, width: width, height: height)
    }

    /// Returns the picture with the quadrilaterals of codes painted white.
    func covering(_ codes: [FoundCode]) -> Luminance {
        var covered = bytes
        for code in codes {
            for row in code.rows.clamped(to: 0...height - 1) {
                let crossings = zip(code.corners, code.corners.dropFirst() + code.corners.prefix(1)).compactMap {
                    Self.crossing(from: $0, to: $1, row: row)
                }
                guard let first = crossings.min(), let last = crossings.max(), first < width, last >= 0 else {
                    continue
                }
                for column in max(0, first)...min(width - 1, last) { covered[row * width + column] = 255 }
            }
        }
        return Luminance(bytes: covered, width: width, height: height)
    }

    /// Returns the column in which a side of a quadrilateral crosses a row; nil when it does not.
    private static func crossing(
        from one: FoundCode.PicturePoint, to other: FoundCode.PicturePoint, row: Int
    ) -> Int? {
        guard min(one.y, other.y) <= row, row <= max(one.y, other.y) else { return nil }
        guard one.y != other.y else { return one.x }
        return one.x + (other.x - one.x) * (row - one.y) / (other.y - one.y)
    }

    /// Returns the picture with its contrast stretched to the whole range, unless it has that already, or has none.
    ///
    /// The darkest and the lightest hundredth of the pixels become black and white.
    func stretched() -> Luminance {
        var histogram = [Int](repeating: 0, count: 256)
        for byte in bytes { histogram[Int(byte)] += 1 }
        let share = bytes.count / 100
        let low = Self.level(histogram, beyond: share, in: Array(0...255))
        let high = Self.level(histogram, beyond: share, in: Array((0...255).reversed()))
        guard high > low, high - low < 224 else { return self }
        let table = (0...255).map { UInt8(min(255, max(0, ($0 - low) * 255 / (high - low)))) }
        return Luminance(bytes: bytes.map { table[Int($0)] }, width: width, height: height)
    }

    /// Returns the first of the `levels` up to which there are more pixels than `share`.
    private static func level(_ histogram: [Int], beyond share: Int, in levels: [Int]) -> Int {
        var count = 0
        for level in levels {
            count += histogram[level]
            if count > share { return level }
        }
        return levels.last ?? 0
    }
}
