import QRCode

@testable import CodeReader

extension FuzzTarget {
    /// Heads of untrusted pictures: PNG, JPEG, and what is neither.
    static var pictureHeader: FuzzTarget {
        FuzzTarget(name: "picture-header", maximumBytes: 4000) {
            pictureSeeds
        } run: { input in
            guard let header = try? PictureHeader(of: input) else { return }
            let (width, height) =
                switch header {
                case .png(let header): (header.width, header.height)
                case .jpeg(let header): (header.width, header.height)
                }
            require(width > 0 && width <= CodePicture.maximumSide, "a width is within its limits")
            require(height > 0 && height <= CodePicture.maximumSide, "a height is within its limits")
            require(width * height <= CodePicture.maximumPixels, "the pixels are within their limit")
        }
    }

    /// Untrusted pictures: unpacked, and searched for codes by the libraries of the machine.
    ///
    /// Without the libraries only the readers of our own run.
    static var picture: FuzzTarget {
        FuzzTarget(name: "picture", maximumBytes: 4000) {
            pictureSeeds
        } run: { input in
            // The size of a frame is in its first byte; larger pictures take more time than they show.
            let side = 1 + Int(input.first ?? 0) % 64
            let pixels = input.dropFirst()
            if pixels.count >= side {
                let rows = pixels.count / side
                search(CodePicture(luminance: Array(pixels.prefix(side * rows)), width: side, height: rows), .frame)
            }
            let picture = CodePicture(file: input)
            guard let luminance = try? picture.luminance().pixels else { return }
            require(luminance.bytes.count == luminance.width * luminance.height, "each pixel has its byte")
            if luminance.bytes.count <= 20_000 { search(picture, .thorough) }
        }
    }

    private static func search(_ picture: CodePicture, _ effort: CodeReader.Effort) {
        guard let codes = try? CodeReader.codes(in: picture, effort: effort) else { return }
        require(
            (1...CodeReader.maximumCodes).contains(codes.count), "a search that succeeds has codes, and not too many")
        require(codes.allSatisfy { !$0.bytes.isEmpty && $0.corners.count == 4 }, "a code has bytes and four corners")
    }

    /// A code as PNG, and a JPEG of one block.
    private static var pictureSeeds: [[UInt8]] {
        let codes = ["A", "HC1:6BF+7"].compactMap { try? QRCode($0, level: .low).png(moduleSize: 1) }
        let table: [UInt8] = [0xFF, 0xDB, 0, 67, 0] + Array(repeating: 8, count: 64)
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        let codeLengths: [UInt8] = [0xFF, 0xC4, 0, 31, 0, 0, 0, 0, 12] + Array(repeating: 0, count: 12) + Array(0...11)
        let ends: [UInt8] = [0xFF, 0xC4, 0, 20, 0x10, 1] + Array(repeating: 0, count: 15) + [0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x07, 0xFF, 0, 0xFF, 0xD9]
        return codes + [[0xFF, 0xD8] + table + frame + codeLengths + ends + scan, Array("%PDF-1.7".utf8)]
    }
}
