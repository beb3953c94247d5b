import FileSystem
import Testing

struct PagesTests {
  @Test func aShortageOfMemoryIsAnError() throws {
    let memory = try UnsafeMutableRawBufferPointer.pages(byteCount: 5000)
    #expect(memory.count == 5000 && Int(bitPattern: memory.baseAddress).isMultiple(of: 4096))
    memory.freePages()
    let error = #expect(throws: MemoryShortage.self) {
      _ = try UnsafeMutableRawBufferPointer.pages(byteCount: 1 << 60)
    }
    let remedy = "free memory, or raise its limit (ulimit -v)"
    #expect(error?.description == "cannot get 1152921504606846976 bytes of memory; \(remedy)")
    #expect(FileError("read", "x", .noMemory).description.hasSuffix("(errno 12); \(remedy)"))
  }

  @Test func whatCannotBeHadIsAnErrorBeforeItIsNeeded() throws {
    try MemoryShortage.requireMemory(1 << 20)
    #expect(throws: MemoryShortage(bytes: 1 << 60)) { try MemoryShortage.requireMemory(1 << 60) }
  }
}
