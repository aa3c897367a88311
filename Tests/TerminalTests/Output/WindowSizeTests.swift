import Terminal
import Testing

@Suite struct WindowSizeTests {
    @Test func `a window is never smaller than 20 by 4`() {
        #expect(WindowSize(columns: 1, rows: 0) == WindowSize(columns: 20, rows: 4))
    }

    @Test func `a descriptor that is no terminal has no window`() {
        #expect(WindowSize(ofTerminal: -1) == nil)
    }
}
