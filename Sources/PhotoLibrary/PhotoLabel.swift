import FileSystem

/// How messages name a photo. Names repeat, so the id and the category stand with it.
public enum PhotoLabel {
  /// `photo 7 “IMG_0001” in “Family”`, safe for a terminal.
  public static func label(id: Int64, category: String, name: String) -> String {
    "photo \(id) “\(name.escaped)” in “\(category.escaped)”"
  }
}
