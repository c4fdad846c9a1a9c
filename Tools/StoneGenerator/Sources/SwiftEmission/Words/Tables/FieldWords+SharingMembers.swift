// Sentences about members of shared files and folders.

extension FieldWords {
    static let sharingMembers = """
        FileMemberActionIndividualResult: The result of an action on one member of a file.
            success: It was done; the payload is the rights of the member, nil for none.
            member_error: It was not done; the payload says why.
        FileMemberActionResult: A member of a file, and the result of an action on it.
            result: The result of the action.
            sckey_sha1: A fingerprint of the key of the shared content; nil if there is none.
            invitation_signature: Signatures of the invitation, one for each person; nil if there are none.
        FileMemberRemoveActionResult: The result of taking a member out of a file.
            success: The member is out; the payload has rights that are left by other ways.
            member_error: The member is still in; the payload says why.
        GroupInfo: A group of a team, as a member.
            group_type: Whether members can be of several teams.
            is_member: Whether the caller is in the group.
            is_owner: Whether the caller manages the group.
            same_team: Whether the group is of the caller's own team.
        GroupMembershipInfo: A group that is a member.
            group: The group.
        InviteeInfo: A person who is invited and not yet a user.
            email: The address that the invitation went to.
        InviteeMembershipInfo: A person who is invited and has not come yet.
            invitee: The address that the invitation went to.
            user: The user of that address; nil if there is none.
        MemberAccessLevelResult: The rights that a member still has, and where they come from.
            access_level: The rights of the member; nil for nothing.
            warning: A text for the user about why; nil if there is none.
            access_details: Folders above by which the member has that right; nil if the caller must not see them.
        MemberAction: Actions on a member of a folder.
            leave_a_copy: Letting the member keep a copy on leaving.
            make_editor: Making the member an editor.
            make_owner: Making the member the owner.
            make_viewer: Making the member one who may read and comment.
            make_viewer_no_comment: Making the member one who may read.
            remove: Taking the member out.
        MemberPermission: Whether the user may do something with a member.
        MemberPolicy: The people who may be a member of a folder.
            team: People of the team only.
            anyone: All people.
            team_and_approved: People of the team, and those whom it has approved.
        MemberSelector: A person or a group.
            dropbox_id: The id of an account, of a member of a team or of a group.
            email: The e-mail address of a person, who need not have an account.
        MembershipInfo: The membership of a person or group.
            access_type: The rights of the member.
            permissions: For each action that was asked about, whether the user may do it with the member; nil if none was.
            initials: Never set.
            is_inherited: Whether the membership comes of a folder above.
        ParentFolderAccessInfo: A folder above by which a member has rights.
            folder_name: The name of the folder.
            permissions: The actions on the member that the user may do in that folder.
            path: The path of the folder in the caller's tree.
        SharedFileMembers: A page of the members of a file.
            users: The members with an account.
            groups: The groups that are members.
            invitees: The people who are invited.
        SharedFolderMembers: A page of the members of a folder.
            users: The members with an account.
            groups: The groups that are members.
            invitees: The people who are invited.
        UserFileMembershipInfo: A user who is a member of a file.
            time_last_seen: When the user looked at the file last; nil if never, or if the plan does not tell.
            platform_type: With what the user looked at it last; nil if that is not known.
        UserInfo: A user, as a member.
            account_id: The account of the user.
            email: The e-mail address of the account.
            display_name: The name to be shown.
            same_team: Whether the user is of the caller's own team.
            team_member_id: The id of the user in a team; nil unless it is the caller's own team.
        UserMembershipInfo: A user who is a member.
            user: The user.
        """
}
