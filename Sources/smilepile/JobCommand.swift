import ArgumentParser

/// A command that runs jobs. The status of each job contains the problems of the ledger.
protocol JobCommand: AsyncParsableCommand {}
