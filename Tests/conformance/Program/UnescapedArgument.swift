// A request that the library refuses to send, because other characters than those of ASCII are in a
// header: by curl(1).

import DropboxAPIComplete
import Foundation

extension ConformanceAccount {
    /// Sends content with an argument of any characters; returns the status. The token is in no
    /// argument of a program.
    func sendUnescaped(_ route: String, _ argument: String, text: String) throws -> String {
        func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        let configuration = """
            url = \(quoted("\(emulator ?? "https://content.dropboxapi.com")/2/\(route)"))
            header = \(quoted("Authorization: Bearer \(token.secret)"))
            header = "Content-Type: application/octet-stream"
            header = \(quoted("Dropbox-API-Arg: \(argument)"))
            data-binary = \(quoted(text))

            """
        let (input, output) = (Pipe(), Pipe())
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = [
            "curl", "-q", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--config", "-",
        ]
        (program.standardInput, program.standardOutput) = (input, output)
        do {
            try program.run()
        } catch {
            throw Unaskable(reason: "curl cannot be started: \(error)")
        }
        input.fileHandleForWriting.write(Data(configuration.utf8))
        input.fileHandleForWriting.closeFile()
        let status = output.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        guard program.terminationStatus == 0 else {
            throw Unaskable(reason: "curl ended with \(program.terminationStatus)")
        }
        return String(decoding: status, as: UTF8.self)
    }
}
