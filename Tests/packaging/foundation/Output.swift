// Prints at once, so that what came before a crash is seen.
import Foundation

func show(_ answers: Any..., terminator: String = "\n") {
    let line = answers.map { "\($0)" }.joined(separator: " ") + terminator
    FileHandle.standardOutput.write(Data(line.utf8))
}
