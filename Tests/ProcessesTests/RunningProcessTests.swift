import Foundation
import TestSupport
import Testing

@testable import Processes

struct RunningProcessTests {
  @Test("Running process: only processes of this user and of the same program are of this program")
  func program() throws {
    #expect(RunningProcess.isOfThisProgram(getpid()))
    #expect(!RunningProcess.isOfThisProgram(1 << 22))
    let other = try RunningProgram("exec sleep 60")
    #expect(!RunningProcess.isOfThisProgram(other.id))
    other.end()
  }
}
