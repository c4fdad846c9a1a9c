// The kinds that C reads of failures in Swift.

import CDropbox
import DropboxAPI
import Testing

@testable import DropboxC

struct BorderErrorTests {
    @Test(
        "a token that is missing because of the network or the server asks for no login",
        arguments: [
            (
                .transport(TransportError(kind: .connect, message: "", mayHaveBeenReceived: false)),
                DROPBOX_ERROR_NETWORK, 0
            ),
            (.server(status: 503, message: ""), DROPBOX_ERROR_INTERNAL_SERVER, 503),
            (.server(status: 429, message: ""), DROPBOX_ERROR_RATE_LIMITED, 429),
            (.server(status: 400, message: ""), DROPBOX_ERROR_TOKEN, 400),
            (.invalidGrant("revoked"), DROPBOX_ERROR_TOKEN, 0),
        ] as [(TokenError, dropbox_error_kind, Int)])
    func tokens(reason: TokenError, kind: dropbox_error_kind, status: Int) {
        let call = CallError<NoError>(
            kind: .token(reason), context: CallContext(route: "check/user"))
        for error in [BorderError(call), BorderError(reason)] {
            #expect(error.kind == kind)
            #expect(error.status == status)
            #expect(error.isConnectivityLoss == (kind == DROPBOX_ERROR_NETWORK))
        }
    }
}
