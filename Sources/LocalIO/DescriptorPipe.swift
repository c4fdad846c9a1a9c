// Pipes between this process and its children.

package import SystemPackage

/// A pipe whose ends are close-on-exec.
package struct DescriptorPipe: Sendable {
    /// The end for reading.
    package let reading: FileDescriptor
    /// The end for writing.
    package let writing: FileDescriptor

    /// Creates a pipe with close-on-exec ends.
    package init() throws(ChildProcessError) {
        do {
            (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
        } catch {
            throw ChildProcessError(message: "no pipe: \(reason(error))")
        }
    }

    /// Closes the end for writing, which a started child has a copy of; without a child, both ends.
    func leaveToChild(isStarted: Bool) {
        try? writing.close()
        if !isStarted { try? reading.close() }
    }

    /// Reads the first line, without its end; nil if all writers have closed before one was
    /// complete.
    package func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while let count = try? withUnsafeMutableBytes(of: &byte, { try reading.read(into: $0) }),
            count > 0
        {
            if byte == 0x0a { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Reads until all writers have closed, then closes the reading end.
    package func readToEnd() -> String {
        defer { try? reading.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let count = try? buffer.withUnsafeMutableBytes({ try reading.read(into: $0) }),
            count > 0
        {
            bytes.append(contentsOf: buffer[..<count])
        }
        var text = String(decoding: bytes, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
