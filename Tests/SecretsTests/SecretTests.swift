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
