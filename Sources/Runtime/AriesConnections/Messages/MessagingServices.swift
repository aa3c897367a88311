/// Sends messages of an agent, knows which answers it awaits, and reports to the readers of its events.
struct MessagingServices {
    let delivery: MessageDelivery
    let awaited: AwaitedAnswers
    let observers: AgentObservers
}
