import Foundation
import Testing

@testable import Processes

struct RunningProcessTests {
  @Test("Running process: only processes of this user and of the same program are of this program")
  func program() throws {
    #expect(RunningProcess.isOfThisProgram(getpid()))
    #expect(!RunningProcess.isOfThisProgram(1 << 22))
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/bin/sleep")
    other.arguments = ["60"]
    try other.run()
    #expect(!RunningProcess.isOfThisProgram(other.processIdentifier))
    other.terminate()
    other.waitUntilExit()
  }
}
