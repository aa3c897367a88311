import Testing

@testable import BlueZRadio

@Suite struct ConnectScheduleTests {
    private typealias Answer = Result<[DBusValue], DBusError>

    @Test func `the pause between two connect attempts doubles up to the longest`() {
        var schedule = ConnectSchedule()
        let pauses = (1...6).map { _ in schedule.nextPause() }
        #expect(pauses == [200, 400, 800, 1600, 1600, 1600].map { .milliseconds($0) })
    }

    @Test func `each new connect schedule begins with the first pause`() {
        var schedule = ConnectSchedule()
        _ = schedule.nextPause()
        var next = ConnectSchedule()
        let pause = next.nextPause()
        #expect(pause == ConnectSchedule.firstPause)
    }

    @Test(arguments: [
        "org.bluez.Error.NotReady", "org.freedesktop.DBus.Error.Disconnected",
        "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.ServiceUnknown",
    ])
    func `a D-Bus error that a retry cannot change ends the connect`(name: String) {
        let error = DBusError(name, "a sentence")
        #expect(ConnectSchedule.outcome(of: .failure(error), isConnected: false) == .failed(error))
    }

    @Test(arguments: [
        "org.bluez.Error.Failed", "org.bluez.Error.InProgress", "org.bluez.Error.NotAvailable",
        "org.freedesktop.DBus.Error.NoReply", "org.bluez.Error.NotReady.Else", "",
    ])
    func `a connect that failed with any other D-Bus error is tried again`(name: String) {
        #expect(ConnectSchedule.outcome(of: .failure(DBusError(name)), isConnected: false) == .retry)
    }

    @Test func `a device that is connected is linked, whatever bluetoothd answered`() {
        let answers: [Answer?] = [
            nil, .success([]), .failure(DBusError("org.bluez.Error.Failed")),
            .failure(DBusError("org.bluez.Error.NotReady")),
        ]
        for answer in answers {
            #expect(ConnectSchedule.outcome(of: answer, isConnected: true) == .linked)
        }
    }

    @Test func `a successful connect call opens the link, and an unanswered one does not`() {
        #expect(ConnectSchedule.outcome(of: .success([]), isConnected: false) == .linked)
        #expect(ConnectSchedule.outcome(of: nil, isConnected: false) == .retry)
    }

    @Test(
        arguments: [
            (0, false, true), (299, false, true), (300, false, false), (300, true, true), (2999, true, true),
            (3000, true, false), (3000, false, false),
        ] as [(Int, Bool, Bool)])
    func `a connect that failed is still awaited for 300 ms, and for 3 s while the kernel connects`(
        elapsed: Int, isKernelConnecting: Bool, mayComeUp: Bool
    ) {
        let after = Duration.milliseconds(elapsed)
        #expect(ConnectSchedule.mayComeUpLate(after: after, isKernelConnecting: isKernelConnecting) == mayComeUp)
    }

    @Test func `the connect schedule asks the kernel only when the answer depends on it`() {
        var questions = 0
        func ask() -> Bool {
            questions += 1
            return true
        }
        var asked: [Int] = []
        for time in [.zero, ConnectSchedule.lateTime, ConnectSchedule.latestTime] {
            _ = ConnectSchedule.mayComeUpLate(after: time, isKernelConnecting: ask())
            asked.append(questions)
        }
        #expect(asked == [0, 1, 1])
    }
}

@Suite struct DiscoveryFailuresTests {
    /// Returns, for each of `count` discoveries that do not start, true when it ends the scans.
    private func failedStarts(_ count: Int, _ failures: inout ScanDiscoveryFailures) -> [Bool] {
        (0..<count).map { _ in failures.endScans(afterStart: false) }
    }

    @Test func `BlueZNames scans fail with the twentieth discovery in a row that does not start`() {
        var failures = ScanDiscoveryFailures()
        let ended = failedStarts(20, &failures)
        #expect(ended == Array(repeating: false, count: 19) + [true])
    }

    @Test func `a discovery that starts resets the count of failed ones`() {
        var failures = ScanDiscoveryFailures()
        var ended = failedStarts(19, &failures)
        ended.append(failures.endScans(afterStart: true))
        ended += failedStarts(20, &failures)
        #expect(ended == Array(repeating: false, count: 39) + [true])
    }

    @Test func `the count of failed discoveries is reset when the scans have failed`() {
        var failures = ScanDiscoveryFailures()
        let ended = failedStarts(60, &failures)
        #expect(ended == (1...60).map { $0 % 20 == 0 })
    }
}
