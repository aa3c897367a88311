/// The searches for codes on one picture, with the likely ones first.
enum CodeSearch {
    private typealias PicturePoint = FoundCode.PicturePoint

    /// One search on a copy of the picture.
    private struct CodeAttempt {
        /// The size of the copy: 0 as it is, −1 half as wide and high, 1 twice.
        var scale = 0
        var isInverted = false
        var isMirrored = false
        var isStretched = false
        var hasOneThreshold = false
    }

    /// The searches after those of `allCodes`, which end with the first that finds a code.
    ///
    /// zxing-cpp takes a picture to be mostly light when it draws the line between dark and light, so that an inverted
    /// copy helps even a version that looks for inverted codes.
    private static let attempts = [
        CodeAttempt(isInverted: true), CodeAttempt(isStretched: true),
        CodeAttempt(isStretched: true, hasOneThreshold: true),
        CodeAttempt(scale: 1), CodeAttempt(scale: -2), CodeAttempt(isInverted: true, isStretched: true),
        CodeAttempt(isMirrored: true), CodeAttempt(scale: 1, isStretched: true),
        CodeAttempt(isInverted: true, isMirrored: true), CodeAttempt(hasOneThreshold: true),
    ]

    /// Copies are not made larger than this, nor smaller than `minimumSide`.
    private static let maximumDoubledPixels = 1_000_000
    /// Pictures with more pixels are made smaller before parts of them are searched.
    private static let maximumDividedPixels = 10_000_000
    private static let minimumSide = 64

    /// Returns the codes in a picture that was checked, in no order; none when none is found.
    static func codes(in picture: Luminance, _ effort: CodeReader.Effort) -> [FoundCode] {
        switch effort {
        case .frame:
            let found = ZXingBackEnd.codes(in: picture, ZXingBackEnd.SearchSettings(isThorough: false))
            if !found.isEmpty { return found }
            // Screens with light letters on a dark page show QR codes so.
            return ZXingBackEnd.codes(
                in: picture.inverted(), ZXingBackEnd.SearchSettings(isThorough: false, isForQROnly: true))
        case .thorough:
            let found = allCodes(in: picture)
            if !found.isEmpty { return found }
            for attempt in attempts {
                let found = codes(in: picture, attempt)
                if !found.isEmpty { return found }
            }
            return []
        }
    }

    /// Searches for dark codes on a light page: in the whole picture, in a half copy, and in parts of it.
    ///
    /// The picture has the small codes, the half copy less noise. Among many codes of one size zxing-cpp takes marks of
    /// several for those of one, and finds few or none, which a part with fewer codes mends.
    private static func allCodes(in picture: Luminance) -> [FoundCode] {
        var found = codes(in: picture, CodeAttempt())
        add(codes(in: picture, CodeAttempt(scale: -1)), to: &found)
        var (copy, scale) = (picture, 0)
        while copy.bytes.count > maximumDividedPixels { (copy, scale) = (copy.halved(), scale - 1) }
        guard min(copy.width, copy.height) >= 2 * minimumSide else { return found }
        let (width, height) = (copy.width / 2, copy.height / 2)
        for part in 0..<9 where found.count < CodeReader.maximumCodes {
            let (x, y) = (part % 3 * (copy.width - width) / 2, part / 3 * (copy.height - height) / 2)
            let known = found.map { $0.mapped { PicturePoint(x: $0.x >> -scale - x, y: $0.y >> -scale - y) } }
            let window = copy.cropped(x: x, y: y, width: width, height: height).covering(known)
            let new = codes(in: window, ZXingBackEnd.SearchSettings())
            add(new.map { $0.mapped { PicturePoint(x: ($0.x + x) << -scale, y: ($0.y + y) << -scale) } }, to: &found)
        }
        return found
    }

    private static func add(_ new: [FoundCode], to found: inout [FoundCode]) {
        for code in new where !found.contains(where: code.isSeenAgain) { found.append(code) }
    }

    private static func codes(in picture: Luminance, _ attempt: CodeAttempt) -> [FoundCode] {
        guard let copy = copy(of: picture, attempt) else { return [] }
        let settings = ZXingBackEnd.SearchSettings(hasOneThreshold: attempt.hasOneThreshold)
        return codes(in: copy, settings).map { code in
            code.mapped { point in
                let x = attempt.isMirrored ? copy.width - 1 - point.x : point.x
                return PicturePoint(x: scaled(x, attempt.scale), y: scaled(point.y, attempt.scale))
            }
        }
    }

    /// Searches again without the codes that were found, until there are no more, or as many as are returned.
    ///
    /// zxing-cpp returns one Aztec or PDF417 code of a picture, and not always all QR codes.
    private static func codes(in picture: Luminance, _ settings: ZXingBackEnd.SearchSettings) -> [FoundCode] {
        var found: [FoundCode] = []
        var rest = picture
        while found.count < CodeReader.maximumCodes {
            let new = ZXingBackEnd.codes(in: rest, settings).filter { !found.contains(where: $0.isSeenAgain) }
            guard !new.isEmpty else { break }
            found += new
            rest = rest.covering(new)
        }
        return found
    }

    /// Moves a coordinate of a copy back to the picture.
    private static func scaled(_ value: Int, _ scale: Int) -> Int { scale > 0 ? value >> scale : value << -scale }

    /// Returns the copy for an attempt; nil when it would be too small or too large, or no different.
    private static func copy(of picture: Luminance, _ attempt: CodeAttempt) -> Luminance? {
        var copy = picture
        if attempt.scale > 0 {
            guard 4 * picture.bytes.count <= maximumDoubledPixels else { return nil }
            copy = copy.doubled()
        }
        for _ in 0..<max(0, -attempt.scale) {
            guard min(copy.width, copy.height) >= 2 * minimumSide else { return nil }
            copy = copy.halved()
        }
        if attempt.isStretched {
            guard let stretched = copy.stretched() else { return nil }
            copy = stretched
        }
        if attempt.isInverted { copy = copy.inverted() }
        return attempt.isMirrored ? copy.mirrored() : copy
    }
}
