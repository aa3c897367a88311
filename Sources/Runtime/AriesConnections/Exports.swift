// An application that connects with other agents imports this module alone.
@_exported public import Aries
@_exported public import CodedErrors
@_exported public import CryptoSuite
@_exported public import DIDComm
@_exported public import Determinism
@_exported public import JSON
@_exported public import Vault
@_exported public import WebAddressing
@_exported public import WebTransport
