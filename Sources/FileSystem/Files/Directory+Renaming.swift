import SystemPackage

extension Directory {
  /// Renames a file by the first of these strategies that the file system supports, and never replaces another one: a taken
  /// name is EEXIST. EOPNOTSUPP if the file system supports none of them. renameat2(2).
  package func rename(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath,
    by strategies: [RenameStrategy] = RenameStrategy.allCases
  ) throws(FileError) {
    try move(name, to: directory, as: new) { (from, old, to, last) throws(Errno) in
      for strategy in strategies where try strategy.rename(from, old, to, last) { return }
      throw .notSupported
    }
  }

  /// Moves a folder with its contents to a name that is missing or an empty folder. renameat(2).
  ///
  /// - Returns: false if the name is taken, or if the file system cannot move the folder in one step. Then nothing has
  ///   changed.
  package func moveFolder(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath
  ) throws(FileError) -> Bool {
    try move(name, to: directory, as: new) { (from, old, to, last) throws(Errno) in
      do throws(Errno) {
        try SystemCalls.renameat(from, old, to, last)
        return true
      } catch .fileExists, .directoryNotEmpty, .notDirectory, .improperLink {
        return false
      }
    }
  }

  /// Replaces a file in one step. Only for files that belong to this program. renameat(2).
  package func replace(_ new: FilePath, with name: FilePath) throws(FileError) {
    try move(name, to: self, as: new) { (from, old, to, last) throws(Errno) in
      try SystemCalls.renameat(from, old, to, last)
    }
  }

  /// Gives an unnamed file a name; a taken name is EEXIST. linkat(2).
  package func link(_ file: borrowing File, as name: FilePath) throws(FileError) {
    let source = file.descriptor
    try call("link", name) { (parent, last) throws(Errno) in
      try SystemCalls.linkDescriptor(source, parent, last)
    }
  }

  /// Makes a system call that moves `name` to a folder, in which it gets the name `new`.
  private func move<Result>(
    _ name: FilePath, to directory: borrowing Directory, as new: FilePath,
    _ body: (CInt, FilePath, CInt, FilePath) throws(Errno) -> Result
  ) throws(FileError) -> Result {
    try inParent(of: name) { (from, old) throws(FileError) in
      try directory.call("rename \(path(of: name)) to", new) { (to, last) throws(Errno) in
        try body(from, old, to, last)
      }
    }
  }
}
