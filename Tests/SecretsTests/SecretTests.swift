import CSystemCalls
import Glibc
import Testing

@testable import Secrets

@Suite struct SecretTests {
  @Test("Secret: it is never printed")
  func printing() {
    struct Options {
      var password: Secret? = Secret("hunter2hunter2")
      var other = 1
    }
    let secret = Secret("hunter2hunter2")
    var dumped = ""
    dump(Options(), to: &dumped)
    let shown = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\(Options())",
      String(reflecting: Options()), "\([secret])", dumped,
    ]
    for text in shown { #expect(!text.contains("hunter2")) }
    #expect(shown[0] == "(password)")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test("Secret: it contains its bytes")
  func bytes() {
    let secret = Secret("zwölf 🍪")
    #expect(secret.withBytes { Array($0) } == Array("zwölf 🍪".utf8))
    #expect(secret.withCString { String(cString: $0) } == "zwölf 🍪")
    #expect(secret.byteCount == 11)
    #expect(!secret.isEmpty)
    #expect(Secret("").isEmpty)
    #expect(Secret("").withCString { String(cString: $0) } == "")
  }

  @Test("Secret: equality compares the bytes")
  func equality() {
    #expect(Secret("abc") == Secret("abc"))
    for other in ["abd", "ab", "abcd", "", "Abc"] { #expect(Secret("abc") != Secret(other)) }
  }

  @Test("Secret: wiped bytes are zero")
  func wiping() {
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { bytes in
      bytes.copyBytes(from: Array(repeating: 0xA5, count: 8))
      bytes.wipe()
      #expect(bytes.allSatisfy { $0 == 0 })
    }
  }
}

@Suite struct LockedMemoryTests {
  /// The flags of the mapping with an address: `lo` is locked, `dd` is left out of core dumps. proc(5).
  private func flags(of address: UnsafeRawPointer) throws -> [Substring] {
    let file = try #require(fopen("/proc/self/smaps", "r"))
    defer { fclose(file) }
    var isInside = false
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(line) }
    while getline(&line, &size, file) > 0, let text = line.map({ String(cString: $0) }) {
      let bounds = text.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(UInt(bitPattern: address)) }
      if isInside, text.hasPrefix("VmFlags:") { return text.dropFirst(8).split { $0.isWhitespace } }
    }
    return []
  }

  @Test("Secret: its memory is left out of core dumps")
  func noDump() throws {
    let secret = Secret("correct horse")
    let address = try #require(secret.withBytes { $0.baseAddress })
    #expect(try flags(of: address).contains("dd"))
  }

  @Test("Secret: its memory is locked, if the limit permits it")
  func lock() throws {
    let secret = Secret("correct horse")
    let address = try #require(secret.withBytes { $0.baseAddress })
    let isPermitted = mlock(address, secret.byteCount) == 0
    #expect(try flags(of: address).contains("lo") == isPermitted)
  }

  @Test("Secret: the process writes no core dumps after the first secret")
  func process() {
    _ = Secret("correct horse")
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #expect(limit.rlim_cur == 0)
    #expect(smilepile_is_dumpable() == 0)
  }

  @Test("Secret: the process can open its descriptors by path after the first secret")
  func descriptorPaths() throws {
    _ = Secret("correct horse")
    let descriptor = open("/etc", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    let again = open("/proc/self/fd/\(descriptor)/passwd", O_RDONLY)
    #expect(again >= 0)
    close(again)
  }
}

@Suite struct PasswordErrorTests {
  @Test(
    "Password: an invalid one is refused with its reason",
    arguments: [
      ("", PasswordError.empty), ("elf Zeichen", .tooShort), ("zwölf Zeich", .tooShort),
      ("a\0bcdefghijklm", .containsNUL),
      (String(repeating: "x", count: 100), .tooLong(bytes: 100)),
      (String(repeating: "ж", count: 50), .tooLong(bytes: 100)),
    ])
  func invalid(_ password: String, _ fault: PasswordError) {
    #expect(PasswordError.find(in: Secret(password)) == fault)
    #expect("\(fault)".hasPrefix("the password "))
    #expect(password.isEmpty || !"\(fault)".contains(password))
  }

  @Test(
    "Password: a valid one is accepted",
    arguments: ["twelve chars", "zwölfzeichen", String(repeating: "x", count: 99), "🍪🍪🍪🍪🍪🍪🍪🍪🍪🍪🍪🍪"])
  func valid(_ password: String) { #expect(PasswordError.find(in: Secret(password)) == nil) }

  @Test("Password: only a short one can be forced")
  func forced() {
    #expect(PasswordError.find(in: Secret("short"), allowsWeak: true) == nil)
    #expect(PasswordError.find(in: Secret(""), allowsWeak: true) == .empty)
    #expect(PasswordError.find(in: Secret("a\0b"), allowsWeak: true) == .containsNUL)
  }
}

@Suite struct PassphraseTests {
  private func text(_ secret: Secret) -> String { secret.withCString { String(cString: $0) } }

  @Test("Passphrase: it is strong and easy to type")
  func strength() {
    var seen: Set<String> = []
    for _ in 0..<200 {
      let passphrase = Passphrase.make()
      let groups = text(passphrase).split(separator: "-")
      #expect(groups.map(\.count) == [5, 5, 5, 5])
      #expect(groups.joined().utf8.allSatisfy(Passphrase.alphabet.contains))
      #expect(PasswordError.find(in: passphrase) == nil)
      seen.insert(text(passphrase))
    }
    #expect(seen.count == 200)
    // 2^90 and more
    #expect(Set(Passphrase.alphabet).count == 29)
  }

  @Test("Passphrase: every character occurs at every position")
  func distribution() {
    let places = (0..<2000).map { _ in Array(text(Passphrase.make()).utf8) }
    for index in 0..<23 where index % 6 != 5 { #expect(Set(places.map { $0[index] }).count == 29) }
  }
}
