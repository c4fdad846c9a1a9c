// A copy of `dropbox_options`, checked.

import CDropbox
import Saturating

/// BorderSettings of one operation.
struct OperationOptions {
    typealias Progress = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64) -> Void

    /// The receiver of progress.
    private(set) var progress: Callee<Progress>?
    /// The object that ends the operation early.
    private(set) var cancel: Canceller?
    /// Where its callbacks wait; nil for the library's thread.
    private(set) var queue: CallerQueue?
    /// When it has to have ended.
    private(set) var deadline: ContinuousClock.Instant?

    /// The longest timeout, some thirty years.
    private static let longestTimeout = 1e9

    /// The defaults, which NULL stands for.
    init() {}

    /// Copies options of C.
    init(_ options: UnsafePointer<dropbox_options>?) throws(BorderError) {
        guard let options = options?.pointee else { return }
        guard options.size == MemoryLayout<dropbox_options>.size else {
            throw .argument("the options have another size: use DROPBOX_OPTIONS_INIT")
        }
        progress = options.progress.map { Callee(function: $0, context: options.progress_context) }
        if let pointer = options.cancel {
            cancel = try Handle.required(pointer, "dropbox_cancel")
        }
        if let pointer = options.queue { queue = try Handle.required(pointer, "dropbox_queue") }
        guard options.timeout != 0 else { return }
        guard options.timeout > 0 else { throw .argument("the timeout is negative, or no number") }
        let seconds = min(options.timeout, Self.longestTimeout)
        deadline = .now.advanced(by: .seconds(clamping: seconds))
    }
}
