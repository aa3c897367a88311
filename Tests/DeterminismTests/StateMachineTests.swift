import Determinism
import Testing

@Suite struct StateMachineTests {
    private struct Doubler: StateMachine {
        var count = 0

        mutating func handle(_ input: Int, at now: MonotonicInstant, into outputs: inout [Int]) {
            count += 1
            outputs += [input, input]
        }
    }

    @Test func `a state machine returns the outputs of one input alone, in their order`() {
        var machine = Doubler()
        var outputs = [1]
        machine.handle(2, at: .zero, into: &outputs)
        #expect(outputs == [1, 2, 2])
        #expect(machine.handle(3, at: .zero) == [3, 3])
        #expect(machine.count == 2)
    }
}
