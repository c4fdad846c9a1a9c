// The bytes of upload content, for stores in memory.

package import RemoteStore

extension UploadSource {
    /// All bytes of a range. Throws `contentMismatch` when the source ends before it or fails.
    package func bytes(_ range: Range<Int64>) throws(RemoteError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let start = done
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                return (try? read(at: range.lowerBound + Int64(start), into: rest)) ?? 0
            }
            guard count > 0 else { throw .contentMismatch }
            done += count
        }
        return bytes
    }
}
