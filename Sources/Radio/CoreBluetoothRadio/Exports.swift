// A program that uses the radio alone imports this module.
@_exported public import Bluetooth
@_exported public import CodedErrors
@_exported public import Determinism
@_exported public import Radio
