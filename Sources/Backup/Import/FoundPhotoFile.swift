import FileSystem
import SystemPackage

/// A file in the folder of `ImportOptions.photosFrom`. An error concerns only this photo.
final class FoundPhotoFile {
  private let path: FilePath
  private var opened: SharedFile?
  private var position = 0

  init(_ path: FilePath) { self.path = path }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      let file = if let opened { opened } else { SharedFile(try File.open(path, .readFollowingLinks)) }
      opened = file
      let count = try file.file.read(into: buffer, at: position)
      position += count
      return count
    } catch {
      throw ExtractedPhoto.Damage(reason: error.description)
    }
  }
}
