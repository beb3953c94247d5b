import Foundation
import TestSupport
import Testing

/// A backup that was unpacked and packed again by the programs that people have is the same backup.
@Suite("We read other programs' archives")
struct WriterTests {
  @Test(
    .enabled(if: Workbench.has("zip")),
    arguments: [
      "zip -qr ../a.zip .", "zip -q0r ../a.zip .", "zip -q9rX ../a.zip .", "zip -qr - . | cat > ../a.zip",
      "zip -qr -fd ../a.zip .", "zip -qr -fz ../a.zip .",
    ])
  func infoZIP(command: String) throws { try check(command) }

  @Test(.enabled(if: Workbench.has("7z")), arguments: ["-mx0", "-mx5", "-mx9 -mtc=on", "-mm=BZip2"])
  func sevenZip(options: String) throws { try check("7z a -bd -tzip \(options) ../a.zip .") }

  @Test(
    .enabled(if: Workbench.has("bsdtar")),
    arguments: [
      "bsdtar --format zip -cf ../a.zip .", "bsdtar --format zip -cf - * | cat > ../a.zip",
      "bsdtar --format zip --options zip:compression=store -cf ../a.zip *",
    ])
  func bsdtar(command: String) throws { try check(command) }

  @Test(.enabled(if: Workbench.has("python3")), arguments: ["STORED", "DEFLATED"], [false, true])
  func python(method: String, isStreamed: Bool) throws {
    let script = """
      import os, sys, zipfile
      output = \(isStreamed ? "sys.stdout.buffer" : "'../a.zip'")
      with zipfile.ZipFile(output, "w", zipfile.ZIP_\(method)) as archive:
        for folder, _, files in os.walk("."):
          for name in files: archive.write(os.path.join(folder, name))
      """
    let output = isStreamed ? " | cat > ../a.zip" : ""
    try check("cat > ../pack.py <<'END'\n\(script)\nEND\npython3 ../pack.py" + output)
  }

  @Test(.enabled(if: Workbench.has("java")), arguments: ["stored", "deflated"])
  func java(method: String) throws {
    try check("java -Dsun.jnu.encoding=UTF-8 \"$READERS/Packer.java\" ../a.zip \(method)")
  }

  /// Packs the unpacked backup of the Android app, in a folder of its own as the iOS app does too, and imports it.
  private func check(_ pack: String) throws {
    let bench = try Workbench()
    for (name, bytes) in try Fixture.entries() { try bench.folder.write(bytes, to: "phone/\(name)") }
    try bench.run(pack, in: "phone")
    try bench.run("smilepile init Library")
    let output = try bench.run("smilepile import -l Library a.zip", exit: 3)
    #expect(
      output == "imported 9 photos (8 files) and 4 categories, skipped 0 that are there already; 1 absent\n")
    #expect(try bench.run("smilepile verify a.zip -q") == "checked 9 entries: all whole\n")
    #expect(try bench.run("smilepile verify -l Library -q") == "checked 8 photos: all whole\n")
    let restored = try FolderTree(bench.folder.path.appending("Library/photos"))
    let expected = try Fixture.photos().map(\.bytes)
    #expect(Set(restored.fileNames.compactMap { restored.files[$0] }) == Set(expected))
  }
}
