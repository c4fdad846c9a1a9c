// Redirects the browser of a login to Dropbox and waits for its return, on 127.0.0.1 and ::1, on
// one thread. `LoopbackRequest` interprets requests, `HTTPListener` has the connections.

import Saturating
import SystemPackage

/// The HTTP listener for a login's browser.
package final class LoopbackListener {
    /// Dropbox redirects only to addresses in the app's settings, including the port: hence a few
    /// fixed ones instead of any free one.
    package static let ports: [UInt16] = [53682, 53683, 53684]

    /// The port that it listens on.
    package let port: UInt16
    private let listener: HTTPListener

    /// The redirect URI for a port.
    package static func redirect(_ port: UInt16) -> String { "http://localhost:\(port)/" }

    /// The redirect URI of this listener.
    package var redirect: String { Self.redirect(port) }

    /// The address at which a browser enters a login.
    package func address(of entrance: LoopbackLogin.Entrance) -> String {
        "\(redirect)\(entrance.nonce)"
    }

    /// Listens on the first free port; nil if none is free.
    package convenience init?(ports: [UInt16] = LoopbackListener.ports) {
        self.init(ports: ports, limits: .init())
    }

    init?(ports: [UInt16], limits: HTTPListener.Limits) {
        for port in ports {
            guard let sockets = try? ListeningSockets(loopback: port) else { continue }
            self.port = sockets.port
            listener = HTTPListener(sockets, limits: limits)
            return
        }
        return nil
    }

    // MARK: Waiting

    /// Blocks until the browser brings the answer to a login; nil at the timeout. `onStranger` is
    /// called when a program of another user of this machine connects.
    package func wait(
        _ login: LoopbackLogin, seconds: Double, onStranger: () -> Void = {}
    ) -> RedirectAnswer? {
        var request = LoopbackRequest(login: login, port: port)
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: seconds))
        defer { listener.closeAll() }
        while ContinuousClock.now < end {
            for (connection, reception) in listener.nextRequests(until: end) {
                let outcome = request.outcome(of: reception) {
                    let isOwn = LoopbackPeer.isOwn(connection.descriptor)
                    if !isOwn { onStranger() }
                    return isOwn
                }
                listener.answer(connection, LoopbackPage(outcome, port: port).bytes)
                if case .answer(let answer) = outcome {
                    listener.finish(connection)
                    return answer
                }
            }
        }
        return nil
    }
}

extension LoopbackRequest {
    /// Interprets a request, or refuses one whose head did not come.
    fileprivate mutating func outcome(
        of reception: HTTPConnection.Reception, isOwn: () -> Bool
    ) -> Outcome {
        switch reception {
        case .head(let head): outcome(of: head, isOwn: isOwn)
        case .tooLong, .late: .rejected(reception.refusal ?? 400)
        }
    }
}
