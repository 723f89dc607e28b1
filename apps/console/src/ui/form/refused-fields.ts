import { errors } from '@mdm/contract'

/**
 * Refusals of the catalogue that are about one field by their nature, by their code: the name is there already, the code
 * does not match. Of several fields it is the first that the form has; a form with none of them says it above the fields.
 */
export const refusedFields: Readonly<Record<number, readonly string[]>> = {
  // Devices and their groups
  [errors.registered_devices_exceed_limit.result]: ['terminal_max'],
  [errors.sn_too_long.result]: ['sn'],
  [errors.alias_too_long.result]: ['name'],
  [errors.alias_has_percent.result]: ['name'],
  [errors.device_unknown.result]: ['sn'],
  [errors.device_already_registered.result]: ['sn'],
  [errors.registration_code_mismatch.result]: ['registration_code'],
  [errors.group_unknown.result]: ['terminal_group_kid', 'parent_kid', 'group_kids'],
  [errors.device_scrapped.result]: ['sn'],
  [errors.group_name_taken.result]: ['name'],
  [errors.group_too_deep.result]: ['target_parent_kid', 'parent_kid'],
  [errors.group_into_itself.result]: ['target_parent_kid'],
  // People, roles and accounts
  [errors.password_wrong.result]: ['old_password'],
  [errors.role_weight.result]: ['weight', 'role_kids'],
  [errors.role_beyond_own.result]: ['permissions', 'role_kids'],
  [errors.role_into_itself.result]: ['parent_kid'],
  [errors.role_unknown.result]: ['role_kids', 'parent_kid'],
  [errors.terminal_max_below_count.result]: ['terminal_max'],
  [errors.fae_unknown.result]: ['fae_kid'],
  // Names that are taken
  [errors.duplicate_name.result]: ['name'],
  [errors.duplicate_code.result]: ['code'],
  [errors.duplicate_login_name.result]: ['username'],
  [errors.duplicate_email.result]: ['email'],
  [errors.duplicate_phone.result]: ['phone'],
  [errors.duplicate_role.result]: ['code'],
  [errors.duplicate_model.result]: ['code'],
  [errors.duplicate_version.result]: ['version_code'],
  [errors.duplicate_uid.result]: ['reserve_code'],
  // OS versions and custom OS
  [errors.uid_base_wrong.result]: ['base_uid_kid', 'uid_kid'],
  [errors.os_uid_unknown.result]: ['uid_kid'],
  [errors.os_version_taken.result]: ['os_version'],
  [errors.os_code_ver_taken.result]: ['version_code'],
  [errors.os_from_unknown.result]: ['from_kid'],
  [errors.os_from_same.result]: ['from_kid'],
  [errors.os_from_newer.result]: ['from_kid'],
  [errors.os_address_refused.result]: ['url'],
  [errors.oscs_model_unknown.result]: ['model_kid'],
  [errors.oscs_base_not_ready.result]: ['base_kid'],
  [errors.os_picture_invalid.result]: ['picture_upload_kid'],
  [errors.os_custom_model_fixed.result]: ['base_kid'],
  [errors.os_key_wrong.result]: ['public_key'],
  [errors.base_os_exists.result]: ['base_os_version'],
  // Files and apps
  [errors.file_name_invalid.result]: ['name'],
  [errors.file_folder_unknown.result]: ['folder_kid'],
  [errors.file_folder_within_itself.result]: ['folder_kid'],
  [errors.app_package_taken.result]: ['package'],
  [errors.app_version_lower.result]: ['version_code'],
  [errors.app_dependency_unknown.result]: ['dependency_kids'],
  [errors.app_dependency_cycle.result]: ['dependency_kids'],
  [errors.app_category_unknown.result]: ['category_kid', 'parent_kid'],
  // What else is set up
  [errors.menu_parent_unknown.result]: ['p_id'],
  [errors.webhook_address_refused.result]: ['url'],
  [errors.fence_password_missing.result]: ['password'],
}
