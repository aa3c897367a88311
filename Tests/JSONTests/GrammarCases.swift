import JSON

/// Cases written from the grammar of RFC 8259, with what each means.
enum GrammarCases {
    static let accepted: [(String, JSONValue)] = [
        ("null", nil), ("true", true), ("false", false), ("0", 0), ("\"\"", ""), ("[]", []), ("{}", [:]),
        (" null", nil), ("null ", nil), ("\t\n\r null \r\n\t", nil), (" [ ] ", []), ("[\n]", []), (" { } ", [:]),
        ("[null]", [nil]), ("[ null , true ]", [nil, true]), ("[[]]", [[]]), ("[[],[]]", [[], []]),
        ("[[[[[]]]]]", [[[[[]]]]]), ("[1,2,3]", [1, 2, 3]), ("[\"a\",\"b\"]", ["a", "b"]), ("[{}]", [[:]]),
        ("{\"a\":1}", ["a": 1]), ("{\"a\" : 1}", ["a": 1]), ("{ \"a\":1 , \"b\":2 }", ["a": 1, "b": 2]),
        ("{\"b\":2,\"a\":1}", ["a": 1, "b": 2]), ("{\"\":0}", ["": 0]), ("{\"a\":{\"a\":{}}}", ["a": ["a": [:]]]),
        ("{\"a\":[]}", ["a": []]), ("{\"a\":null}", ["a": nil]), ("{\"a\":\"a\"}", ["a": "a"]),
        ("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]), ("{\"a\":1,\"a \":2}", ["a": 1, "a ": 2]),
        ("[0,0]", [0, 0]), ("[-1]", [-1]), ("[\"\\u0000\"]", ["\u{0}"]), ("{\"\\u0000\":1}", ["\u{0}": 1]),
        ("[true,false,null]", [true, false, nil]), ("\"null\"", "null"), ("\"[]\"", "[]"), ("[\"]\"]", ["]"]),
        ("{\"}\":\"{\"}", ["}": "{"]), ("[\",\"]", [","]), ("{\":\":\":\"}", [":": ":"]), ("\" \"", " "),
        ("{\"a\":1,\"b\":{\"a\":1}}", ["a": 1, "b": ["a": 1]]), ("[{\"a\":1},{\"a\":1}]", [["a": 1], ["a": 1]]),
    ]

    static let refused: [(String, JSONError.Code)] = empty + words + arrays + objects + strings + others

    private static let empty: [(String, JSONError.Code)] = [
        ("", .truncated), (" ", .truncated), ("\n\n", .truncated), ("[", .truncated), ("{", .truncated),
        ("\"", .truncated), ("-", .truncated), ("t", .truncated), ("[1", .truncated), ("[1,", .truncated),
        ("{\"", .truncated), ("{\"a\"", .truncated), ("{\"a\":", .truncated), ("{\"a\":1", .truncated),
        ("{\"a\":1,", .truncated), ("\"a", .truncated), ("\"\\", .truncated), ("\"\\u", .truncated),
        ("\"\\u0", .truncated), ("\"\\u00e", .truncated), ("\"\\u00e9", .truncated), ("\"\\ud83d", .truncated),
        ("\"\\ud83d\\", .truncated), ("\"\\ud83d\\u", .truncated), ("1.", .truncated), ("1e", .truncated),
        ("1e+", .truncated), ("-1.5E-", .truncated), ("[[[[", .truncated), ("{\"a\":{\"b\":[", .truncated),
    ]

    private static let words: [(String, JSONError.Code)] = [
        ("nul", .truncated), ("nulL", .syntax), ("Null", .syntax), ("NULL", .syntax), ("nil", .syntax),
        ("True", .syntax), ("TRUE", .syntax), ("tru e", .syntax), ("truth", .syntax), ("falsE", .syntax),
        ("nullx", .trailingData), ("true1", .trailingData), ("truefalse", .trailingData), ("undefined", .syntax),
        ("NaN", .syntax), ("Infinity", .syntax), ("-Infinity", .badNumber), ("inf", .syntax), ("a", .syntax),
        ("'a'", .syntax), ("`a`", .syntax), ("// x\n1", .syntax), ("/* x */1", .syntax), ("1/**/", .trailingData),
        ("1 // x", .trailingData), ("# x", .syntax), ("yes", .syntax), ("None", .syntax), (";", .syntax),
    ]

    private static let arrays: [(String, JSONError.Code)] = [
        ("]", .syntax), ("[]]", .trailingData), ("[,]", .syntax), ("[1,]", .syntax), ("[,1]", .syntax),
        ("[1,,2]", .syntax), ("[1 2]", .syntax), ("[1;2]", .syntax), ("[1:2]", .syntax), ("[\"a\":1]", .syntax),
        ("[1}", .syntax), ("[}", .syntax), ("[[]", .truncated), ("[] []", .trailingData), ("[],", .trailingData),
        ("[1],2", .trailingData), ("[a]", .syntax), ("[\"a]", .truncated), ("[\"a\"", .truncated),
        ("[...]", .syntax), ("[1,\n2\n,]", .syntax), ("[\u{B}1]", .syntax), ("[\u{C}]", .syntax),
        ("[\u{A0}]", .syntax), ("[\u{2028}]", .syntax), ("[\u{FEFF}]", .syntax), ("[\u{0}]", .syntax),
    ]

    private static let objects: [(String, JSONError.Code)] = [
        ("}", .syntax), ("{}}", .trailingData), ("{,}", .syntax), ("{\"a\"}", .syntax), ("{\"a\",1}", .syntax),
        ("{\"a\":}", .syntax), ("{\"a\":1,}", .syntax), ("{,\"a\":1}", .syntax), ("{\"a\":1,,\"b\":2}", .syntax),
        ("{\"a\":1 \"b\":2}", .syntax), ("{\"a\"::1}", .syntax), ("{\"a\"=1}", .syntax), ("{a:1}", .syntax),
        ("{'a':1}", .syntax), ("{1:1}", .syntax), ("{null:1}", .syntax), ("{[]:1}", .syntax), ("{:1}", .syntax),
        ("{\"a\":1]", .syntax), ("{]", .syntax), ("{\"a\":1}{", .trailingData), ("{} {}", .trailingData),
        ("{\"a\":1,\"a\":1}", .duplicateName), ("{\"a\":1,\"a\":2}", .duplicateName),
        ("{\"a\":1,\"\\u0061\":2}", .duplicateName), ("{\"\":1,\"\":1}", .duplicateName),
        ("{\"b\":{\"a\":1,\"c\":0,\"a\":1}}", .duplicateName), ("{\"\\/\":1,\"/\":1}", .duplicateName),
        ("{\"é\":1,\"\\u00e9\":1}", .duplicateName), ("[{\"a\":1,\"a\":1}]", .duplicateName),
        ("{\"\\ud83d\\ude00\":1,\"😀\":1}", .duplicateName), ("{\"a\":1,\"a\"", .truncated),
        ("{\"a\":\"b\":\"c\"}", .syntax), ("{\"a\" \"b\"}", .syntax), ("{\"a\":1}//", .trailingData),
    ]

    private static let strings: [(String, JSONError.Code)] = [
        ("\"a\nb\"", .controlCharacter), ("\"a\tb\"", .controlCharacter), ("\"\u{0}\"", .controlCharacter),
        ("\"\u{1F}\"", .controlCharacter), ("\"\\a\"", .badEscape), ("\"\\x41\"", .badEscape), ("\"\\'\"", .badEscape),
        ("\"\\0\"", .badEscape), ("\"\\ \"", .badEscape), ("\"\\U0041\"", .badEscape), ("\"\\u\"", .badEscape),
        ("\"\\u00\"", .badEscape), ("\"\\u004g\"", .badEscape), ("\"\\u 041\"", .badEscape),
        ("\"\\u+041\"", .badEscape),
        ("\"\\u-041\"", .badEscape), ("\"\\u{41}\"", .badEscape), ("\"\\é\"", .badEscape), ("\"\\\n\"", .badEscape),
        ("\"\\ud800\"", .loneSurrogate), ("\"\\udbff\"", .loneSurrogate), ("\"\\udc00\"", .loneSurrogate),
        ("\"\\udfff\"", .loneSurrogate), ("\"\\ud83dx\"", .loneSurrogate), ("\"\\ud83d\\n\"", .loneSurrogate),
        ("\"\\ud83d\\ud83d\"", .loneSurrogate), ("\"\\ude00\\ud83d\"", .loneSurrogate),
        ("\"\\ud83d\\u0041\"", .loneSurrogate), ("\"\\ud83d\\u00zz\"", .badEscape),
        ("\"\\uD83D \\uDE00\"", .loneSurrogate),
        ("{\"\\ud800\":1}", .loneSurrogate), ("\"\"\"", .trailingData), ("\"a\" \"b\"", .trailingData),
        ("\"a\"b", .trailingData), ("\"\\\"", .truncated), ("\"\\\\\\\"", .truncated),
        ("{\"a\n\":1}", .controlCharacter),
    ]

    private static let others: [(String, JSONError.Code)] = [
        ("1 2", .trailingData), ("1,", .trailingData), ("1}", .trailingData), ("1]", .trailingData),
        ("null,", .trailingData), ("\u{FEFF}1", .byteOrderMark), ("\u{FEFF}", .byteOrderMark),
        ("1\u{FEFF}", .trailingData), ("\u{A0}1", .syntax), ("1\u{0}", .trailingData), ("\u{0}", .syntax),
        ("<html>", .syntax), ("%7B%7D", .syntax), ("\\u007b}", .syntax), ("é", .syntax), ("{}\u{1}", .trailingData),
    ]

    static let refusedBytes: [([UInt8], JSONError.Code)] = [
        ([0x22, 0x80, 0x22], .notUTF8), ([0x22, 0xBF, 0x22], .notUTF8), ([0x22, 0xC0, 0x80, 0x22], .notUTF8),
        ([0x22, 0xC1, 0xBF, 0x22], .notUTF8), ([0x22, 0xC2, 0x22], .notUTF8), ([0x22, 0xC2, 0xC2, 0x22], .notUTF8),
        ([0x22, 0xE0, 0x80, 0x80, 0x22], .notUTF8), ([0x22, 0xE0, 0x9F, 0xBF, 0x22], .notUTF8),
        ([0x22, 0xE1, 0x80, 0x22], .notUTF8), ([0x22, 0xE1, 0x80, 0x41, 0x22], .notUTF8),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8), ([0x22, 0xED, 0xBF, 0xBF, 0x22], .notUTF8),
        ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], .notUTF8), ([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], .notUTF8),
        ([0x22, 0xF1, 0x80, 0x80, 0x22], .notUTF8), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .notUTF8),
        ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], .notUTF8), ([0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], .notUTF8),
        ([0x22, 0xFE, 0x22], .notUTF8), ([0x22, 0xFF, 0x22], .notUTF8), ([0x22, 0xE9, 0x22], .notUTF8),
        ([0x22, 0xF0, 0x9F, 0x98], .notUTF8), ([0x22, 0x5C, 0xE9, 0x22], .badEscape), ([0xFF], .syntax),
        ([0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D], .syntax), ([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .syntax),
        ([0x5B, 0x00, 0x5D, 0x00], .syntax), ([0x00, 0x5B, 0x00, 0x5D], .syntax), ([0xEF, 0xBB, 0xBF], .byteOrderMark),
        ([0xEF, 0xBB, 0xBF, 0x31], .byteOrderMark), ([0xEF, 0xBB], .syntax), ([0x31, 0xFF], .trailingData),
        ([0x5B, 0x22, 0xFF, 0x22, 0x5D], .notUTF8), ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], .notUTF8),
    ]

    static let texts: [(String, String)] = [
        ("", ""), ("a", "a"), ("\\\"", "\""), ("\\\\", "\\"), ("\\/", "/"), ("/", "/"), ("\\b", "\u{8}"),
        ("\\f", "\u{C}"),
        ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ("\\u0041", "A"), ("\\u00e9", "é"), ("\\u00E9", "é"),
        ("\\u20AC", "€"), ("\\u20ac", "€"), ("\\ud83d\\ude00", "😀"), ("\\uD83D\\uDE00", "😀"), ("😀", "😀"),
        ("\\ud800\\udc00", "\u{10000}"), ("\\udbff\\udfff", "\u{10FFFF}"), ("\\ud7ff", "\u{D7FF}"),
        ("\\ue000", "\u{E000}"), ("\\uffff", "\u{FFFF}"), ("\\ufffe", "\u{FFFE}"), ("\\ufeff", "\u{FEFF}"),
        ("\u{FEFF}", "\u{FEFF}"), ("\u{FFFF}", "\u{FFFF}"), ("\u{10FFFF}", "\u{10FFFF}"), ("\u{80}", "\u{80}"),
        ("\u{7FF}", "\u{7FF}"), ("\u{800}", "\u{800}"), ("\u{2028}\u{2029}", "\u{2028}\u{2029}"), ("\u{7F}", "\u{7F}"),
        ("e\u{301}", "e\u{301}"), ("\\u0065\\u0301", "e\u{301}"), ("\u{E9}", "\u{E9}"), ("\\\\u0041", "\\u0041"),
        ("a\\nb\\nc", "a\nb\nc"), ("\\n\\n", "\n\n"), ("é\\né", "é\né"), ("'", "'"), ("{}[]:,", "{}[]:,"),
        ("\\u0022", "\""), ("\\u005c", "\\"), ("\\u002f", "/"), ("\\u0000", "\u{0}"), ("\\u001f", "\u{1F}"),
        ("\\u0020", " "), ("\\u007f", "\u{7F}"), ("0123456789abcdef\\t0123456789", "0123456789abcdef\t0123456789"),
    ]

    static let numbers = [
        "0", "-0", "1", "-1", "9", "10", "123", "-123", "0.0", "-0.0", "0.1", "0.10", "1.0", "1.5", "-1.5", "0e0",
        "0E0",
        "0e+0", "0e-0", "1e1", "1E1", "1e+1", "1e-1", "1e01", "1e001", "1.5e10", "-1.5E-10", "0.0e0", "1e400", "-1e400",
        "1e-400", "1E+999999", "123456789012345678901234567890", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "0.000000000000000000000000000001", "5e-324", "2.5e-324",
        "1.7976931348623157e308", "1.7976931348623159e308", "9007199254740993", "100e-2", "3.141592653589793238462643",
    ]

    static let noNumbers = [
        "+1", "+0", "01", "00", "-01", "-00", "0123", "1.", "-1.", ".1", "-.1", "1.e1", ".e1", "1e", "1E", "1e+", "1e-",
        "1e1.5", "1e1e1", "1.1.1", "--1", "-+1", "1-1", "1+1", "0x1", "0X1F", "1_000", "1,000.0.0", "1 000", "0b1",
        "0o7",
        "1f", "1d", "1n", "1L", "e1", "-", "- 1", "1 .5", "1. 5", "1 e5", "1e 5", "NaN", "nan", "-NaN", "Infinity",
        "-Infinity", "inf", "١", "１", "½", "1²", "∞", "1e٣", "0.1.2", "1..2", "$1", "1%", "0-", "2.", "00.1", "0e",
        "0.e1",
    ]
}
