import SwiftUI

/// A wallet with one credential and one button. Info.plist needs `NSBluetoothAlwaysUsageDescription`; a real wallet scans the
/// verifier's QR code, this one takes its text from a field.
@main struct WalletApp: App {
    var body: some Scene {
        WindowGroup { WalletView() }
    }
}

/// Copies the model's states to where SwiftUI sees them.
@MainActor final class WalletScreen: ObservableObject {
    @Published var state = WalletState.idle

    private let model = WalletModel()

    func follow() async {
        for await state in model.states { self.state = state }
    }

    func handOver(to text: String) async {
        let credential = Array("{\"name\":\"Ada Example\",\"degree\":\"BSc\"}".utf8)
        await model.handOver(credential, to: text)
    }

    func cancel() async { await model.cancel() }
}

struct WalletView: View {
    @StateObject private var screen = WalletScreen()
    @State private var text = ""

    var body: some View {
        VStack(spacing: 24) {
            TextField("OPENID4VP://…", text: $text)
                .textFieldStyle(.roundedBorder)
                .autocorrectionDisabled()
            Button("Send the credential") {
                Task { await screen.handOver(to: text) }
            }
            .disabled(text.isEmpty)
            status
            Button("Cancel", role: .cancel) {
                Task { await screen.cancel() }
            }
        }
        .padding()
        .task { await screen.follow() }
    }

    @ViewBuilder private var status: some View {
        switch screen.state {
        case .idle: Text("Scan the code of a verifier.")
        case .searching: ProgressView("Looking for the verifier")
        case .connected(let words): Text("Compare: \(words)")
        case .sending(let share): ProgressView("Sending", value: share)
        case .sent: ProgressView("Waiting for the decision")
        case .decided(let isAccepted):
            Label(
                isAccepted ? "Accepted" : "Rejected",
                systemImage: isAccepted ? "checkmark.circle" : "xmark.circle")
        case .failed(let sentence, let code):
            VStack {
                Text(sentence)
                Text(code).font(.caption)
            }
        }
    }
}
