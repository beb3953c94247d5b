import TestSupport
import Testing

/// A shell command that packs the folder in which it runs as `../a.zip`.
struct Packer: Sendable, CustomTestStringConvertible {
  /// The program that the command needs.
  let program: String
  let command: String

  var testDescription: String { command.split(separator: "\n").last.map(String.init) ?? program }

  private static let infoZIP = [
    "zip -qr ../a.zip .", "zip -q0r ../a.zip .", "zip -q9rX ../a.zip .", "zip -qr - . | cat > ../a.zip",
    "zip -qr -fd ../a.zip .", "zip -qr -fz ../a.zip .",
  ]

  private static let sevenZip = ["-mx0", "-mx5", "-mx9 -mtc=on", "-mm=BZip2"].map {
    "7z a -bd -tzip \($0) ../a.zip ."
  }

  private static let bsdtar = [
    "bsdtar --format zip -cf ../a.zip .", "bsdtar --format zip -cf - * | cat > ../a.zip",
    "bsdtar --format zip --options zip:compression=store -cf ../a.zip *",
    "bsdtar --format zip --options zip:compression=store -cf - * | cat > ../a.zip",
  ]

  private static let python = ["STORED", "DEFLATED"].flatMap { method in
    [("'../a.zip'", ""), ("sys.stdout.buffer", " | cat > ../a.zip")].map { output, redirection in
      let script = """
        import os, sys, zipfile
        with zipfile.ZipFile(\(output), "w", zipfile.ZIP_\(method)) as archive:
          for folder, _, files in os.walk("."):
            for name in files: archive.write(os.path.join(folder, name))
        """
      return "cat > ../pack.py <<'END'\n\(script)\nEND\npython3 ../pack.py" + redirection + " # \(method)"
    }
  }

  private static let java = ["stored", "deflated"].map {
    "java -Dsun.jnu.encoding=UTF-8 \"$READERS/Packer.java\" ../a.zip \($0)"
  }

  /// The packers whose programs are installed.
  static let installed = [
    ("zip", infoZIP), ("7z", sevenZip), ("bsdtar", bsdtar), ("python3", python), ("java", java),
  ].filter { Programs.has($0.0) }.flatMap { program, commands in
    commands.map { Packer(program: program, command: $0) }
  }

  /// Packs the entries of the Android app's backup as `a.zip` in the folder of the bench.
  func pack(on bench: Workbench) throws {
    for (name, bytes) in try Fixture.entries() { try bench.folder.write(bytes, to: "phone/\(name)") }
    try bench.run(command, in: "phone")
  }
}
