// A program that runs a cloud agent imports this module alone.
@_exported public import AriesConnections
