#!/bin/sh
# Makes an empty folder with four packages, one for each product, that depend on this repository by git URL; builds and runs a program
# of about ten lines in each, and prints the seconds of each. `products.sh PRODUCT...` does so for these products alone.
# The folder is .build-products; what is committed is what the packages get.

set -eu
. "$(dirname "$0")/environment.sh"
root=$(pwd)
place=$root/.build-products
commit=$(git rev-parse HEAD)
rm -rf "$place/packages" "$place/symbolon.git"
mkdir -p "$place/packages"
git clone --quiet --bare "$root" "$place/symbolon.git"

# make_package PRODUCT: reads the program from standard input.
make_package() {
    folder=$place/packages/$1
    mkdir -p "$folder/Sources/Try"
    cat >"$folder/Package.swift" <<EOF
// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Try",
    dependencies: [.package(url: "file://$place/symbolon.git", revision: "$commit")],
    targets: [
        .executableTarget(name: "Try", dependencies: [.product(name: "$1", package: "symbolon")])
    ]
)
EOF
    cat >"$folder/Sources/Try/main.swift"
}

make_package TuvaliHandover <<'EOF'
import Tuvali
import TuvaliRuntime
import VirtualRadio

let air = VirtualAir.private()
let verifier = Verifier(radio: try await air.makeRadio())
let wallet = Wallet(radio: try await air.makeRadio())
try await wallet.connect(to: try await verifier.start(name: "Desk"))
for await event in wallet.events {
    if case .secureChannelEstablished = event { break }
}
print("the wallet has a secure channel to the verifier")
EOF

make_package HeraldProximity <<'EOF'
import CryptoSuite
import Herald
import HeraldRuntime
import VirtualRadio

let air = VirtualAir.private()
func makeSensor(_ air: VirtualAir) async throws -> Sensor {
    var random = SystemRandom()
    let radio = try await air.makeRadio()
    let payload = try FixedPayloadSupplier(random.bytes(count: 16))
    return try Sensor(central: radio, peripheral: radio, supplier: payload, configuration: HeraldConfiguration())
}
let (ann, ben) = (try await makeSensor(air), try await makeSensor(air))
await ann.start()
await ben.start()
for await event in ann.events {
    if case .read(_, let payload, _) = event.event { print("read", payload.count, "bytes of payload"); break }
}
EOF

make_package AriesConnections <<'EOF'
import Aries
import AriesRuntime
import CryptoSuite
import Vault
import WebTransport

var random = SystemRandom()
let key = VaultKey.keyFile(Secret(copying: random.bytes(count: KeyFile.keyCount)))
let bank = try await Agent.open(
    folder: "bank", key: key, label: "Bank", reach: .listener(ServerConfiguration()))
let wallet = try await Agent.open(folder: "wallet", key: key, label: "Wallet", policy: .allowPrivate)
let begun = try await wallet.accept(bank.invite(InvitationDraft(.outOfBand, label: "Bank")))
print("connected with", try await begun.completed().label ?? "")
await wallet.close()
await bank.close()
EOF

make_package CloudAgent <<'EOF'
import AriesRuntime
import CloudAgent
import CryptoSuite
import WebTransport

var random = SystemRandom()
let secret = try MediatorSecret(Secret(copying: random.bytes(count: 32)))
let service = WebService()
let server = CloudAgentServer(
    CloudAgentConfiguration(), store: try await StoreAddress(parsing: "sqlite:agent.store").open(), secret: secret,
    transport: WebMessageTransport(service), wallTime: Agent.systemCalendar)
print("serves wallets at", try await server.start(), server.invitation?.label ?? "")
await server.stop()
await service.stop()
EOF

[ $# -gt 0 ] || set -- TuvaliHandover HeraldProximity AriesConnections CloudAgent
for product in "$@"; do
    folder=$place/packages/$product
    began=$(date +%s)
    (cd "$folder" && swift build --scratch-path "$place/build-$product" </dev/null)
    built=$(date +%s)
    # Programs keep their files in their own folder, which is new each time.
    (cd "$folder" && timeout 60 "$place/build-$product/debug/Try")
    printf '%s: built in %d s, ran in %d s\n' "$product" $((built - began)) $(($(date +%s) - built))
done
