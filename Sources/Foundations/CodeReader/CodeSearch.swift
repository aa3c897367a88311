/// The searches for codes on one picture, with the likely ones first.
enum CodeSearch {
    private typealias PicturePoint = FoundCode.PicturePoint

    /// A search on a copy of the picture with more contrast and, unless it is turned or large, twice its size.
    private struct CodeAttempt {
        var isInverted = false
        var isMirrored = false
        var isSharpened = false
        var angle: TurnedLuminance.Angle?
    }

    /// The searches of a picture in which none was found as it is; the first that finds a code ends them.
    ///
    /// zxing-cpp takes a picture to be mostly light when it draws the line between dark and light, so that an inverted
    /// copy helps even a version that looks for inverted codes. PDF417, and Aztec by version 1.4, are found near right
    /// angles only.
    private static let attempts =
        [
            CodeAttempt(), CodeAttempt(isInverted: true), CodeAttempt(isMirrored: true), CodeAttempt(isSharpened: true),
            CodeAttempt(isInverted: true, isMirrored: true),
        ] + TurnedLuminance.Angle.allCases.map { CodeAttempt(angle: $0) }

    /// The processor time for the searches of a frame: ten times that of a usual one of 1920 by 1080 pixels.
    private static let frameMilliseconds: Int32 = 250
    /// The processor time for the searches of a file: five times that of a usual one of the most pixels.
    private static let fileMilliseconds: Int32 = 15_000
    /// The most pixels of a picture that is doubled.
    private static let maximumDoubledPixels = 2_000_000
    /// The most pixels of a picture that is searched in parts or turned; a larger one is made smaller first.
    private static let maximumCopiedPixels = 10_000_000
    /// The least width and height of a copy that is made smaller.
    private static let minimumSide = 64

    /// Returns the codes in a picture that was checked, in no order; none when none is found.
    static func codes(in picture: Luminance, _ effort: CodeReader.Effort) -> (found: [FoundCode], isCutOff: Bool) {
        var budget = ZXingBackEnd.SearchBudget(milliseconds: effort == .frame ? frameMilliseconds : fileMilliseconds)
        let found = codes(in: picture, effort, &budget)
        return (found, budget.isSpent)
    }

    private static func codes(
        in picture: Luminance, _ effort: CodeReader.Effort, _ budget: inout ZXingBackEnd.SearchBudget
    ) -> [FoundCode] {
        switch effort {
        case .frame: return ZXingBackEnd.codes(in: picture, .frame, &budget)
        case .thorough:
            let found = darkCodes(in: picture, &budget)
            if !found.isEmpty { return found }
            // The copies share what they begin with.
            let base = Reduced(picture)
            for attempt in attempts where !budget.isSpent {
                let found = codes(in: base, attempt, &budget)
                if !found.isEmpty { return found }
            }
            return []
        }
    }

    /// A picture that was halved until it has few enough pixels.
    private struct Reduced {
        private(set) var pixels: Luminance
        /// The number of times that it was halved.
        private(set) var halvings = 0

        init(_ picture: Luminance) {
            pixels = picture
            while pixels.bytes.count > maximumCopiedPixels, min(pixels.width, pixels.height) >= 2 * minimumSide {
                pixels = pixels.halved()
                halvings += 1
            }
        }
    }

    /// Searches for dark codes on a light page: in the whole picture, in a half copy, and in nine parts of it.
    ///
    /// The picture has the small codes, the half copy less noise. Among many codes of one size zxing-cpp 1.4 takes the
    /// marks of several for those of one, and finds few or none; a part has fewer codes.
    private static func darkCodes(in picture: Luminance, _ budget: inout ZXingBackEnd.SearchBudget) -> [FoundCode] {
        var found = codes(in: picture, &budget)
        guard min(picture.width, picture.height) >= 2 * minimumSide else { return found }
        add(
            codes(in: picture.halved(), &budget).map { $0.mapped { PicturePoint(x: 2 * $0.x, y: 2 * $0.y) } },
            to: &found)
        let base = Reduced(picture)
        let (copy, halvings) = (base.pixels, base.halvings)
        let (width, height) = (copy.width / 2, copy.height / 2)
        for part in 0..<9 where found.count < CodeReader.maximumCodes && !budget.isSpent {
            let (x, y) = (part % 3 * (copy.width - width) / 2, part / 3 * (copy.height - height) / 2)
            let known = found.map { $0.mapped { PicturePoint(x: $0.x >> halvings - x, y: $0.y >> halvings - y) } }
            let window = copy.cropped(x: x, y: y, width: width, height: height).covering(known)
            let new = codes(in: window, &budget)
            add(
                new.map { $0.mapped { PicturePoint(x: ($0.x + x) << halvings, y: ($0.y + y) << halvings) } }, to: &found
            )
        }
        return found
    }

    private static func add(_ new: [FoundCode], to found: inout [FoundCode]) {
        for code in new where !found.contains(where: code.isSeenAgain) { found.append(code) }
    }

    private static func codes(in base: Reduced, _ attempt: CodeAttempt, _ budget: inout ZXingBackEnd.SearchBudget)
        -> [FoundCode]
    {
        var copy = base.pixels.stretched()
        var turned: TurnedLuminance?
        if let angle = attempt.angle {
            turned = TurnedLuminance(copy, by: angle)
            guard let turned else { return [] }
            copy = turned.pixels
        }
        let isDoubled = turned == nil && copy.bytes.count <= maximumDoubledPixels
        if isDoubled { copy = copy.doubled() }
        if attempt.isSharpened { copy = copy.sharpened() }
        if attempt.isInverted { copy = copy.inverted() }
        if attempt.isMirrored { copy = copy.mirrored() }
        return codes(in: copy, &budget).map { code in
            code.mapped { point in
                let unmirrored = PicturePoint(x: attempt.isMirrored ? copy.width - 1 - point.x : point.x, y: point.y)
                let place = turned?.place(of: unmirrored) ?? unmirrored
                let half = isDoubled ? 1 : 0
                return PicturePoint(
                    x: (place.x >> half) << base.halvings, y: (place.y >> half) << base.halvings)
            }
        }
    }

    /// Searches again without the codes that were found, until there are no more, or as many as are returned.
    ///
    /// zxing-cpp returns one Aztec or PDF417 code of a picture, and not always all QR codes.
    private static func codes(in picture: Luminance, _ budget: inout ZXingBackEnd.SearchBudget) -> [FoundCode] {
        var found: [FoundCode] = []
        var rest = picture
        while found.count < CodeReader.maximumCodes {
            let new = ZXingBackEnd.codes(in: rest, .thorough, &budget).filter { !found.contains(where: $0.isSeenAgain) }
            guard !new.isEmpty else { break }
            found += new
            rest = rest.covering(new)
        }
        return found
    }
}
