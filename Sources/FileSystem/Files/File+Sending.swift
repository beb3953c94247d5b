package import Processes

extension HelperProcess {
  /// Sends a message with an open file. The program shares the position in the file with this process.
  package func send(_ message: [UInt8], _ file: borrowing File) throws(Failure) {
    try send(message, descriptor: file.descriptor)
  }
}
