// An application that hands over imports this module, and that of its radio.
@_exported public import Bluetooth
@_exported public import CodedErrors
@_exported public import Compression
@_exported public import CryptoSuite
@_exported public import Determinism
@_exported public import Radio
@_exported public import Tuvali
