// Sentences about what reads of `files`: metadata, listings, revisions, search, downloads, previews
// and thumbnails.

extension FieldWords {
    static let filesReading = """
        fields:
            path: The path or `id:…` of the entry.
            cursor: The cursor of the answer before.
            has_more: Whether there are further pages.
            include_media_info: Whether pictures and videos come with `mediaInfo`.
            include_deleted: Whether deleted entries are told as well, as `Metadata.deleted`.
            include_has_explicit_shared_members: Whether files come with `hasExplicitSharedMembers`.
            include_property_groups: The templates whose properties are told; nil for none.
            include_restorable_info: Whether deleted entries say if they can be restored.
            metadata: The metadata of the entry.
            password: The password of the link; nil if it has none.
        cases:
            path: The path cannot be used; the payload says why.
            unsupported_file: A file of this kind has no bytes to download; `export` may bring it.
            unsupported_extension: No picture or page is made of files with this extension.
            unsupported_content: The file is damaged, or of a form that is not rendered.
            success: This entry has succeeded.
            failure: This entry has failed; others may have succeeded.
            internal_error: The server has failed; another attempt may succeed.
            too_many_files: The request, or a folder in it, has more files than the server takes at once.
        DownloadArg: The argument of `download`: a file, in its present or an earlier version.
            rev: The version; `rev:…` as path does the same.
        DownloadError: Reasons for which `download` fails.
            path: There is no file at the path, or it must not be read; the payload says which.
        DownloadZipArg: The argument of `downloadZip`.
            path: The path or id of the folder.
        DownloadZipError: Reasons for which `downloadZip` fails.
            path: There is no folder at the path, or it must not be read; the payload says which.
            too_large: The folder, or a file in it, has more bytes than an archive may have.
            too_many_files: The folder has more entries than an archive may have.
        DownloadZipResult: The result of `downloadZip`, beside the archive.
            metadata: The metadata of the folder.
        ExportArg: The argument of `export`: a document without bytes of its own, and the format to get it in.
            export_format: One of the formats of `ExportInfo.exportOptions`; nil takes the document's usual one.
        ExportError: Reasons for which `export` fails.
            non_exportable: The file is not one to export; `download` has its bytes.
            invalid_export_format: The document does not come in that format.
            retry_error: The export is not ready yet; the call may be repeated after a pause.
        ExportMetadata: Facts of exported bytes.
            name: The name of the exported file, with the extension of its format.
            size: The length of the exported bytes.
            export_hash: The content hash of the exported bytes, to compare them with.
            paper_revision: The revision of a Paper document, for an update of it; nil for others.
        ExportResult: The result of `export`, beside the bytes.
            export_metadata: The metadata of the exported bytes.
            file_metadata: The metadata of the document as it lies in the account.
        FileCategory: Kinds of files by which a search is narrowed.
            image: Pictures, such as JPEG, PNG and GIF.
            document: Texts, such as those of Word.
            pdf: Files in PDF.
            spreadsheet: Tables, such as those of Excel.
            presentation: Slides, such as those of PowerPoint.
            audio: Sound and music.
            video: Films and clips.
            folder: Folders instead of files.
            paper: Documents of Dropbox Paper.
            others: Files of none of the other kinds.
        FileStatus: Which files a search looks at.
            active: Files that exist.
            deleted: Files that were deleted.
        GetMetadataArg: The argument of `getMetadata`.
            path: The path, `id:…` or `rev:…` of the entry. The root has no metadata.
            include_deleted: Whether a deleted entry is told, as `Metadata.deleted`, where otherwise the call fails with `notFound`.
        GetMetadataError: Reasons for which `getMetadata` fails.
        GetTemporaryLinkArg: The argument of `getTemporaryLink`.
            path: The path, `id:…` or `rev:…` of the file.
        GetTemporaryLinkError: Reasons for which `getTemporaryLink` fails.
            email_not_verified: The user has not confirmed the account's e-mail address yet.
            not_allowed: The user may not make links, or not to this file.
        GetTemporaryLinkResult: The result of `getTemporaryLink`.
            metadata: The metadata of the file.
            link: The address of the bytes, good for four hours and without a token.
        GetThumbnailBatchArg: The argument of `getThumbnailBatch`.
            entries: The files to make pictures of, 25 at most.
        GetThumbnailBatchError: Reasons for which `getThumbnailBatch` fails as a whole.
            too_many_files: More than 25 files in one request.
        GetThumbnailBatchResult: The result of `getThumbnailBatch`.
            entries: A result for each file, in the order of the request.
        GetThumbnailBatchResultData: A small picture with the file that it is of.
            metadata: The metadata of the file.
            thumbnail: The bytes of the picture, in Base64.
        GetThumbnailBatchResultEntry: The result for one file of a batch.
            success: The picture has been made.
            failure: No picture could be made of this file.
        HighlightSpan: A piece of a name or text that a search has found.
            highlight_str: The letters of the piece.
            is_highlighted: Whether the piece is one that matches, rather than one around it.
        ListFolderArg: The argument of `listFolder`.
            path: The path or `id:…` of the folder; the empty path is the root. With `sharedLink`, relative to the link's folder.
            recursive: Whether all below the folder is listed, and not only its own entries.
            include_deleted: Whether entries that were deleted are listed as well.
            include_mounted_folders: Whether folders are listed that are mounted here: shared ones, team folders and those of apps.
            limit: Roughly how many entries a page has at most; nil leaves it to the server. Pages may have fewer or more.
            shared_link: A link whose folder is listed in place of one of the account's; not with `recursive`.
            include_non_downloadable_files: Whether files are listed that `download` refuses, such as those of Google Docs.
            include_restorable_info: Whether deleted entries say if they can be restored; with `includeDeleted`.
        ListFolderContinueArg: The argument of `listFolderContinue`.
            cursor: The cursor of the page before, or of `listFolderGetLatestCursor`.
        ListFolderContinueError: Reasons for which `listFolderContinue` fails.
            path: The folder has gone, or can no longer be read; the payload says which.
            reset: The cursor is too old, or its folder has changed altogether: `listFolder` has to begin anew.
        ListFolderError: Reasons for which `listFolder` fails.
            template_error: A template of `includePropertyGroups` cannot be used.
        ListFolderGetLatestCursorResult: The result of `listFolderGetLatestCursor`.
            cursor: The cursor of the present moment: `listFolderContinue` tells what changes after it.
        ListFolderLongpollArg: The argument of `listFolderLongpoll`.
            cursor: A cursor of `listFolder` or `listFolderGetLatestCursor`, not of a shared link.
            timeout: Seconds until an answer without a change; the server adds up to 90 at random.
        ListFolderLongpollError: Reasons for which `listFolderLongpoll` fails.
            reset: The cursor is no longer valid: `listFolder` has to begin anew.
        ListFolderLongpollResult: The result of `listFolderLongpoll`.
            changes: Whether there are changes: `listFolderContinue` tells them. False after the timeout.
            backoff: Seconds to wait before the next longpoll; nil for none.
        ListFolderResult: A page of a listing, or of changes.
            entries: Files and folders, and among changes the deleted ones. A later entry of a path goes before an earlier one.
            cursor: Where the next page begins, and after the last page the changes that come.
            has_more: Whether `listFolderContinue` has further entries at once.
        ListRevisionsArg: The argument of `listRevisions`.
            path: The path or `id:…` of the file.
            mode: Whether revisions are those of the path or those of the file, which may have been moved.
            limit: How many revisions the answer has at most.
            before_rev: Only revisions older than this one, such as the last of the page before; only in the mode `path`.
            include_restorable_info: Whether each revision says if it can be restored.
        ListRevisionsError: Reasons for which `listRevisions` fails.
            invalid_before_rev: The revision of `beforeRev` is not one of this file.
            before_rev_not_supported: `beforeRev` came with another mode than `path`.
        ListRevisionsMode: The subject of a list of revisions: a path or a file.
            path: All that has been at the path, even if it was different files.
            id: All of the file that is at the path now, also under its earlier paths.
        ListRevisionsResult: The result of `listRevisions`.
            is_deleted: Whether the file, or the newest one at the path, has been deleted.
            server_deleted: When it was deleted; nil if it was not.
            entries: The revisions, newest first, of which each is an ordinary file's metadata.
            has_more: Whether there are older revisions; `beforeRev` asks for them.
        LookupError: Why a path does not lead to what the call needs.
            malformed_path: The text is no path that the server understands; the payload may say why.
            not_found: There is nothing at the path.
            not_file: There is a folder where a file was expected.
            not_folder: There is a file where a folder was expected.
            restricted_content: The server does not hand the file out, for example for legal reasons.
            unsupported_content_type: The call does not work with entries of this kind.
            locked: The entry is locked.
        MinimalFileLinkMetadata: Facts about the file of a link.
            url: The address of the link.
            id: The id of the file; nil if the caller may not learn it.
            path: The path of the file in the caller's tree, or below the folder of the link; nil if it has none.
            rev: The version of the file.
        PathOrLink: A file, by its path or by a link.
            path: A path, `id:…` or `rev:…` of the caller's own tree.
            link: A link to the file, or to a folder that the file lies in.
        PreviewArg: The argument of `getPreview`.
            path: The path, `id:…` or `rev:…` of the document.
            rev: The version; `rev:…` as path does the same.
        PreviewError: Reasons for which `getPreview` fails.
            in_progress: The preview is being made; the call may be repeated after a pause.
        PreviewResult: The result of a call that renders a file, beside the bytes.
            file_metadata: The metadata of the file, if a path named it.
            link_metadata: Facts about the file, if a link named it.
        SearchError: Reasons for which a search fails.
            invalid_argument: A part of the argument makes no sense; the payload may say why.
        SearchMatchFieldOptions: The details of matches that a search tells.
            include_highlights: Whether matches come with the pieces that match.
        SearchMatchTypeV2: The part of an entry that has matched.
            filename: The name of the file or folder.
            file_content: The content of the file.
            filename_and_content: Both the name and the content.
            image_content: That which is seen in a picture.
            metadata: Other facts about the entry.
        SearchMatchV2: An entry that a search has found.
            metadata: The metadata of the entry.
            match_type: The part that has matched; nil if the server does not tell.
            highlight_spans: The name in pieces, of which some match; nil unless highlights were asked for.
        SearchOptions: How a search is narrowed and ordered.
            path: The folder below which to search; nil for the whole account.
            max_results: How many matches a page has at most.
            order_by: The order of the matches; nil for the most relevant first.
            file_status: Whether files that exist or deleted ones are searched.
            filename_only: Whether only names are compared, and not contents.
            file_extensions: Extensions, one of which a file must have; nil for any. Not for deleted files.
            file_categories: Kinds, of one of which a file must be; nil for any. Not for deleted files.
            account_id: Only entries of this account; nil for any.
        SearchOrderBy: The order of matches.
            relevance: The most relevant first.
            last_modified_time: The most recently changed first.
        SearchV2Arg: The argument of `searchV2`.
            query: The words to search for; the server may change them for better matches.
            options: Where and how to search; nil for the defaults.
            match_field_options: The details that are told of matches; nil for the defaults.
            include_highlights: Whether matches come with the pieces that match; `matchFieldOptions` has taken its place.
        SearchV2ContinueArg: The argument of `searchContinueV2`.
            cursor: The cursor of the page before. It ends with 10,000 matches.
        SearchV2Result: A page of matches.
            matches: The matches of this page; an entry may come twice.
            has_more: Whether `searchContinueV2` has further matches.
            cursor: The cursor of the next page; nil after the last one.
        SharedLink: A link, with its password.
            url: The address of the link.
        SharedLinkFileInfo: A file that a link leads to.
            url: The address of the link, to the file or to a folder above it.
            path: The path of the file below the folder of the link; nil if the link is the file's own.
        ThumbnailArg: A file, and the picture to make of it.
            path: The path, `id:…` or `rev:…` of the picture, video or document.
            format: The format of the picture.
            size: The size that the picture is fitted into.
            mode: How the picture is fitted into the size.
            exclude_media_info: Whether `mediaInfo` is left out of the metadata, which is faster; nil for no.
        ThumbnailError: Why no small picture could be made of a file.
            unsupported_image: The file is damaged, too large, or a picture of an unknown form.
            encrypted_content: The file is encrypted, so that the server cannot read its content.
            conversion_error: The server failed to make the picture.
        ThumbnailFormat: The format of a small picture.
            jpeg: JPEG, the smaller one for photographs.
            png: PNG, the better one for drawings and screenshots.
            webp: WebP.
        ThumbnailMode: How a picture is fitted into a size. It is never enlarged.
            strict: As large as fits into the size.
            bestfit: As large as fits into the size or into the size turned by 90 degrees.
            fitone_bestfit: As small as still covers the size or the size turned by 90 degrees.
            original: Not made smaller at all.
        ThumbnailSize: The size of a small picture.
            w32h32: 32 by 32 pixels.
            w64h64: 64 by 64 pixels.
            w128h128: 128 by 128 pixels.
            w256h256: 256 by 256 pixels.
            w480h320: 480 by 320 pixels.
            w640h480: 640 by 480 pixels.
            w960h640: 960 by 640 pixels.
            w1024h768: 1024 by 768 pixels.
            w2048h1536: 2048 by 1536 pixels.
        ThumbnailV2Arg: The argument of `getThumbnailV2`.
            resource: The file, by its path or by a link.
            format: The format of the picture.
            size: The size that the picture is fitted into.
            mode: How the picture is fitted into the size.
            exclude_media_info: Whether `mediaInfo` is left out of the metadata, which is faster; nil for no.
        ThumbnailV2Error: Reasons for which `getThumbnailV2` fails.
            unsupported_image: The file is damaged, too large, or a picture of an unknown form.
            encrypted_content: The file is encrypted, so that the server cannot read its content.
            conversion_error: The server failed to make the picture.
            access_denied: The link is not open to the caller.
            not_found: There is no file behind the link.
        """
}
