/// Comparisons whose duration reveals nothing about the bytes.
public enum ConstantTime {
    /// Returns true when `left` and `right` are the same bytes; the time taken depends only on the lengths.
    public static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe withRawBytes(left) { left in
            unsafe withRawBytes(right) { right in unsafe BackEnd.areEqual(left, right) }
        }
    }
}
