// Programs that tests write in order to run them.

import Foundation

/// A program could not be written.
public struct ProgramNotWritten: Error {}

/// Writes a program that can be executed at once. Another process writes it: a child that another
/// test starts while this process has the file open for writing would hold it so until it executes
/// its own program, and the new one would be busy (ETXTBSY).
public func writeProgram(_ text: String, to path: String) throws {
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", #"cat > "$0" && chmod 755 "$0""#, path]
    let input = Pipe()
    writer.standardInput = input
    try writer.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    writer.waitUntilExit()
    guard writer.terminationStatus == 0 else { throw ProgramNotWritten() }
}
