import Testing

@testable import HTTP1

/// RFC 9110 section 5.6.2, RFC 3986 section 2.
@Suite struct ASCIIByteClassTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    @Test func `each HTTP byte class holds the characters of its grammar and no other byte`() {
        for (set, marks) in [
            (ASCIIByteClass.token, "!#$%&'*+-.^_`|~"), (.target, "-._~!$&'()*+,;=:@/?%"),
            (.absoluteTarget, "-._~!$&'()*+,;=:@/?%[]"), (.host, "-._~!$&'()*+,;="),
        ] {
            let expected = Set((Self.letters + marks).utf8)
            for byte in UInt8.min...UInt8.max { #expect(set.holds(byte) == expected.contains(byte)) }
        }
    }

    @Test func `the end of header text is found at every place and for every byte, eight bytes at a time or one`() {
        for byte in UInt8.min...UInt8.max {
            for index in 0..<20 {
                var bytes = [UInt8](repeating: 0xE9, count: 20)
                bytes[index] = byte
                if index > 0 { bytes[index - 1] = 9 }
                let isText = byte == 9 || byte >= 32 && byte != 127
                #expect(bytes.span.endOfText(from: 0) == (isText ? 20 : index))
            }
        }
    }
}
