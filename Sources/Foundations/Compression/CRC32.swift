/// The 32-bit cyclic redundancy check of gzip and PNG (polynomial 0x04C11DB7 reflected).
///
/// The check of the ASCII digits 1 to 9 is 0xCBF43926. Source: RFC 1952, section 8.
public enum CRC32 {
    /// Returns the CRC-32 of `bytes`.
    public static func checksum(of bytes: some Collection<UInt8>) -> UInt32 { ZlibBackEnd.crc32(bytes) }
}
