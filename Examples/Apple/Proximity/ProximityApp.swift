import SwiftUI

/// Lists who is near. Info.plist needs `NSBluetoothAlwaysUsageDescription`, and `UIBackgroundModes` with
/// `bluetooth-central` and `bluetooth-peripheral`.
@main struct ProximityApp: App {
    var body: some Scene {
        WindowGroup { ProximityView() }
    }
}

/// Copies the model's lists to where SwiftUI sees them.
@MainActor final class ProximityScreen: ObservableObject {
    @Published var devices: [NearbyDevice] = []
    @Published var failure: String?

    private let model = ProximityModel()

    func run() async {
        do {
            try await model.start(payload: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
        } catch {
            failure = "\(error)"
        }
        for await devices in model.lists { self.devices = devices }
    }
}

struct ProximityView: View {
    @StateObject private var screen = ProximityScreen()

    var body: some View {
        NavigationStack {
            List(screen.devices) { device in
                HStack {
                    Text(device.payload.map { "\($0.count) bytes" } ?? "not read yet")
                    Spacer()
                    Text(device.rssi.map { "\($0) dBm" } ?? "")
                }
            }
            .navigationTitle("Nearby")
            .overlay { if let failure = screen.failure { Text(failure) } }
        }
        .task { await screen.run() }
    }
}
