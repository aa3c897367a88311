import Testing

@testable import LabCommands

@Suite struct ChildProcessTests {
    @Test func `a child process that succeeds returns its output`() {
        #expect(ChildProcess.output(of: ["/bin/echo", "a", "b c"], secondsAllowed: 60) == Array("a b c\n".utf8))
        #expect(ChildProcess.output(of: ["/bin/cat"], secondsAllowed: 60) == [])
    }

    @Test func `a child process that fails, does not exist or writes too much returns nothing`() {
        #expect(ChildProcess.output(of: ["/bin/sh", "-c", "echo a; exit 1"], secondsAllowed: 60) == nil)
        #expect(ChildProcess.output(of: ["/nowhere/at/all"], secondsAllowed: 60) == nil)
        #expect(ChildProcess.output(of: [], secondsAllowed: 60) == nil)
        #expect(ChildProcess.output(of: ["/bin/sh", "-c", "exec yes"], secondsAllowed: 60) == nil)
    }

    @Test func `a child process that does not end is ended`() {
        #expect(ChildProcess.output(of: ["/bin/sh", "-c", "exec sleep 600"], secondsAllowed: 0) == nil)
    }
}
