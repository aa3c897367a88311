/// A verifier's invitation and the advertisement that carries it.
package enum SampleInvitation {
    package static let key = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    package static let uri = "OPENID4VP://connect?name=STADONENTRY&key=\(key)"
    package static let advertisement = "02010203030100111601004F56504D4F5349505F8520F00989"
    package static let scanResponse = "1E16020030A754748B7DDCB43EF75A0DBF3A0D26381AF4EBA4A98EAA9B4E6A"
}
