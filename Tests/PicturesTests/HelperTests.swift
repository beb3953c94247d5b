import FileSystem
import Foundation
import Glibc
import Processes
import SystemPackage
import TestSupport
import Testing

@testable import Pictures

/// The helper process: its sandbox, and its replacement.
@Suite(.enabled(PictureScratch.reason) { PictureScratch.isPossible })
struct HelperTests {
  private let scratch = PictureScratch()

  init() throws {
    try scratch.writeImage("plain.ppm") { _, _ in (201, 60, 40) }
    try scratch.run("vips", "copy", "plain.ppm", "plain.jpg")
  }

  @Test("Helper: it draws all formats, with seccomp and limits")
  func support() throws {
    let support = try PictureSupport.find()
    #expect(support.formats == PictureSupport.Format.allCases)
    #expect(!support.missingProtections.contains(.seccomp))
    #expect(!support.missingProtections.contains(.limits))
    #expect(!support.missingProtections.contains(.privileges))
  }

  @Test("Helper: a helper that is killed while idle is replaced, and the photo is not to blame")
  func idleHelper() throws {
    let drawer = PictureDrawer()
    _ = try scratch.draw("plain.jpg", with: drawer).get()
    let first = try #require(drawer.helper?.id)
    kill(first, SIGKILL)
    var status = siginfo_t()
    waitid(P_PID, id_t(first), &status, WEXITED | WNOWAIT)
    _ = try scratch.draw("plain.jpg", with: drawer).get()
    #expect(drawer.helper?.id != first)
    #expect(drawer.failures == 0)
  }

  @Test("Helper: helpers that are killed at random lose no picture")
  func randomKills() throws {
    let drawer = PictureDrawer()
    var numbers = SeededNumbers(seed: 4)
    for _ in 0..<20 {
      if Bool.random(using: &numbers), let helper = drawer.helper?.id { kill(helper, SIGSEGV) }
      _ = try scratch.draw("plain.jpg", with: drawer).get()
    }
  }

  @Test("Helper: it is replaced after 500 pictures")
  func manyPictures() throws {
    try scratch.writeImage("small.ppm", width: 8, height: 8) { _, _ in (1, 2, 3) }
    try scratch.run("vips", "copy", "small.ppm", "small.jpg")
    let drawer = PictureDrawer()
    _ = try scratch.draw("small.jpg", with: drawer)
    let first = drawer.helper?.id
    for _ in 1..<500 { _ = try scratch.draw("small.jpg", with: drawer).get() }
    #expect(drawer.helper?.id == first)
    _ = try scratch.draw("small.jpg", with: drawer).get()
    #expect(drawer.helper?.id != first)
  }

  // MARK: Programs that behave like a bad helper

  /// Writes a program that says hello, and does `action` with each request.
  private func fakeHelper(
    _ action: String, hello: String = "5, 0, 31, 127, 8, 14, 1", start: String = "pass"
  ) throws -> FilePath {
    try scratch.folder.writeProgram(
      """
      #!/usr/bin/python3
      import os, signal, socket, struct, time
      s = socket.socket(fileno=0)
      \(start)
      s.send(struct.pack("IHHIIIII", 0x494C4548, \(hello)))
      while True:
        request = s.recv(4096)
        if not request: break
        number = struct.unpack("IIIIQ", request)[4]
        \(action)

      """, to: "fake")
  }

  @Test(
    "Helper: a photo on which two helpers end is not tried a third time, whatever ended them",
    arguments: [
      "os.kill(os.getpid(), signal.SIGSEGV)", "os.kill(os.getpid(), signal.SIGKILL)",
      "os.kill(os.getpid(), signal.SIGTERM)", "os.kill(os.getpid(), signal.SIGXCPU)", "os._exit(0)",
    ])
  func crashingPhoto(_ ending: String) throws {
    let drawer = PictureDrawer(program: .success(try fakeHelper(ending)))
    #expect(try scratch.draw("plain.jpg", with: drawer) == .failure(.crashed))
    #expect(drawer.failures == 2)
  }

  @Test("Helper: a photo on which one helper ends is drawn by the next")
  func secondHelper() throws {
    let done = scratch.folder.path("done").string
    let drawer = PictureDrawer(
      program: .success(
        try fakeHelper(
          """
          if os.path.exists("\(done)"): s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, number, 796)); \
          s.send(bytes(792) + b'\\xff\\xd8\\xff\\xe0'); continue
            open("\(done)", "w").close(); os.kill(os.getpid(), signal.SIGKILL)
          """)))
    #expect(try scratch.draw("plain.jpg", with: drawer).get().width == 9)
    #expect(drawer.failures == 1)
  }

  @Test("Helper: a photo that takes too long is given up, and its helper is killed")
  func slowPhoto() throws {
    let drawer = PictureDrawer(
      program: .success(try fakeHelper("time.sleep(60)")), timeLimit: .seconds(1))
    #expect(try scratch.draw("plain.jpg", with: drawer) == .failure(.timeLimit))
    #expect(drawer.helper?.id == nil)
  }

  @Test("Helper: a helper that is killed at its start is started again, and the photo is not to blame")
  func killedWhileStarting() throws {
    let starts = scratch.folder.path("starts").string
    let program = try fakeHelper(
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, number, 796)); s.send(bytes(792) + b'\\xff\\xd8\\xff\\xe0')",
      start: """
        open("\(starts)", "a").write("x")
        if os.path.getsize("\(starts)") < 3: os.kill(os.getpid(), signal.SIGKILL)
        """)
    let drawer = PictureDrawer(program: .success(program))
    #expect(try scratch.draw("plain.jpg", with: drawer).get().width == 9)
    #expect(try scratch.folder.bytes("starts").count == 3)
    #expect(drawer.failures == 0)
  }

  @Test("Helper: after five starts that end, no helper is started")
  func killedAtEachStart() throws {
    let starts = scratch.folder.path("starts").string
    let program = try fakeHelper(
      "pass", start: "open('\(starts)', 'a').write('x'); os.kill(os.getpid(), signal.SIGKILL)")
    #expect(throws: HelperError(.pictures, .notStarted("it was ended by signal 9"))) {
      try scratch.draw("plain.jpg", with: PictureDrawer(program: .success(program)))
    }
    #expect(try scratch.folder.bytes("starts").count == 5)
  }

  @Test("Helper: a missing program is reported with the first picture")
  func missingProgram() throws {
    let drawer = PictureDrawer(program: .failure(HelperError(.pictures, .noProgram)))
    #expect(throws: HelperError(.pictures, .noProgram)) { try scratch.draw("plain.jpg", with: drawer) }
  }

  @Test(
    "Helper: a cancellation ends the wait for a helper that does not start, and a drawing",
    arguments: [("time.sleep(60)", "pass"), ("pass", "time.sleep(60)")])
  func cancellation(_ start: String, _ action: String) throws {
    let drawer = PictureDrawer(program: .success(try fakeHelper(action, start: start)))
    let file = try File.open(scratch.folder.path("plain.jpg"), .read)
    let began = ContinuousClock.now
    #expect(throws: CancellationError.self) {
      try drawer.draw(.thumbnail, file, isCancelled: { ContinuousClock.now - began > .milliseconds(300) })
    }
  }

  @Test(
    "Helper: an invalid reply counts as a crash",
    arguments: [
      "s.send(b'x' * 5)", "s.send(b'x' * 32)",
      // a picture that is larger than requested, too long, of another request, or no JPEG
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9000, 1, number, 796)); s.send(bytes(792) + b'\\xff\\xd8\\xff\\xe0')",
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, number, (1 << 32) - 1))",
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, 77, 796)); s.send(bytes(792) + b'\\xff\\xd8\\xff\\xe0')",
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, number, 796)); s.send(bytes(792) + b'GIF8')",
      "s.send(struct.pack('IHHIIQQ', 0x4C504552, 5, 0, 9, 9, number, 796)); s.send(bytes(792) + b'\\xff\\xd8\\xff\\xe0\\x00')",
    ])
  func invalidReply(_ action: String) throws {
    let drawer = PictureDrawer(program: .success(try fakeHelper(action)))
    #expect(try scratch.draw("plain.jpg", with: drawer) == .failure(.crashed))
  }

  @Test("Helper: a missing libvips and a missing sandbox are reported")
  func missingLibrary() throws {
    #expect(throws: HelperError(.pictures, .noLibraries)) {
      try PictureHelper(program: fakeHelper("pass", hello: "5, 1, 0, 0, 0, 0, 0"))
    }
    #expect(throws: HelperError(.pictures, .noSandbox)) {
      try PictureHelper(program: fakeHelper("pass", hello: "5, 2, 0, 0, 0, 0, 0"))
    }
  }

  @Test("Helper: a kernel without Landlock is reported, and pictures are drawn")
  func missingLandlock() throws {
    let helper = try PictureHelper(program: fakeHelper("pass", hello: "5, 0, 23, 127, 8, 14, 1"))
    #expect(helper.support.missingProtections == [.landlock])
  }

  @Test("Helper: a program that is no helper is reported")
  func otherProgram() throws {
    #expect(throws: HelperError(.pictures, .notStarted("it ended with exit status 1"))) {
      try PictureHelper(program: "/bin/false")
    }
  }

  @Test(
    "Helper: a helper of another version is reported",
    arguments: ["2, 0, 31, 127, 8, 14, 1", "5, 9, 31, 127, 8, 14, 1", "5, 0, 31, 127, 8, 14, 1)+bytes(4"])
  func otherVersion(_ hello: String) throws {
    #expect(throws: HelperError(.pictures, .notStarted("it is of another version; install smilepile again")))
    {
      try PictureHelper(program: fakeHelper("pass", hello: hello))
    }
  }

  // MARK: The sandbox

  @Test(
    "Helper: after the first request it opens no file and makes no socket",
    .enabled("strace is not installed, or may not follow processes here") { Programs.strace != nil })
  func systemCalls() throws {
    let program = try Helper.pictures.find()
    let strace = try #require(Programs.strace)
    let traced = try scratch.folder.writeProgram(
      "#!/bin/sh\nexec \(strace) -f -qq -o \(scratch.folder.path("trace").string) \(program)\n", to: "traced")
    // the helper ends with its drawer
    var drawer = Optional(PictureDrawer(program: .success(traced)))
    for name in [
      "plain.jpg", "plain.png", "plain.webp", "plain.tif", "plain.gif", "plain.heic", "plain.avif",
    ] {
      if name != "plain.jpg" { try scratch.run("vips", "copy", "plain.ppm", name) }
      _ = try scratch.draw(name, with: drawer).get()
    }
    drawer = nil
    let lines = String(decoding: try scratch.folder.bytes("trace"), as: UTF8.self).split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.contains("recvmsg(0") })
    let calls = lines[first...]
    #expect(calls.count > 50)
    for name in ["socket(", "connect(", "execve(", "fork(", "kill(", "ptrace("] {
      #expect(calls.allSatisfy { !$0.contains(" \(name)") })
    }
    let opened = calls.filter { $0.contains(" open") && !$0.contains("= -1 EACCES") }
    #expect(opened.isEmpty, "\(opened.prefix(3))")
  }
}
