import Foundation
import TestSupport
import Testing

/// Archives of the programs that people have, cut off before their directory: every photo is still found, whatever
/// the program writes in front of the data or behind it.
@Suite("We rescue photos out of other programs' archives")
struct SalvageWriterTests {
  @Test(
    .enabled(if: Workbench.has("zip")),
    arguments: [
      "zip -qr ../a.zip .", "zip -q0r ../a.zip .", "zip -qr - . | cat > ../a.zip", "zip -qr -fd ../a.zip .",
    ])
  func infoZIP(command: String) throws { try check(command) }

  @Test(.enabled(if: Workbench.has("7z")), arguments: ["-mx0", "-mx5", "-mm=BZip2"])
  func sevenZip(options: String) throws { try check("7z a -bd -tzip \(options) ../a.zip .") }

  @Test(
    .enabled(if: Workbench.has("bsdtar")),
    arguments: [
      "bsdtar --format zip -cf - * | cat > ../a.zip",
      "bsdtar --format zip --options zip:compression=store -cf - * | cat > ../a.zip",
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

  /// Packs the unpacked backup of the Android app, cuts the archive where its directory begins, and a little
  /// behind that, and imports what is left.
  private func check(_ pack: String) throws {
    let bench = try Workbench()
    for (name, bytes) in try Fixture.entries() { try bench.folder.write(bytes, to: "phone/\(name)") }
    try bench.run(pack, in: "phone")
    let archive = Array(try Data(contentsOf: URL(fileURLWithPath: bench.path("a.zip"))))
    let directory = try #require(
      archive.indices.dropLast(4).first { Array(archive[$0..<$0 + 4]) == [0x50, 0x4B, 1, 2] })
    for extra in [0, 100] {
      try bench.folder.write(Array(archive[..<(directory + extra)]), to: "cut.zip")
      try bench.run("smilepile init Library\(extra)")
      let output = try bench.run("smilepile import -q --salvage -l Library\(extra) cut.zip", exit: 3)
      #expect(
        output == "imported 9 photos (8 files) and 4 categories, skipped 0 that are there already; 1 absent\n"
      )
      let restored = try FolderTree(bench.folder.path.appending("Library\(extra)/photos"))
      let expected = try Fixture.photos().map(\.bytes)
      #expect(Set(restored.fileNames.compactMap { restored.files[$0] }) == Set(expected))
    }
  }
}
