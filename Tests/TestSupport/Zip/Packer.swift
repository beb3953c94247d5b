import SystemPackage
import Testing

/// A shell command of another program that packs the folder in which it runs as `../a.zip`.
package struct Packer: Sendable, CustomTestStringConvertible {
  private let program: String
  private let command: String

  /// The last line of the command.
  package var testDescription: String { command.split(separator: "\n").last.map(String.init) ?? program }

  private static let infoZIP = [
    "zip -qr ../a.zip .", "zip -q0r ../a.zip .", "zip -q9rX ../a.zip .", "zip -qr - . | cat > ../a.zip",
    "zip -qr -fd ../a.zip .", "zip -qr -fz ../a.zip .",
  ]

  private static let sevenZip = ["-mx0", "-mx5", "-mx9 -mtc=on", "-mm=BZip2"].map {
    "7z a -bd -tzip \($0) ../a.zip ."
  }

  private static let bsdtar = ["compression=deflate", "compression=store", "zip64", "!zip64"].flatMap {
    option in
    ["-cf ../a.zip *", "-cf - . | cat > ../a.zip"].map { "bsdtar --format zip --options zip:\(option) \($0)" }
  }

  private static let python = ["STORED", "DEFLATED"].flatMap { method in
    ["False", "True"].flatMap { isZIP64 in
      [("'../a.zip'", ""), ("sys.stdout.buffer", " | cat > ../a.zip")].map { output, redirection in
        let script = """
          import os, sys, zipfile
          with zipfile.ZipFile(\(output), "w", zipfile.ZIP_\(method)) as archive:
            for folder, _, files in os.walk("."):
              for path in (os.path.relpath(os.path.join(folder, name)) for name in files):
                with archive.open(path, "w", force_zip64=\(isZIP64)) as entry: entry.write(open(path, "rb").read())
          """
        return
          "cat > ../pack.py <<'END'\n\(script)\nEND\npython3 ../pack.py\(redirection) # \(method) \(isZIP64)"
      }
    }
  }

  private static let jar = ["jar cMf ../a.zip .", "jar c0Mf ../a.zip ."]

  private static let java = ["stored", "deflated"].map {
    "java -Dsun.jnu.encoding=UTF-8 '\(Fixture.path("../Tests/CommandTests/Readers/Packer.java"))' ../a.zip \($0)"
  }

  private static let encryptingInfoZIP = ["-r ../a.zip .", "-0 -r ../a.zip .", "-r - . | cat > ../a.zip"].map
  {
    "zip -q -P secret \($0)"
  }

  private static let encryptingSevenZip = ["-mx0", "-mx5"].flatMap { level in
    ["AES128", "AES192", "AES256", "ZipCrypto"].map { "7z a -bd -psecret \(level) -mem=\($0) ../a.zip ." }
  }

  private static let encryptingBsdtar = ["aes128", "aes256", "zipcrypt"].map {
    "bsdtar --format zip --options zip:encryption=\($0) --passphrase secret -cf ../a.zip ."
  }

  /// The packers whose programs are installed.
  package static let installed = packers([
    ("zip", infoZIP), ("7z", sevenZip), ("bsdtar", bsdtar), ("python3", python), ("jar", jar), ("java", java),
  ])

  /// The packers whose programs are installed, and that encrypt with the password `secret`. The password check of streamed
  /// entries uses the date, since the checksum is not known in advance.
  package static let encrypting = packers([
    ("zip", encryptingInfoZIP), ("7z", encryptingSevenZip), ("bsdtar", encryptingBsdtar),
  ])

  private static func packers(_ commands: [(program: String, commands: [String])]) -> [Packer] {
    commands.filter { Programs.has($0.program) }.flatMap { program, commands in
      commands.map { Packer(program: program, command: $0) }
    }
  }

  /// Packs files as `a.zip` in a folder, and returns the path of the archive.
  @discardableResult
  package func pack(_ files: [String: [UInt8]], in folder: ScratchFolder) throws -> FilePath {
    for (name, bytes) in files { try folder.write(bytes, to: "packed/\(name)") }
    try Programs.output(
      "/bin/sh", ["-c", command], in: folder.path("packed"),
      environment: ["LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"])
    return folder.path("a.zip")
  }
}
