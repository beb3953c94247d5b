import Operations

/// The type of all times of archives and runs, so that clients need not import `Operations` for it.
public typealias Timestamp = Operations.Timestamp
