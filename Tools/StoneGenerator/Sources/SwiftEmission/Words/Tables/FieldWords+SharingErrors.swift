// Sentences about errors of `sharing`.

extension FieldWords {
    static let sharingErrors = """
        cases:
            access_error: The file or folder cannot be used; the payload says why.
            user_error: The user cannot do this; the payload says why.
            member_error: The member cannot be dealt with; the payload says why.
            email_unverified: The user has not confirmed the account's e-mail address yet.
            email_not_verified: The user has not confirmed the account's e-mail address yet.
            no_permission: The user may not do this.
            team_folder: It is a team folder, which only administrators manage.
            insufficient_plan: The user's plan does not have this.
            settings_error: The settings of the link cannot be used; the payload says why.
            no_explicit_access: The member has no membership of its own here; the payload says which rights it has by other ways.
            invalid_dropbox_id: There is no account, member or group of this id.
            too_many_files: The folder has more files than the server deals with at once.
            inside_shared_folder: It lies in a shared folder, where that is not possible.
            not_a_member: It is not a member of the folder.
            invalid_member: The member is none, or not one of this kind.
        AddFileMemberError: Reasons for which `addFileMember` fails.
            rate_limit: The user has sent too many invitations; the call may be repeated much later.
            invalid_comment: The text of the message is not permitted as a comment.
            banned_member: Dropbox does not let the user share, because of abuse.
        AddFolderMemberError: Reasons for which `addFolderMember` fails.
            banned_member: Dropbox does not let the user share, because of abuse.
            bad_member: One of the members cannot be added; the payload says why.
            cant_share_outside_team: The team does not permit members from outside.
            too_many_members: The folder would have more members than it can, which is the payload.
            too_many_pending_invites: The folder would have more open invitations than it can, which is the payload.
            rate_limit: The user has sent too many invitations; the call may be repeated much later.
            too_many_invitees: More people in one request than the server takes.
            invalid_shared_folder: There is no shared folder of this id.
        AddMemberSelectorError: Why a person or group cannot become a member.
            automatic_group: The group is one that the server manages, which only team folders take.
            invalid_dropbox_id: There is no account, member or group of the payload's id.
            invalid_email: The payload is no e-mail address.
            invalid_group: There is no such group.
            unverified_dropbox_id: The account of the payload's id has not confirmed its e-mail address yet.
            group_deleted: The group was deleted.
            group_not_on_team: The group is of another team.
        CreateSharedLinkWithSettingsError: Reasons for which `createSharedLinkWithSettings` fails.
            path: There is nothing at the path to link to; the payload says why.
            shared_link_already_exists: The entry has a link already; the payload is that link, unless it may differ from the settings that were wanted.
            access_denied: The user may not make a link to the entry.
            banned_member: Dropbox does not let the user make links, because of abuse.
            too_many_shared_folders: The user has too many shared folders to make another one.
        FileMemberActionError: Why something was not done with a member of a file.
            access_error: The file cannot be used; the payload says why.
        GetSharedLinkFileError: Reasons for which `getSharedLinkFile` fails.
            shared_link_is_directory: The link leads to a folder; the path of a file in it is needed.
        JobError: Why a job failed.
            unshare_folder_error: The sharing could not be ended; the payload says why.
            remove_folder_member_error: The member could not be taken out; the payload says why.
            relinquish_folder_membership_error: The membership could not be given up; the payload says why.
        ListFileMembersError: Reasons for which `listFileMembers` fails.
        ListSharedLinksError: Reasons for which `listSharedLinks` fails.
            path: There is nothing at the path; the payload says why.
            reset: The cursor is no longer valid: the listing has to begin anew.
        ModifySharedLinkSettingsError: Reasons for which `modifySharedLinkSettings` fails.
        MountFolderError: Reasons for which `mountFolder` fails.
            insufficient_quota: The account has not enough space left; the payload has the amounts.
            already_mounted: The folder is in the user's tree already.
            not_mountable: The folder cannot be mounted.
            must_automount: The server mounts the folder by itself, and no call does it.
        PermissionDeniedReason: Why an action is not allowed.
            user_not_same_team_as_owner: The user is not of the owner's team.
            user_not_allowed_by_owner: The owner does not permit it.
            target_is_indirect_member: The member is one only by a group or a folder above.
            target_is_owner: The member is the owner.
            target_is_self: The member is the user.
            target_not_active: The member's account is not active.
            folder_is_limited_team_folder: The folder is a team folder with narrower rules.
            owner_not_on_team: The owner is in no team.
            permission_denied: The user's rights do not go so far.
            restricted_by_team: The team does not permit it.
            user_account_type: The user's plan does not have it.
            user_not_on_team: The user is in no team.
            folder_is_inside_shared_folder: The folder lies in a shared folder.
            restricted_by_parent_folder: A folder above does not permit it.
            insufficient_plan: The user's plan does not have it; the payload says which one does.
        RelinquishFolderMembershipError: Reasons for which `relinquishFolderMembership` fails.
            folder_owner: The user owns the folder, and another member has to become the owner before.
            mounted: The folder is still in the user's tree.
            group_access: The user is a member by a group, and has to leave that.
            no_explicit_access: The user has no membership of its own, but only rights by a folder above.
        RemoveFileMemberError: Reasons for which `removeFileMember2` fails.
        RemoveFolderMemberError: Reasons for which `removeFolderMember` fails.
            folder_owner: The member owns the folder, and another member has to become the owner before.
            group_access: The member is one by a group, and has to be taken out of that.
        RevokeSharedLinkError: Reasons for which `revokeSharedLink` fails.
            shared_link_malformed: The text is no address of a link.
        ShareFolderError: Reasons for which `shareFolder` fails.
        ShareFolderErrorBase: Why a folder cannot be shared.
            bad_path: The folder is not one to share; the payload says why.
            team_policy_disallows_member_policy: The team does not permit members as `memberPolicy` says.
            disallowed_shared_link_policy: The team does not permit links as `sharedLinkPolicy` says.
        SharePathError: Why the entry of a path cannot be shared.
            is_file: It is a file.
            inside_shared_folder: It lies in a shared folder.
            contains_shared_folder: There is a shared folder in it.
            contains_app_folder: There is the folder of an app in it.
            contains_team_folder: There is a team folder in it.
            is_app_folder: It is the folder of an app.
            inside_app_folder: It lies in the folder of an app.
            is_public_folder: It is the public folder.
            inside_public_folder: It lies in the public folder.
            already_shared: It is a shared folder already, which is the payload.
            invalid_path: The path is none.
            is_osx_package: It is a package of macOS.
            inside_osx_package: It lies in a package of macOS.
            is_vault: It is the vault.
            is_vault_locked: It is the vault, which is locked.
            is_family: It is the folder of the family.
        SharedFolderAccessError: Why a shared folder cannot be used.
            invalid_id: There is no shared folder of this id.
            not_a_member: The folder does not have the user among its members.
            invalid_member: The user is not a member, or not one who can do this.
            unmounted: The folder is not in the user's tree.
        SharedFolderMemberError: Why a member of a folder cannot be dealt with.
        SharedLinkAccessFailureReason: The requirement that a visitor of a link does not meet.
            login_required: The visitor has to log in.
            email_verify_required: The visitor has to confirm an e-mail address.
            password_required: The visitor has to know the password.
            team_only: The visitor has to be of the team.
            owner_only: The visitor has to be the owner.
        SharedLinkAlreadyExistsMetadata: The link that an entry has already.
            metadata: The link, with its address and settings.
        SharedLinkError: Why a link cannot be used.
            shared_link_not_found: There is no such link.
            shared_link_access_denied: The link is not open to the caller.
            unsupported_link_type: The link is of a kind that this call does not know; `export` may bring its file.
            unsupported_parameter_field: The link takes neither `path` nor `linkPassword`.
        SharedLinkMetadataError: Reasons for which `getSharedLinkMetadata` fails.
        SharedLinkSettingsError: Why settings of a link cannot be used.
            invalid_settings: They contradict each other, lack something, or name a time that is past.
            not_authorized: The user, or the plan, may not have such settings.
        SharingFileAccessError: Why a file cannot be dealt with.
            invalid_file: There is no file of this path or id.
            is_folder: It is a folder.
            inside_public_folder: It lies in the public folder.
            inside_osx_package: It lies in a package of macOS.
        SharingUserError: Why a user cannot share.
        TransferFolderError: Reasons for which `transferFolder` fails.
            invalid_dropbox_id: There is no account or member of this id.
            new_owner_not_a_member: The new owner is not a member of the folder.
            new_owner_unmounted: The new owner has the folder not in the own tree.
            new_owner_email_unverified: The new owner has not confirmed the account's e-mail address yet.
        UnmountFolderError: Reasons for which `unmountFolder` fails.
            not_unmountable: The folder cannot be taken out, for example because it lies in another shared folder.
        UnshareFolderError: Reasons for which `unshareFolder` fails.
        UpdateFolderMemberError: Reasons for which `updateFolderMember` fails.
            no_explicit_access: The member would have to be added to the folder first, which failed; the payload says why.
        UpdateFolderPolicyError: Reasons for which `updateFolderPolicy` fails.
            not_on_team: `memberPolicy` is only for folders of a team.
            team_policy_disallows_member_policy: The team does not permit members as `memberPolicy` says.
            disallowed_shared_link_policy: The team does not permit links as `sharedLinkPolicy` says.
        """
}
