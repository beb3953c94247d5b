import FileSystem
import Testing

struct MemoryShortageTests {
  @Test("Memory: a failed allocation is an error with a remedy")
  func allocation() throws {
    let memory = try UnsafeMutableRawBufferPointer.pages(byteCount: 5000)
    #expect(memory.count == 5000)
    #expect(Int(bitPattern: memory.baseAddress).isMultiple(of: 4096))
    memory.freePages()
    let error = #expect(throws: MemoryShortage.self) {
      _ = try UnsafeMutableRawBufferPointer.pages(byteCount: 1 << 60)
    }
    let remedy = "increase the memory limit (ulimit -v)"
    #expect(error?.description == "cannot allocate 1152921504606846976 bytes of memory; \(remedy)")
    #expect(FileError("read", "x", .noMemory).description.hasSuffix("(errno 12); \(remedy)"))
  }

  @Test("Memory: a requirement that cannot be met is an error")
  func requirement() throws {
    try MemoryShortage.requireMemory(1 << 20)
    #expect(throws: MemoryShortage(bytes: 1 << 60)) { try MemoryShortage.requireMemory(1 << 60) }
  }
}
