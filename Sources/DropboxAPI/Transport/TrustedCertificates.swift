// Where the certificates are that servers are verified against. Not responsible for verifying.

import CLibrary

/// A file of trusted certificates (PEM) and a folder of them; nil: those of the TLS library.
package struct TrustedCertificates: Hashable, Sendable {
    package var file: String?
    package var folder: String?

    /// Files of trusted certificates, by system. A libcurl that was built on one system looks where
    /// that one has them.
    static let knownFiles = [
        // Debian, Ubuntu, Arch, Gentoo.
        "/etc/ssl/certs/ca-certificates.crt",
        // Fedora, RHEL.
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        // openSUSE.
        "/etc/ssl/ca-bundle.pem",
        // NixOS, older RHEL.
        "/etc/ssl/certs/ca-bundle.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        // Alpine, Void.
        "/etc/ssl/cert.pem",
    ]

    /// Chooses what the caller has set, then `SSL_CERT_FILE`, then what the library was built for,
    /// then the first known file that exists.
    ///
    /// libcurl ignores `SSL_CERT_FILE` and `SSL_CERT_DIR`; OpenSSL's tools honour them.
    static func choose(
        configured: String?, environment: (String) -> String?, builtIn: String?,
        exists: (String) -> Bool
    ) -> TrustedCertificates {
        let folder = environment("SSL_CERT_DIR")
        if let file = configured ?? environment("SSL_CERT_FILE") {
            return TrustedCertificates(file: file, folder: folder)
        }
        if folder != nil || builtIn.map(exists) ?? false {
            return TrustedCertificates(file: nil, folder: folder)
        }
        return TrustedCertificates(file: knownFiles.first(where: exists), folder: nil)
    }

    /// The choice on this machine; `builtIn` is where the TLS library would look by itself.
    package static func ofSystem(configured: String?, builtIn: String?) -> TrustedCertificates {
        choose(
            configured: configured,
            environment: { name in
                let value = getenv(name).map { String(cString: $0) }
                return value?.isEmpty == false ? value : nil
            },
            builtIn: builtIn,
            exists: { access($0, R_OK) == 0 })
    }
}

extension TransportConfiguration {
    /// Throws `certificate` when there is a file of certificates that cannot be read.
    package func checkCertificateFile() throws(TransportError) {
        guard let file = certificateFile, access(file, R_OK) != 0 else { return }
        throw TransportError(
            kind: .certificate, message: "the certificate file \(file) cannot be read",
            mayHaveBeenReceived: false)
    }
}
