// A program that verifies credentials imports this module alone.
@_exported public import CodedErrors
@_exported public import CryptoSuite
@_exported public import Determinism
@_exported public import JSON
