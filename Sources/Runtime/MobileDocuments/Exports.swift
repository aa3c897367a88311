// An application that reads or shows mobile documents imports this module, and that of its radio.
@_exported public import Bluetooth
@_exported public import CBOR
@_exported public import CodedErrors
@_exported public import Credentials
@_exported public import CryptoSuite
@_exported public import Determinism
@_exported public import MobileSession
@_exported public import Radio
@_exported public import Vault
