// Sentences about links to files and folders.

extension FieldWords {
    static let sharingLinks = """
        fields:
            url: The address of the link.
            audience: Whom the link is for.
        AlphaResolvedVisibility: Whom a link is for in the end.
        ChangeLinkExpirationPolicy: Whether users may change when links expire.
            allowed: They may.
            not_allowed: They may not.
        CreateSharedLinkWithSettingsArg: The argument of `createSharedLinkWithSettings`.
            path: The path or `id:…` of the file or folder to link to.
            settings: The settings of the link; nil for those of the account or team.
        FileLinkMetadata: A link to a file.
            client_modified: The time that the uploading program gave as that of the last change.
            server_modified: When the server got this version.
            rev: The version of the file.
            size: The length of the file in bytes.
        FolderLinkMetadata: A link to a folder.
        GetSharedLinkMetadataArg: The argument of `getSharedLinkMetadata` and `getSharedLinkFile`.
            path: The path of an entry below the folder of the link; nil for the link's own file or folder.
            link_password: The password of the link; nil if it has none.
        LinkAccessLevel: The rights of visitors of a link.
            viewer: They may read.
            editor: They may change the content.
        LinkAction: Changes of a link.
            change_access_level: Changing what visitors may do.
            change_audience: Changing whom the link is for.
            remove_expiry: Letting the link never expire.
            remove_password: Doing without a password.
            set_expiry: Letting the link expire.
            set_password: Demanding a password.
        LinkAudience: Whom a link is for.
            public: All people who have the link.
            team: Members of the owner's team.
            no_one: Those who may see the content without the link.
            password: All people who have the link and its password; `requirePassword` has taken its place.
            members: Members of the content.
        LinkAudienceDisallowedReason: Why a link cannot be for some people.
        LinkAudienceOption: People whom a link may or may not be for.
            audience: The people.
            allowed: Whether the link may be for them.
            disallowed_reason: Why it may not; nil if it may.
        LinkExpiry: A change of when a link expires.
            remove_expiry: It never does.
            set_expiry: It does at this time.
        LinkPassword: A change of the password of a link.
            remove_password: The link has none from now on.
            set_password: The link has this one from now on.
        LinkPermission: Whether the user may change something of a link.
        LinkPermissions: The rights that a link gives, and which of its settings the user may change.
            resolved_visibility: Whom the link is for in the end, by all rules; nil if the caller must not know.
            requested_visibility: Whom the link was made for; nil unless the caller owns it.
            can_revoke: Whether the user may revoke the link.
            revoke_failure_reason: Why the user may not; nil if that is allowed.
            effective_audience: Whom the link is for in the end, by all rules; nil if the caller must not know.
            link_access_level: The rights of visitors; nil if the caller must not know.
            visibility_policies: For each choice of whom the link is for, whether the user can make it.
            can_set_expiry: Whether the user may let the link expire.
            can_remove_expiry: Whether the user may let the link never expire.
            allow_download: Whether visitors may download the content.
            can_allow_download: Whether the user may permit downloads.
            can_disallow_download: Whether the user may forbid downloads.
            allow_comments: Whether visitors may comment.
            team_restricts_comments: Whether the team has forbidden comments everywhere.
            audience_options: For each group of people, whether the link may be for them; nil if the server does not tell.
            can_set_password: Whether the user may demand a password; nil if the server does not tell.
            can_remove_password: Whether the user may do without a password; nil if the server does not tell.
            require_password: Whether visitors need a password; nil if the server does not tell.
            can_use_extended_sharing_controls: Whether the user's plan has passwords, expiry and the like; nil if the server does not tell.
            can_sync: Whether the user may save the content to the own account; nil if the server does not tell.
            can_request_access: Whether the user may ask for access; nil if the server does not tell.
            enforce_shared_link_password_policy: Whether the team demands a password; nil if the server does not tell.
            days_to_expire_policy: After how many days links of the team expire; nil if the server does not tell.
            change_shared_link_expiration_policy: Whether the team's users may change when links expire; nil if the server does not tell.
        LinkSettings: Settings of the link to a shared folder. Each that is nil stays.
            access_level: The rights of visitors: `viewer` or `viewerNoComment`.
            expiry: When the link expires.
            password: The password of the link.
        ListSharedLinksArg: The argument of `listSharedLinks`.
            path: The file or folder whose links are listed; nil for all links of the account.
            cursor: The cursor of the page before; nil for the first page.
            direct_only: With a path, whether links to folders above it are left out; nil for no.
        ListSharedLinksResult: A page of links.
            links: The links of this page.
            has_more: Whether there are further pages.
            cursor: The cursor of the next page; nil after the last one, and with a path.
        ModifySharedLinkSettingsArgs: The argument of `modifySharedLinkSettings`.
            settings: The settings to change; those that are nil stay.
            remove_expiration: Whether the link never expires from now on.
        RequestedLinkAccessLevel: The rights that visitors of a link shall have.
            viewer: They shall read.
            editor: They shall change the content, which not all kinds of files permit.
            max: As much as the user can permit.
            default: As much as is usual for the file.
        RequestedVisibility: Whom a link was made for.
            public: All people who have the link.
            team_only: Members of the owner's team.
            password: All people who have the link and its password.
        ResolvedVisibility: Whom a link is for in the end, by the rules of team and folder.
            team_and_password: Members of the owner's team who have the password.
            shared_folder_only: Members of the shared folder that the entry lies in.
            no_one: Those who may see the content without the link.
            only_you: The user alone.
        RevokeSharedLinkArg: The argument of `revokeSharedLink`.
        SharedContentLinkMetadata: The link to a shared file or folder.
            audience_exceptions: Entries of the folder whose links are for other people; nil unless a single folder was asked for.
        SharedContentLinkMetadataBase: Settings of the link to a shared file or folder.
            access_level: The rights of visitors; nil if the caller must not know.
            audience_options: Whom the user can make the link for.
            audience_restricting_shared_folder: A shared folder whose rules keep the link from more people; nil if there is none.
            current_audience: Whom the link is for.
            expiry: When the link expires; nil for never.
            link_permissions: For each change of the link, whether the user may make it.
            password_protected: Whether visitors need a password.
        SharedLinkMetadata: A link to a file or folder.
            id: The id of the entry; nil if the caller may not learn it.
            name: The name of the entry.
            expires: When the link expires; nil for never.
            path_lower: The whole path in lower case; nil if the entry is not in the caller's tree.
            link_permissions: The rights that the link gives, and which of its settings the user may change.
            team_member_info: The owner of the link as a member of a team; nil if there is no team.
            content_owner_team_info: The team that owns the content; nil if it is that of the link's owner, or if there is none.
        SharedLinkPolicy: Whom links to entries of a folder may be for.
            anyone: All people.
            team: Members of the team.
            members: Members of the folder.
        SharedLinkSettings: Settings of a link. Each that is nil has its default, or stays.
            require_password: Whether visitors need a password.
            link_password: The password; together with `requirePassword`.
            expires: When the link expires; the account's plan must have that.
            access: The rights that visitors shall have.
            requested_visibility: Whom the link is for; `audience` has taken its place.
            allow_download: Whether visitors may download the content.
        TeamMemberInfo: The owner of a link, as a member of a team.
            team_info: The team.
            display_name: The name to be shown.
            member_id: The id of the user in the team; nil unless it is the caller's own team.
        VisibilityPolicy: People whom a link may or may not be made for.
            policy: Whom the link would be made for.
            resolved_policy: Whom it would be for in the end, by all rules.
            allowed: Whether the user can make it for them.
            disallowed_reason: Why the user cannot; nil if that is allowed.
        VisibilityPolicyDisallowedReason: Why a link cannot be made for some people.
            delete_and_recreate: The link has to be revoked and made anew for that.
            restricted_by_shared_folder: A shared folder above does not permit it.
            restricted_by_team: The team does not permit it.
            user_not_on_team: The user is in no team.
            user_account_type: The user's plan does not have it.
            permission_denied: The user may not change it.
        """
}
