import CZXing

/// The only file that calls zxing-cpp.
enum ZXingBackEnd {
    /// The most codes that are returned of one picture.
    static let maximumCodes = 16

    /// The ways to search a picture.
    enum SearchMode: Sendable {
        /// Quickly, then for QR codes on an inverted copy, as screens with light letters on a dark page show them.
        case frame
        /// In more rows, and for codes on their side.
        case thorough
    }

    /// True when the library is open, or could be opened now.
    static var isAvailable: Bool { CZXingOpen() == CZXING_OPEN }

    /// Opens the library; throws `picture.library`, which names the packages, where there is none.
    static func open() throws(CodeReaderError) {
        let state = CZXingOpen()
        guard state != CZXING_OPEN else { return }
        throw missing(isTooOld: state == CZXING_TOO_OLD, knowsVersion1: CZXingKnowsVersion1())
    }

    /// Makes the error of a machine without the library.
    static func missing(isTooOld: Bool, knowsVersion1: Bool) -> CodeReaderError {
        let fault = isTooOld ? "is too old on this machine" : "is not on this machine"
        let packages =
            knowsVersion1
            ? "the package libzxing3, on Debian 12 libzxing2, has it"
            : "the package libzxing3 has it; to use libzxing2 of Debian 12, build this program with libzxing-dev"
        return CodeReaderError(.library, "The library libZXing, which reads codes in pictures, \(fault): \(packages).")
    }

    /// The processor time that is left for a picture, in milliseconds.
    struct SearchBudget: Sendable {
        fileprivate(set) var milliseconds: Int32

        /// True when no search comes to an end any more.
        var isSpent: Bool { milliseconds <= 0 }
    }

    /// Returns the codes that one search finds, in no order; none when the budget is spent.
    ///
    /// A search that fails spends the whole budget. The picture was checked, and the library is open.
    static func codes(in picture: Luminance, _ mode: SearchMode, _ budget: inout SearchBudget) -> [FoundCode] {
        let capacity = maximumCodes
        let found = UnsafeMutablePointer<CZXingCode>.allocate(capacity: capacity)
        unsafe found.initialize(repeating: CZXingCode(), count: capacity)
        defer { unsafe found.deallocate() }
        var milliseconds = budget.milliseconds
        let count = unsafe picture.bytes.withUnsafeBufferPointer { pixels in
            var view = unsafe CZXingPicture()
            unsafe view.luminance = pixels.baseAddress
            unsafe view.width = Int32(picture.width)
            unsafe view.height = Int32(picture.height)
            unsafe view.symbologies = symbologies.reduce(0) { $0 | $1.library.rawValue }
            unsafe view.isThorough = mode == .thorough
            unsafe view.isInvertedToo = mode == .frame
            return unsafe CZXingRead(&view, found, Int32(capacity), &milliseconds)
        }
        budget.milliseconds = count < 0 ? 0 : milliseconds
        guard count >= 0 else { return [] }
        defer { unsafe CZXingFree(found, count) }
        return (0..<Int(count)).compactMap { unsafe code(found[$0]) }
    }

    private static let symbologies: [(library: CZXingSymbology, symbology: FoundCode.Symbology)] = [
        (CZXING_QR_CODE, .qrCode), (CZXING_AZTEC, .aztec), (CZXING_PDF417, .pdf417), (CZXING_DATA_MATRIX, .dataMatrix),
    ]

    private static func code(_ found: CZXingCode) -> FoundCode? {
        let library = unsafe found.symbology
        guard let symbology = symbologies.first(where: { $0.library == library })?.symbology else { return nil }
        let bytes = unsafe Array(UnsafeBufferPointer(start: found.bytes, count: found.count))
        let (x, y) = unsafe (found.x, found.y)
        let corners = [(x.0, y.0), (x.1, y.1), (x.2, y.2), (x.3, y.3)].map {
            FoundCode.PicturePoint(x: Int($0.0), y: Int($0.1))
        }
        return FoundCode(bytes: bytes, symbology: symbology, corners: corners)
    }
}
