import FileSystem

extension ServiceFolders {
  /// Creates the state folder as another user: root must not create files where another user can exchange folders.
  ///
  /// - Throws: `ScheduleInstallError.program`.
  package func make(as user: UserAccount) throws(ScheduleInstallError) {
    try ScheduleProgram(name: "runuser", prefix: ["-u", user.name, "--"])
      .succeed(["mkdir", "-p", "-m", "700", state.string])
  }
}
