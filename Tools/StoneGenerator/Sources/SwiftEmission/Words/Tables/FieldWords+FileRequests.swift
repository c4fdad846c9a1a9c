// Sentences about file requests.

extension FieldWords {
    static let fileRequests = """
        fields:
            id: The id of the file request.
            title: The name of the file request, which those who upload see.
            destination: The path of the folder that files get into.
            description: A text for those who upload; nil for none.
            video_project_id: The video project that the file request belongs to; nil for none.
            file_requests: The file requests.
        CountFileRequestsError: Reasons for which `count` fails.
        CountFileRequestsResult: The result of `count`.
            file_request_count: How many file requests there are, open and closed.
        CreateFileRequestArgs: The argument of `create`.
            destination: The path of the folder that files get into, seen from the app's root. It is created with the first file.
            deadline: Until when files may come; nil for no end. The account's plan must have that.
            open: Whether files may come from the beginning.
        CreateFileRequestError: Reasons for which `create` fails.
            invalid_location: The folder is not one for file requests.
            rate_limit: The account has as many file requests as it may have, 4,000.
        DeleteAllClosedFileRequestsError: Reasons for which `deleteAllClosed` fails.
        DeleteAllClosedFileRequestsResult: The result of `deleteAllClosed`.
            file_requests: The deleted file requests.
        DeleteFileRequestArgs: The argument of `delete`.
            ids: The ids of the file requests, all of them closed.
        DeleteFileRequestError: Reasons for which `delete` fails.
            file_request_open: One of the file requests is open.
        DeleteFileRequestsResult: The result of `delete`.
            file_requests: The deleted file requests.
        FileRequest: A file request: an address at which other people upload files.
            url: The address for those who upload.
            destination: The path of the folder that files get into; nil if it has gone, or if the app cannot see it.
            created: When the file request was made.
            deadline: Until when files may come; nil for no end.
            is_open: Whether files may come.
            file_count: How many files have come.
        FileRequestDeadline: Until when files may come.
            deadline: The end.
            allow_late_uploads: How long files may come after it, marked as late; nil for not at all.
        FileRequestError: Why a file request cannot be dealt with.
            not_found: There is no file request of this id.
            not_a_folder: There is a file at the path of the folder.
            app_lacks_access: The folder lies outside of that of the app.
            no_permission: The user may not deal with this file request.
            email_unverified: The user has not confirmed the account's e-mail address yet.
            validation_error: The server refuses a value, such as a title or a name in the path.
            no_write_permission: The user may not write into the folder.
        GeneralFileRequestsError: Why there are no file requests at all.
            disabled_for_team: The team does without file requests.
        GetFileRequestArgs: The argument of `get`.
        GetFileRequestError: Reasons for which `get` fails.
        GracePeriod: How long files may come after the end.
            one_day: One day.
            two_days: Two days.
            seven_days: Seven days.
            thirty_days: Thirty days.
            always: Without a limit.
        ListFileRequestsArg: The argument of `listV2`.
            limit: How many file requests a page has at most.
        ListFileRequestsContinueArg: The argument of `listContinue`.
            cursor: The cursor of the page before.
        ListFileRequestsContinueError: Reasons for which `listContinue` fails.
            invalid_cursor: The text is no cursor, or one that has expired.
        ListFileRequestsError: Reasons for which `listV2` fails.
        ListFileRequestsV2Result: A page of file requests.
            file_requests: The file requests of this page.
            cursor: The cursor of the next page.
            has_more: Whether there are further pages.
        UpdateFileRequestArgs: The argument of `update`.
            title: The new title; nil for no change.
            destination: The path of the new folder; nil for no change.
            deadline: The new end, or that there is none.
            open: Whether files may come; nil for no change.
            description: The new text for those who upload; nil for no change.
        UpdateFileRequestDeadline: A change of the end of a file request.
            no_update: It stays as it is.
            update: It becomes this one; nil takes it away.
        UpdateFileRequestError: Reasons for which `update` fails.
        """
}
