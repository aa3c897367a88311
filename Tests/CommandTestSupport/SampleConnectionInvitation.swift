/// An invitation to connect, and one that carries a request instead.
package enum SampleConnectionInvitation {
    package static let key = "GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL"

    package static let request =
        #"{"@type":"https://didcomm.org/present-proof/1.0/request-presentation","@id":"r-1","~service":{}}"#

    package static func invitation(_ more: String = "") -> String {
        #"{"@type":"https://didcomm.org/connections/1.0/invitation","@id":"i-1","label":"Desk","recipientKeys":[""#
            + key + #""],"serviceEndpoint":"https://example.org/agent"\#(more)}"#
    }
}
