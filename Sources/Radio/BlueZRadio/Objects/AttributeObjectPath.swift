/// Parses the handles at the end of a remote attribute's path: `…/dev_XX/service000a/char000b/desc000d`.
enum AttributeObjectPath {
    /// The handle at the end of a path; nil where there is none.
    static func handle(of path: String) -> UInt16? {
        guard let last = path.split(separator: "/").last else { return nil }
        for word in ["service", "char", "desc"] where last.hasPrefix(word) {
            let digits = last.dropFirst(word.count)
            return digits.count == 4 && digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
        }
        return nil
    }

    /// The path of the device to which the attribute belongs; nil where there is none.
    static func device(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let index = parts.firstIndex(where: { $0.hasPrefix("dev_") }) else { return nil }
        return parts[...index].joined(separator: "/")
    }

    /// The number of an adapter: 3 for `/org/bluez/hci3`; nil where there is none.
    static func adapterIndex(of path: String) -> UInt16? {
        guard let last = path.split(separator: "/").last, last.hasPrefix("hci") else { return nil }
        return UInt16(last.dropFirst(3))
    }
}
