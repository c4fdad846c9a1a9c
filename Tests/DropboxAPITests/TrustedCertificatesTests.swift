// Which certificates are trusted, by what a machine has.

import Testing

@testable import DropboxAPI

@Suite("trusted certificates")
struct TrustedCertificatesTests {
    private func choose(
        configured: String? = nil, _ environment: [String: String] = [:], builtIn: String? = nil,
        files: Set<String> = []
    ) -> TrustedCertificates {
        TrustedCertificates.choose(
            configured: configured, environment: { environment[$0] }, builtIn: builtIn,
            exists: { files.contains($0) })
    }

    @Test("the caller's file comes before the environment's, that before libcurl's")
    func order() {
        let environment = ["SSL_CERT_FILE": "/e", "SSL_CERT_DIR": "/d"]
        #expect(
            choose(configured: "/c", environment, builtIn: "/b", files: ["/b"])
                == TrustedCertificates(file: "/c", folder: "/d"))
        #expect(
            choose(environment, builtIn: "/b", files: ["/b"])
                == TrustedCertificates(file: "/e", folder: "/d"))
        #expect(choose(builtIn: "/b", files: ["/b"]) == TrustedCertificates())
    }

    @Test("a folder alone stays the only source")
    func folder() {
        #expect(
            choose(["SSL_CERT_DIR": "/d"], files: Set(TrustedCertificates.knownFiles))
                == TrustedCertificates(file: nil, folder: "/d"))
    }

    @Test("where libcurl's file is not, the first known one is taken", arguments: [nil, "/b"])
    func otherSystem(builtIn: String?) {
        let fedora = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
        #expect(
            choose(builtIn: builtIn, files: [fedora, "/etc/ssl/cert.pem"])
                == TrustedCertificates(file: fedora, folder: nil))
        #expect(choose(builtIn: builtIn) == TrustedCertificates())
    }
}
