// Sentences about arguments and results of `sharing`, and the facts of shared files and folders in
// them.

extension FieldWords {
    static let sharingArguments = """
        fields:
            shared_folder_id: The id of the shared folder.
            actions: The actions about which the answer says whether they are allowed; nil for none.
            cursor: The cursor of the next page; nil after the last one.
            file: The path or `id:…` of the file.
            member: The person or group.
            access_level: The rights of the member.
            quiet: Whether no message tells the new members.
            leave_a_copy: Whether those who lose the folder keep a copy of its content.
            access_type: The rights of the user.
            permissions: For each action that was asked about, whether it is allowed; nil if none was.
            policy: The rules for members and links.
            preview_url: An address at which a browser shows it.
            time_invited: When the user was invited; for the owner, when it was shared.
            path_lower: The whole path in lower case; nil if it is not in the caller's tree.
            path_display: The whole path to be shown; nil if it is not in the caller's tree.
            owner_display_names: The names of the owners, to be shown; nil if the server cannot tell.
            owner_team: The team that owns it; nil if no team does.
            link_metadata: The link to it; nil if there is none.
            parent_shared_folder_id: The id of the shared folder that it lies in; nil if it is in none.
            member_policy: The people who may be a member; nil for the default or no change.
            acl_update_policy: The people who may add and remove members; nil for the default or no change.
            shared_link_policy: Whom links to entries of the folder may be for; nil for the default or no change.
            viewer_info_policy: Whether members see who has looked at entries; nil for the default or no change.
            link_settings: Settings of the link to the folder; nil for the default or no change.
        AccessInheritance: Whether members of a folder above are members of a folder as well.
            inherit: They are.
            no_inherit: They are not: the folder is restricted.
        AccessLevel: The rights of a member in a file or folder.
            owner: Everything, also giving it to another owner.
            editor: Reading, changing and, as far as the policy permits, sharing.
            viewer: Reading and commenting.
            viewer_no_comment: Reading.
            traverse: Going through the folder to those in it that the member may read.
            no_access: Nothing but what a link permits.
        AclUpdatePolicy: The people who may add and remove members of a folder.
            owner: The owner alone.
            editors: All editors.
        AddFileMemberArgs: The argument of `addFileMember`.
            members: The people to share the file with.
            custom_message: A text for the messages to the new members; nil for none.
            access_level: Their rights; nil for `viewer`.
            add_message_as_comment: Whether the text becomes a comment on the file as well, which is for Paper.
        AddFolderMemberArg: The argument of `addFolderMember`.
            members: The people and groups to add.
            custom_message: A text for the messages to the new members; nil for none.
        AddMember: A member to add, with rights.
            access_level: The rights of the member; nil for `viewer`.
        AudienceExceptionContentInfo: An entry of a folder with a link for other people.
            name: The name of the entry.
        AudienceExceptions: Entries of a folder whose links are for other people than that of the folder.
            count: How many there are.
            exceptions: Some of them, to be shown.
        AudienceRestrictingSharedFolder: A shared folder whose rules keep a link from more people.
            name: The name of the folder.
            audience: Whom links in the folder may be for.
        ExpectedSharedContentLinkMetadata: The link that a file will have when it is shared first.
        FileAction: Actions on a shared file.
            disable_viewer_info: Hiding who has looked at the file.
            edit_contents: Changing the content.
            enable_viewer_info: Showing who has looked at the file.
            invite_viewer: Adding a member who may read and comment.
            invite_viewer_no_comment: Adding a member who may read.
            invite_editor: Adding a member who may change the file.
            unshare: Taking all members out.
            relinquish_membership: Giving up the own membership.
            share_link: Making a link to the file.
            create_link: Making a link; `createViewLink` and `createEditLink` say which.
            create_view_link: Making a link for reading.
            create_edit_link: Making a link for changing.
        FilePermission: Whether the user may do something with a file.
        FolderAction: Actions on a shared folder.
            change_options: Changing policies of the folder.
            disable_viewer_info: Hiding who has looked at entries.
            edit_contents: Changing entries of the folder.
            enable_viewer_info: Showing who has looked at entries.
            invite_editor: Adding a member who may change the folder.
            invite_viewer: Adding a member who may read and comment.
            invite_viewer_no_comment: Adding a member who may read.
            relinquish_membership: Giving up the own membership.
            unmount: Taking the folder out of the own tree.
            unshare: Ending the sharing.
            leave_a_copy: Keeping a copy when the sharing or the membership ends.
            share_link: Making a link to the folder.
            create_link: Making a link; `createViewLink` and `createEditLink` say which.
            create_view_link: Making a link for reading.
            create_edit_link: Making a link for changing.
            set_access_inheritance: Changing whether members of the folder above are members.
        FolderPermission: Whether the user may do something with a folder.
        fields:
            action: The action.
            allow: Whether it is allowed.
            reason: Why it is not allowed; nil if it is, or if the server does not tell.
        FolderPolicy: The rules for members and links of a folder.
            member_policy: The people who may be a member by the folder's own rule; nil if it has none, or no team.
            resolved_member_policy: The people who may be a member by the rules of both folder and team; nil unless a team owns it.
            acl_update_policy: The people who may add and remove members.
            shared_link_policy: Whom links to entries of the folder may be for.
            viewer_info_policy: Whether members see who has looked at entries.
        GetMetadataArgs: The argument of `getFolderMetadata`.
        InsufficientPlan: An action that the user's plan does not have.
            message: An explanation for the user.
            upsell_url: An address at which a plan with it can be had; nil if there is none for this user.
        InsufficientQuotaAmounts: Bytes that are needed and bytes that there are.
            space_needed: How many bytes are needed.
            space_shortage: How many bytes are missing.
            space_left: How many bytes the account has left.
        JobStatus: The state of a job of `unshareFolder` and the like.
            complete: The job has ended.
            failed: The job has failed; the payload says why.
        ListFilesArg: The argument of `listReceivedFiles`.
            limit: How many files a page has at most.
        ListFilesResult: A page of shared files.
            entries: The files of this page.
        ListFileMembersArg: The argument of `listFileMembers`.
            include_inherited: Whether members come along who have the file by a shared folder only.
            limit: How many members of each kind a page has at most.
        ListFolderMembersArgs: The argument of `listFolderMembers`.
            path: A path in the folder, whose members are listed in place of those of the whole folder; nil for the latter.
        ListFolderMembersCursorArg: How members of a folder are listed.
            limit: How many members a page has at most.
        ListFoldersArgs: The argument of `listFolders` and `listMountableFolders`.
            limit: How many folders a page has at most.
        ListFoldersResult: A page of shared folders.
            entries: The folders of this page.
        MountFolderArg: The argument of `mountFolder`.
        RelinquishFolderMembershipArg: The argument of `relinquishFolderMembership`.
            leave_a_copy: Whether the user keeps a copy of the content.
        RemoveFileMemberArg: The argument of `removeFileMember2`.
        RemoveFolderMemberArg: The argument of `removeFolderMember`.
            leave_a_copy: Whether the member keeps a copy of the content.
        RemoveMemberJobStatus: The state of a job that takes a member out of a folder.
            complete: The member is out; the payload has rights that are left by other ways.
            failed: The member is still in; the payload says why.
        ShareFolderArg: The argument of `shareFolder`.
        ShareFolderArgBase: How a folder is shared.
            force_async: Whether it becomes a job in any case, also if it is little.
            path: The path or `id:…` of the folder. One that does not exist is created.
            access_inheritance: Whether members of the folder above are members of this one.
        ShareFolderJobStatus: The state of a job that shares a folder.
            complete: The folder is shared, with this metadata.
            failed: The folder is not shared; the payload says why.
        ShareFolderLaunch: The result of `shareFolder`: the shared folder, or the id of a job.
            complete: The folder is shared, with this metadata.
        SharedFileMetadata: A shared file.
            access_type: The rights of the user; nil if the server does not tell.
            id: The id of the file.
            expected_link_metadata: The link that the file will have when it is shared first; nil if there is one already.
            name: The name of the file.
        SharedFolderMetadata: A shared folder.
            name: The name of the folder.
            access_inheritance: Whether members of the folder above are members of this one.
            folder_id: The `id:…` of the folder; nil if the server does not tell.
        SharedFolderMetadataBase: Facts of all kinds of shared folders.
            is_inside_team_folder: Whether it lies in a team folder.
            is_team_folder: Whether it is a team folder.
            parent_folder_name: The name of the folder that it lies in; nil if it has none.
        TransferFolderArg: The argument of `transferFolder`.
            to_dropbox_id: The account, or the team's member, that becomes the owner. It must be a member.
        UnmountFolderArg: The argument of `unmountFolder`.
        UnshareFolderArg: The argument of `unshareFolder`.
            leave_a_copy: Whether former members keep a copy of the content.
        UpdateFolderMemberArg: The argument of `updateFolderMember`.
            access_level: The new rights of the member; `owner` is for `transferFolder`.
        UpdateFolderPolicyArg: The argument of `updateFolderPolicy`.
            member_policy: The people who may be a member; nil for no change. Only for folders of a team.
            acl_update_policy: The people who may add and remove members; nil for no change.
            viewer_info_policy: Whether members see who has looked at entries; nil for no change.
            shared_link_policy: Whom links to entries of the folder may be for; nil for no change.
            link_settings: Settings of the link to the folder; nil for no change.
        ViewerInfoPolicy: Whether members see who has looked at entries.
            enabled: They see it.
            disabled: They do not see it.
        """
}
