#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The size of a terminal's window.
public struct WindowSize: Hashable, Sendable {
    /// The width of the window in characters.
    public let columns: Int
    /// The height of the window in lines.
    public let rows: Int

    /// Makes a size of a window, at least 20 columns by 4 lines.
    public init(columns: Int, rows: Int) {
        self.columns = max(20, columns)
        self.rows = max(4, rows)
    }

    /// Reads the size of the terminal behind `descriptor`; nil when there is none or it does not report a size.
    public init?(ofTerminal descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
