// Reports events to observers and the log: one place, so that both receive the same.

import Logging

/// A client's observers and log. Metadata names routes and requests, never a token.
struct Reporter: Sendable {
    let observers: [any DropboxObserver]
    let logger: Logger

    func requestEnded(_ record: RequestRecord) {
        for observer in observers { observer.requestEnded(record) }
        var metadata: Logger.Metadata = [
            "route": "\(record.route)",
            "status": "\(record.status.map(String.init) ?? "none")",
            "request_id": "\(record.requestID ?? "none")",
            "ms": "\(record.duration.milliseconds)",
            "attempt": "\(record.attempt)",
            "failure": "\(record.failure ?? "none")",
        ]
        if let label = record.label { metadata["label"] = "\(label)" }
        logger.debug(
            record.failure == nil ? "request" : "request failed", metadata: metadata)
    }

    func retryDecided(_ record: RetryRecord) {
        for observer in observers { observer.retryDecided(record) }
        var metadata = record.failure.metadata
        metadata["delay_ms"] = "\(record.delay.milliseconds)"
        metadata["holds_all_calls"] = "\(record.holdsAllCalls)"
        logger.debug("request will be sent again", metadata: metadata)
    }

    func callEnded(_ record: CallRecord) {
        for observer in observers { observer.callEnded(record) }
        guard let failure = record.failure else { return }
        logger.debug("call failed", metadata: failure.metadata)
    }

    func downloadFailed(_ failure: CallFailure) {
        for observer in observers { observer.downloadFailed(failure) }
        logger.debug("download failed", metadata: failure.metadata)
    }

    func tokenRefreshed(_ record: TokenRefreshRecord) {
        for observer in observers { observer.tokenRefreshed(record) }
        var metadata: Logger.Metadata = ["ms": "\(record.duration.milliseconds)"]
        if let account = record.account { metadata["account"] = "\(account)" }
        if let failure = record.failure {
            metadata["failure"] = "\(failure)"
            logger.debug("access token not renewed", metadata: metadata)
        } else if let failure = record.storeFailure {
            metadata["failure"] = "\(failure)"
            logger.warning("renewed access token not kept", metadata: metadata)
        } else {
            logger.debug("access token renewed", metadata: metadata)
        }
    }
}

extension CallFailure {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "route": "\(context.route)", "request_id": "\(context.requestID ?? "none")",
            "attempt": "\(context.attempts)", "kind": "\(kind.rawValue)",
            "failure": "\(explanation)",
        ]
        if let label = context.label { metadata["label"] = "\(label)" }
        return metadata
    }
}
