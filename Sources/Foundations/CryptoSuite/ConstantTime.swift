/// Comparisons whose duration tells nothing about the bytes.
public enum ConstantTime {
    /// Returns true when `left` and `right` are the same bytes; the time taken depends on the lengths alone.
    public static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe withRawBytes(left) { left in
            unsafe withRawBytes(right) { right in unsafe BackEnd.areEqual(left, right) }
        }
    }
}
