// The two forms of every operation: one blocks, the other has its end called back.

import CDropbox
import DropboxAPI
import Synchronization

/// The two forms of every operation.
enum BorderOperation {
    typealias Done =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void

    /// Runs an operation to its end; its callbacks are called in this thread. `prepare` copies the
    /// arguments.
    static func wait(
        _ options: UnsafePointer<dropbox_options>?, _ error: ErrorPlace,
        _ prepare: () throws(BorderError) -> Work
    ) -> Run.Outcome {
        error?.pointee = nil
        let place = CallingThread()
        let outcome = Mutex<Run.Outcome?>(nil)
        do throws(BorderError) {
            let run = Run(try OperationOptions(options), at: place)
            let work = try prepare()
            run.start(work) { ended in outcome.withLock { $0 = ended } }
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
        while true {
            guard let ended = outcome.withLock({ $0 }) else {
                place.runNext()
                continue
            }
            if case .failure(let failure) = ended { failure.store(in: error) }
            return ended
        }
    }

    /// Runs an operation to its end, and returns its result as a string for C to free.
    static func text(
        _ options: UnsafePointer<dropbox_options>?, _ error: ErrorPlace,
        _ prepare: () throws(BorderError) -> Work
    ) -> UnsafeMutablePointer<CChar>? {
        guard case .success(let result) = wait(options, error, prepare) else { return nil }
        return CText.make((result ?? .null).bytes)
    }

    /// Runs an operation without a result to its end, and returns 0 or -1.
    static func status(
        _ options: UnsafePointer<dropbox_options>?, _ error: ErrorPlace,
        _ prepare: () throws(BorderError) -> Work
    ) -> Int32 {
        if case .success = wait(options, error, prepare) { 0 } else { -1 }
    }

    /// Starts an operation. Its end is called back, also if its arguments cannot be used.
    static func start(
        _ options: UnsafePointer<dropbox_options>?, _ done: Done?,
        _ context: UnsafeMutableRawPointer?, _ prepare: () throws(BorderError) -> Work
    ) {
        let end = done.map { Callee(function: $0, context: context) }
        var place: any CallbackPlace = LibraryThread()
        do throws(BorderError) {
            let settings = try OperationOptions(options)
            place = settings.queue ?? place
            let run = Run(settings, at: place)
            let work = try prepare()
            run.start(work) { call(end, $0) }
        } catch {
            place.post(Callback { call(end, .failure(error)) })
        }
    }

    private static func call(_ end: Callee<Done>?, _ outcome: Run.Outcome) {
        guard let end else { return }
        switch outcome {
        case .success(let result):
            let text = result.flatMap { CText.make($0.bytes) }
            end.function(end.context, text, nil)
            dropbox_free(text)
        case .failure(let failure):
            let error = failure.make()
            end.function(end.context, nil, error)
            dropbox_error_free(error)
        }
    }
}
