// The values that each setting of dropbox.h accepts.

import CDropbox
import DropboxAPI
import Saturating

extension BorderSettings {
    /// Sets a text; nil resets it.
    mutating func set(_ setting: dropbox_text_setting, _ value: CString?) throws(BorderError) {
        let defaults = DropboxConfiguration()
        do throws(TransportError) {
            switch setting {
            case DROPBOX_ENDPOINT:
                let endpoint = try text(value, "the endpoint")
                configuration.hosts =
                    try endpoint.map { (text) throws(TransportError) in
                        try DropboxHosts(endpoint: text)
                    } ?? .dropbox
            case DROPBOX_CERTIFICATE_FILE:
                configuration.transport.certificateFile = try text(value, "the certificate file")
            case DROPBOX_PROXY:
                let address = try text(value, "the proxy")
                configuration.transport.proxy =
                    switch address {
                    case nil: .environment
                    case "": .none
                    case let address?: .proxy(try Proxy(address))
                    }
            case DROPBOX_USER_AGENT:
                configuration.userAgent = try header(value, "the user agent") ?? defaults.userAgent
            case DROPBOX_APP_KEY:
                let key = try header(value, "the app's key")
                guard key.map(StoredLogin.isAppKey) != false else {
                    throw invalid("the app's key is not one")
                }
                appKey = key
            case DROPBOX_APP_SECRET: appSecret = try header(value, "the app's secret")
            default: throw invalid("there is no such text setting")
            }
        } catch {
            throw BorderError(error)
        }
    }

    /// Sets a number; some have a value for no limit.
    mutating func set(_ setting: dropbox_number_setting, _ value: Int64) throws(BorderError) {
        let isAlways = setting == DROPBOX_MAX_THROTTLES && value == -1
        guard value >= 0 || isAlways else { throw .argument("the number is negative") }
        let amount = value == 0 ? nil : UInt64(clamping: value)
        switch setting {
        case DROPBOX_CALL_LIMIT_MS:
            // A year is as good as no limit, and no clock overflows.
            let year: Int64 = 365 * 86_400_000
            configuration.callLimit =
                value == 0 ? nil : .seconds(clamping: Double(min(value, year)) / 1000.0)
        case DROPBOX_MAX_ATTEMPTS:
            guard amount != nil else { throw .argument("a call has one attempt at least") }
            configuration.retryPolicy.maxAttempts = Int(clamping: value)
        case DROPBOX_MAX_THROTTLES:
            configuration.retryPolicy.maxThrottles = isAlways ? nil : Int(clamping: value)
        case DROPBOX_RESULT_LIMIT:
            guard amount != nil else { throw .argument("a result has one byte at least") }
            configuration.resultLimit = Int(clamping: value)
        case DROPBOX_UPLOAD_RATE: configuration.transport.uploadRate = amount
        case DROPBOX_DOWNLOAD_RATE: configuration.transport.downloadRate = amount
        default: throw .argument("there is no such number setting")
        }
    }

    private func invalid(_ text: String) -> TransportError {
        TransportError(kind: .invalidRequest, message: text, mayHaveBeenReceived: false)
    }

    private func text(_ value: CString?, _ name: String) throws(TransportError) -> String? {
        do throws(BorderError) {
            return try CText.optional(value, name)
        } catch {
            throw invalid(error.summary)
        }
    }

    private func header(_ value: CString?, _ name: String) throws(TransportError) -> String? {
        guard value != nil else { return nil }
        do throws(BorderError) {
            return try CText.header(value, name)
        } catch {
            throw invalid(error.summary)
        }
    }
}
