// Sentences about uploads of `files` in pieces.

extension FieldWords {
    static let uploadSessions = """
        cases:
            closed: The session is closed and takes no more pieces.
            too_large: The file would be larger than Dropbox keeps one, about 2.2 TB.
            incorrect_offset: The piece does not begin where the session ends; the payload has the right offset.
            concurrent_session_invalid_offset: A piece of a concurrent session must begin at a multiple of 4 MiB.
            concurrent_session_invalid_data_size: A piece of a concurrent session, except the last, must be a multiple of 4 MiB.
            concurrent_session_data_not_allowed: The request that starts or finishes a concurrent session must have no content.
        UploadSessionAppendArg: The argument of `uploadSessionAppendV2`.
            cursor: The session, and the offset at which the piece belongs.
            close: Whether this is the last piece, after which the session takes no others.
        UploadSessionAppendBatchArg: The argument of `uploadSessionAppendBatch`.
            entries: The pieces, in the order of their bytes in the request.
            content_hash: The hash of the whole request's bytes: the server refuses others. Nil does without the comparison.
        UploadSessionAppendBatchArgEntry: A piece of one session among several.
            cursor: The session, and the offset at which the piece belongs.
            length: How many bytes of the request the piece has.
            close: Whether this is the last piece of its session.
        UploadSessionAppendBatchEntryError: Why one piece of several was not appended.
            not_found: There is no such session, or it has expired.
        UploadSessionAppendBatchError: Reasons for which `uploadSessionAppendBatch` fails as a whole.
            length_mismatch: The lengths of the pieces are together not that of the request's content.
        UploadSessionAppendBatchResult: The result of `uploadSessionAppendBatch`.
            entries: A result for each piece, in the order of the request.
        UploadSessionAppendBatchResultEntry: The result for one piece of several.
            success: The piece was appended.
            failure: The piece was not appended.
        UploadSessionAppendError: Reasons for which `uploadSessionAppendV2` fails.
            not_found: There is no such session, or it has expired.
        UploadSessionCursor: A place in an upload session.
            session_id: The id of the session, of its start.
            offset: How many bytes the session has so far. The server refuses a wrong one and tells the right one.
        UploadSessionFinishArg: The argument of `uploadSessionFinish`.
            cursor: The session, and its length without the content of this request.
            commit: How the content of the session becomes a file.
        UploadSessionFinishBatchArg: The argument of `uploadSessionFinishBatchV2`.
            entries: The sessions, each closed, with the files that they become.
        UploadSessionFinishBatchResult: The result of `uploadSessionFinishBatchV2`.
            entries: A result for each session, in the order of the request.
        UploadSessionFinishBatchResultEntry: The result for one session of many.
            success: The content is a file, with this metadata.
            failure: The content did not become a file.
        UploadSessionFinishError: Reasons for which an upload session does not become a file.
            lookup_failed: The session cannot be used; the payload says why.
            path: The file cannot be at this path; the payload says why.
            too_many_shared_folder_targets: The files of the batch get into too many shared folders.
            concurrent_session_not_closed: A concurrent session must be closed before.
            concurrent_session_missing_data: Pieces of a concurrent session are missing.
        UploadSessionLookupError: Why an upload session cannot be used.
            not_found: There is no such session, or it has expired.
            not_closed: The session must be closed before.
        UploadSessionOffsetError: Where a session really ends.
            correct_offset: How many bytes the session has, and where the next piece begins.
        UploadSessionStartArg: The argument of `uploadSessionStart`.
            close: Whether the content of this request is all, and the session takes no other pieces.
            session_type: Whether pieces come one after another or at once; nil for one after another.
        UploadSessionStartBatchArg: The argument of `uploadSessionStartBatch`.
            session_type: Whether pieces come one after another or at once; nil for one after another.
            num_sessions: How many sessions to begin.
        UploadSessionStartBatchResult: The result of `uploadSessionStartBatch`.
            session_ids: The ids of the new sessions.
        UploadSessionStartError: Reasons for which `uploadSessionStart` fails.
            concurrent_session_close_not_allowed: A concurrent session cannot be closed by its start.
        UploadSessionStartResult: The result of `uploadSessionStart`.
            session_id: The id of the session, for the cursors of its pieces.
        UploadSessionType: The order in which pieces of a session come.
            sequential: One after another, each where the one before ends.
            concurrent: At once and in any order, each at a multiple of 4 MiB.
        """
}
