// Sentences about teams and their members.

extension FieldWords {
    static let teamMembers = """
        fields:
            user: The member, by id, e-mail address or external id.
            team_member_id: The id of the member, `dbmid:…`.
        MemberAddArgBase: A person to add to the team.
            member_email: The e-mail address of the person.
            member_given_name: The first name; nil for none.
            member_surname: The last name; nil for none.
            member_external_id: The id that the team's own directory has for the person; nil for none.
            member_persistent_id: The id for logins by SAML; nil for none. Only for teams that have such ids.
            send_welcome_email: Whether the person gets an invitation by e-mail, which is needed unless another program invites.
            is_directory_restricted: Whether the member is hidden from others in the team's directory; nil for no.
        MemberAddResultBase: The result for one person to add; of each failure the payload is the e-mail address.
            team_license_limit: The team has no licence left.
            free_team_member_limit_reached: The team's free plan has no place left.
            user_already_on_team: The person is in the team already, or invited.
            user_on_another_team: The person is in another team.
            user_already_paired: The account is joined with another one already.
            user_migration_failed: The account could not be moved into the team.
            duplicate_external_member_id: Another member has this external id.
            duplicate_member_persistent_id: Another member has this id for SAML.
            persistent_id_disabled: The team has no ids for SAML.
            user_creation_failed: The account could not be made.
        MemberAddV2Arg: A person to add to the team, with roles.
            role_ids: The role of the new member; nil for none.
        MemberAddV2Result: The result for one person to add.
            success: The person is invited or a member; the payload tells about the member.
        MemberProfile: The facts of a member of the team.
            external_id: The id that the team's own directory has for the member; nil for none.
            account_id: The id of the member's account, `dbid:…`; nil as long as there is none.
            email: The e-mail address of the member.
            email_verified: Whether the member has confirmed the address.
            secondary_emails: Further addresses; nil if the server does not tell.
            status: Whether the member is active, invited, suspended or removed.
            name: The name of the member.
            membership_type: Whether the member needs a licence.
            invited_on: When the member was invited; nil if that is not known.
            joined_on: When the member joined; nil if that has not happened.
            suspended_on: When the member was suspended; nil if that is not so.
            persistent_id: The id for logins by SAML; nil for none.
            is_directory_restricted: Whether the member is hidden from others in the team's directory; nil for no.
            profile_photo_url: An address of the member's picture; nil if there is none.
        MembersAddArgBase: How members are added.
            force_async: Whether it becomes a job in any case, also if it is little.
        MembersAddJobStatusV2Result: The state of a job that adds members.
            complete: The job has ended, with a result for each person, in the order of the request.
            failed: The job has failed; the payload says why, in words.
        MembersAddLaunchV2Result: The result of `membersAddV2`: one for each person, or the id of a job.
            complete: A result for each person, in the order of the request.
        MembersAddV2Arg: The argument of `membersAddV2`.
            new_members: The people to add, 20 at most.
        MembersDataTransferArg: The argument of `membersMoveFormerMemberFiles`.
            transfer_dest_id: The member who gets the files.
            transfer_admin_id: The administrator who is told of errors by e-mail.
        MembersDeactivateArg: A member to suspend, and whether the files on devices stay.
            wipe_data: Whether the files are deleted on the member's devices.
        MembersDeactivateBaseArg: A member to deal with.
        MembersGetInfoItemBase: The result for one member who was asked about.
            id_not_found: There is no member of the payload's id or address.
        MembersGetInfoItemV2: The result for one member who was asked about.
            member_info: The member.
        MembersGetInfoV2Arg: The argument of `membersGetInfoV2`.
            members: The members, by id, e-mail address or external id.
        MembersGetInfoV2Result: The result of `membersGetInfoV2`.
            members_info: One item for each member, in the order of the request.
        MembersListArg: The argument of `membersListV2`.
            limit: How many members a page has at most.
            include_removed: Whether former members come along.
        MembersListContinueArg: The argument of `membersListContinueV2`.
            cursor: The cursor of the page before.
        MembersListV2Result: A page of members.
            members: The members of this page.
            cursor: The cursor of the next page.
            has_more: Whether there are further pages.
        MembersRecoverArg: The argument of `membersRecover`.
        MembersRemoveArg: The argument of `membersRemove`.
            transfer_dest_id: The member who gets the files; nil for none, and the files stay with the former member.
            transfer_admin_id: The administrator who is told of errors by e-mail; needed with `transferDestID`.
            keep_account: Whether the person keeps the account as a Basic one. `wipeData` must be false then.
            retain_team_shares: Whether the person keeps folders of the team that are shared with the account itself. `keepAccount` must be true then.
            permanently_delete_files: Whether the files are deleted for ever, so that no member can get them.
        MembersSetPermissions2Arg: The argument of `membersSetAdminPermissionsV2`.
            new_roles: The new role; an empty list takes all roles away, and so does nil.
        MembersSetPermissions2Result: The result of `membersSetAdminPermissionsV2`.
            roles: The roles that the member has now; nil if the server does not tell.
        MembersSetProfileArg: The argument of `membersSetProfileV2`. Each that is nil stays.
            new_email: The new e-mail address.
            new_external_id: The new id of the team's own directory.
            new_given_name: The new first name.
            new_surname: The new last name.
            new_persistent_id: The new id for logins by SAML. Only for teams that have such ids.
            new_is_directory_restricted: Whether the member is hidden from others in the team's directory.
        MembersUnsuspendArg: The argument of `membersUnsuspend`.
        RemovedStatus: The state of a former member.
            is_recoverable: Whether `membersRecover` can bring the member back.
            is_disconnected: Whether the account lives on without the team.
        TeamGetInfoResult: The result of `getInfo`.
            name: The name of the team.
            team_id: The id of the team.
            num_licensed_users: How many licences the team has.
            num_provisioned_users: How many members are active or invited.
            num_used_licenses: How many licences are in use.
            policies: The policies for members.
        TeamMemberInfoV2: A member, with roles.
            profile: The facts of the member.
            roles: The roles of the member; nil if the server does not tell.
        TeamMemberInfoV2Result: A member, as a call has left it.
            member_info: The member.
        TeamMemberProfile: The facts of a member, with groups and folders.
            groups: The ids of the groups that the member is in.
            member_folder_id: The namespace of the member's own folder.
            root_folder_id: The namespace in which the member's tree begins.
        TeamMemberRole: A role of administrators.
            role_id: The id of the role.
            name: The name of the role, to be shown.
            description: An explanation of the role.
        TeamMemberStatus: Whether a member is part of the team.
            active: The member has joined.
            invited: The member has not joined yet.
            suspended: The member is shut out for now, and can be let in again.
            removed: The member is no longer part of the team.
        TeamMembershipType: Whether a member needs a licence.
            full: The member has a licence and shares the team's space.
            limited: The member has no licence and no part in the team's space.
        TokenGetAuthenticatedAdminResult: The result of `tokenGetAuthenticatedAdmin`.
            admin_profile: The administrator who gave the token.
        UserSelectorArg: A member, by one of the names that it has.
            team_member_id: The id of the member, `dbmid:…`.
            external_id: The id of the team's own directory.
            email: The e-mail address.
        """

    static let teamErrors = """
        cases:
            user_not_found: There is no such user.
            user_not_in_team: The team has no such member.
            team_license_limit: The team has no licence left.
            invalid_cursor: The text is no cursor, or one that has expired.
        MemberSelectorError: Why a member cannot be dealt with.
        MembersDeactivateError: Why a member cannot be shut out or removed.
        MembersGetInfoError: Reasons for which `membersGetInfoV2` fails.
        MembersListContinueError: Reasons for which `membersListContinueV2` fails.
        MembersListError: Reasons for which `membersListV2` fails.
        MembersPermanentlyDeleteFilesError: Why the files of a member cannot be deleted for ever.
            transfer_in_progress: They are just being moved to another member.
            already_transferred: They were moved to another member.
            already_transferred_or_deleted: They were moved or deleted before.
        MembersRecoverError: Reasons for which `membersRecover` fails.
            user_unrecoverable: The account has gone.
        MembersRemoveError: Reasons for which `membersRemove` fails.
            remove_last_admin: The member is the last administrator.
            cannot_keep_account_and_transfer: `keepAccount` and a move of the files exclude each other.
            cannot_keep_account_and_delete_data: `keepAccount` and `wipeData` exclude each other.
            cannot_keep_account_and_permanently_delete: `keepAccount` and `permanentlyDeleteFiles` exclude each other.
            email_address_too_long_to_be_disabled: The e-mail address is too long to be marked as that of a former member.
            cannot_keep_invited_user_account: The person has not joined yet, and has no account to keep.
            cannot_retain_shares_when_data_wiped: `retainTeamShares` and `wipeData` exclude each other.
            cannot_retain_shares_when_no_account_kept: `retainTeamShares` needs `keepAccount`.
            cannot_retain_shares_when_team_external_sharing_off: `retainTeamShares` needs a team that shares with people outside.
            cannot_keep_account: The account of this member cannot be kept.
            cannot_keep_account_under_legal_hold: The content of the member is held for legal reasons.
            cannot_keep_account_required_to_sign_tos: The person has to agree to Dropbox's terms before.
            cannot_permanently_delete_and_transfer: `permanentlyDeleteFiles` and a move of the files exclude each other.
            member_is_transfer_destination: The files of another member are just being moved to this one.
        MembersSetPermissions2Error: Reasons for which `membersSetAdminPermissionsV2` fails.
            last_admin: The member is the last administrator.
            cannot_set_permissions: The roles of this member cannot be changed now, for example because it is suspended.
            role_not_found: The team has no role of this id.
        MembersSetProfileError: Reasons for which `membersSetProfileV2` fails.
            external_id_and_new_external_id_unsafe: A member that is named by its external id cannot get another one in the same call.
            no_new_data_specified: The call would change nothing.
            email_reserved_for_other_user: Another user has the e-mail address.
            external_id_used_by_other_user: Another member has the external id.
            set_profile_disallowed: The member was removed, and cannot be changed.
            param_cannot_be_empty: A new value is empty.
            persistent_id_disabled: The team has no ids for SAML.
            persistent_id_used_by_other_user: Another member has this id for SAML.
            directory_restricted_off: The team cannot hide members in its directory.
        MembersSuspendError: Reasons for which `membersSuspend` fails.
            suspend_inactive_user: The member is not active.
            suspend_last_admin: The member is the last administrator.
        MembersTransferFilesError: Why the files of a member cannot be moved to another one.
            removed_and_transfer_dest_should_differ: The files would move to the member itself.
            removed_and_transfer_admin_should_differ: The administrator to be told is the member itself.
            transfer_dest_user_not_found: There is no user who could get the files.
            transfer_dest_user_not_in_team: The user who would get the files is not in the team.
            transfer_admin_user_not_in_team: The administrator to be told is not in the team.
            transfer_admin_user_not_found: There is no such administrator to be told.
            unspecified_transfer_admin_id: The administrator to be told is missing.
            transfer_admin_is_not_admin: The user to be told is no administrator.
            recipient_not_verified: The user who would get the files has not confirmed the e-mail address yet.
        MembersTransferFormerMembersFilesError: Reasons for which `membersMoveFormerMemberFiles` fails.
            user_data_is_being_transferred: The files are just being moved.
            user_not_removed: The member is still in the team.
            user_data_cannot_be_transferred: The files of this member cannot be moved.
            user_data_already_transferred: The files were moved before.
        MembersUnsuspendError: Reasons for which `membersUnsuspend` fails.
            unsuspend_non_suspended_member: The member is not suspended.
        TokenGetAuthenticatedAdminError: Reasons for which `tokenGetAuthenticatedAdmin` fails.
            mapping_not_found: The token does not say who gave it; a new login makes one that does.
            admin_not_active: The user who gave it is no longer an administrator.
        UserSelectorError: Why a user cannot be dealt with.
        """
}
