// MD5 of the system's libcrypto, by which the thumbnails of desktops are named. Not responsible for
// anything that must be safe from forgery.

import CCrypto

/// MD5, which is broken, and which a specification demands.
package enum MD5 {
    /// Bytes of a digest.
    private static let byteCount = 16

    /// The 16 bytes for bytes in memory; nil where the system forbids MD5, as with FIPS 140.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        let digest = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            let isDone = EVP_Digest(
                bytes, bytes.count, buffer.baseAddress, &length, EVP_md5(), nil)
            count = isDone == 1 ? Int(clamping: length) : 0
        }
        return digest.count == byteCount ? digest : nil
    }
}
