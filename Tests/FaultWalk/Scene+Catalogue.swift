import Backup
import Catalogue
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Pictures
import SystemPackage
import TestSupport

extension Scene {
  /// The catalogue, in a folder of its own.
  var catalogue: FilePath { folder.appending("catalogues").appending("family.pdf") }

  /// Adds photos that can be drawn, and draws their thumbnails.
  func prepareCatalogue() async throws {
    try FileManager.default.createDirectory(
      atPath: catalogue.removingLastComponent().string, withIntermediateDirectories: true)
    for number in 1...2 { try write(SampleImage.jpeg(number), to: "drawn\(number).jpg") }
    var options = AddOptions()
    options.category = "drawn"
    let photos = (1...2).map { folder.appending("drawn\($0).jpg") }
    _ = try await Work.add(photos, to: library, options: options).summary
    _ = try await Work.fillCache(of: library).summary
  }

  /// Returns the bytes of the catalogue; nil if it is missing.
  func bytesOfCatalogue() throws -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: catalogue.string) else { return nil }
    return Array(try Data(contentsOf: URL(fileURLWithPath: catalogue.string)))
  }

  /// Returns the faults of the folder of the catalogue.
  ///
  /// - Parameters:
  ///   - mayBeEmpty: whether an empty file may reserve the name after an interruption.
  ///   - isComplete: whether the last run succeeded, so that the catalogue must be there, and nothing else.
  func faultsOfCatalogue(mayBeEmpty: Bool, isComplete: Bool) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: catalogue.removingLastComponent().string)
    var faults: [String] = []
    if isComplete { faults += names.filter { $0 != "family.pdf" }.map { "left beside the catalogue: \($0)" } }
    guard let bytes = try bytesOfCatalogue() else { return isComplete ? faults + ["no catalogue"] : faults }
    if bytes.isEmpty, mayBeEmpty, !isComplete { return faults }
    do {
      let pages = try PDFFile(File.open(catalogue, .read)).pageCount
      if pages != 2 { faults.append("the catalogue has \(pages) pages") }
    } catch {
      faults.append("the catalogue is incomplete: \(error)")
    }
    return faults
  }
}
