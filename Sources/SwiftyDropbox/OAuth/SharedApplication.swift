// The program that shows a login to its user. Programs for Apple's systems have view controllers
// for that; here it is a program's own, or the browser of the desktop.

public import Foundation

/// Shows a login's page and messages.
public protocol SharedApplication: AnyObject, Sendable {
    /// Shows a message to the user.
    func presentErrorMessage(_ message: String, title: String)
    /// Shows a message with buttons.
    func presentErrorMessageWithHandlers(
        _ message: String, title: String, buttonHandlers: [String: () -> Void])
    /// Shows the page by a means of the platform's own; false where there is none.
    func presentPlatformSpecificAuth(_ authURL: URL) -> Bool
    /// Shows the page; `tryIntercept` takes the address to which it leads back.
    func presentAuthChannel(
        _ authURL: URL, tryIntercept: @escaping (URL) -> Bool, cancelHandler: @escaping () -> Void)
    /// Opens an address in another program.
    func presentExternalApp(_ url: URL)
    /// Whether another program opens an address.
    func canPresentExternalApp(_ url: URL) -> Bool
    /// Shows that something is going on.
    func presentLoading()
    /// Hides what `presentLoading` has shown.
    func dismissLoading()
}

/// Is told while a login waits for the server.
public protocol LoadingStatusDelegate: AnyObject, Sendable {
    /// Something is going on.
    func showLoading()
    /// The wait of the login has ended.
    func dismissLoading()
}
