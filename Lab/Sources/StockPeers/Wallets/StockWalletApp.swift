import Air
import Bluetooth
import Determinism

/// The part of a stock wallet that both operating systems share.
///
/// It has the phone's stack, the steps that the app has scheduled, and the end of the app.
struct StockWalletApp<Step: Sendable>: Sendable {
    var phone: PhoneCentral
    private var steps = EventHeap<Step>()

    /// True once the app has ended: the link is down, the code was refused, or its process ended.
    private(set) var isOver = false

    init(generation: StockGeneration) { phone = PhoneCentral(generation: generation) }

    /// The earliest deadline of the app and its stack.
    var nextDeadline: MonotonicInstant? {
        isOver ? nil : [steps.first?.instant, phone.nextDeadline].compactMap { $0 }.min()
    }

    /// Lets the stack take an event of the controller, and returns the callbacks for the app.
    mutating func handle(
        _ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> [PhoneCentral.Callback] {
        var callbacks: [PhoneCentral.Callback] = []
        if !isOver { phone.handle(event, at: now, into: &commands, &callbacks) }
        return callbacks
    }

    /// Lets the stack handle its deadlines, and returns the callbacks for the app.
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) -> [PhoneCentral.Callback] {
        var callbacks: [PhoneCentral.Callback] = []
        phone.wake(at: now, into: &commands, &callbacks)
        return callbacks
    }

    mutating func schedule(_ step: Step, at instant: MonotonicInstant) { steps.insert(step, at: instant) }

    /// Takes the next step that is due; nil when there is none, or the app has ended.
    mutating func takeStep(at now: MonotonicInstant) -> Step? {
        isOver ? nil : steps.popFirst(through: now)?.payload
    }

    mutating func end() {
        isOver = true
        steps = EventHeap()
    }

    /// Ends the app as the operating system does when its process ends.
    mutating func crash(isScanning: Bool, into commands: inout [AirCommand]) {
        end()
        if isScanning { commands.append(.stopScanning) }
        phone.disconnect(into: &commands)
    }
}
