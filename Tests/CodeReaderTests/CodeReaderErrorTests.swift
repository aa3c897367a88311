import Testing

@testable import CodeReader

@Suite struct CodeReaderErrorTests {
    @Test func `a machine without libZXing is told which package has it`() {
        for isTooOld in [false, true] {
            let error = ZXingBackEnd.missing(isTooOld: isTooOld, knowsVersion1: true)
            #expect(error.code == .library)
            #expect(error.reason.contains("libZXing") && error.reason.contains("on Debian 12 libzxing2"))
            #expect(error.reason.contains("too old") == isTooOld)
        }
        let error = ZXingBackEnd.missing(isTooOld: false, knowsVersion1: false)
        #expect(error.reason.contains("libzxing3") && error.reason.contains("libzxing-dev"))
    }

    @Test func `a machine without libturbojpeg is told which package has it`() {
        #expect(TurboJPEGBackEnd.missing.code == .library)
        #expect(TurboJPEGBackEnd.missing.reason.contains("libturbojpeg0"))
    }

    @Test func `errors of pictures are equal when their codes are, and codes keep their names`() {
        #expect(CodeReaderError(.broken, "one") == CodeReaderError(.broken, "another"))
        #expect(CodeReaderError(.broken, "one") != CodeReaderError(.noCode, "one"))
        let names = ["library", "format", "too-large", "broken", "no-code"].map { "picture.\($0)" }
        #expect(CodeReaderErrorCode.allCases.map(\.rawValue) == names)
    }

    @Test func `the next step of a missing library is the line that installs it`() {
        #expect(CodeReaderErrorCode.library.explanation.nextStep.contains("apt install libzxing3 libturbojpeg0"))
    }
}
