import Terminal
import Testing

@Suite struct WindowSizeTests {
    @Test func `a window's size is never below 20 by 4`() {
        #expect(WindowSize(columns: 1, rows: 0) == WindowSize(columns: 20, rows: 4))
    }

    @Test func `a descriptor that is no terminal has no window size`() {
        #expect(WindowSize(ofTerminal: -1) == nil)
    }
}
