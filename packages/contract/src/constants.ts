/** Business constants and limits of the specification, section 9. */
export const constants = {
  request_timeout_ms: 60_000,
  batch_timeout_ms: 1_200_000,
  cloud_timeout_s: 7_200,
  chunk_timeout_ms: 120_000,
  app_parameters_hours: 5,
  debounce_ms: 200,
  throttle_ms: 1_000,
  /** "Default storage path: the device's emulated storage root": Android's, of its first user. */
  device_storage_root: '/storage/emulated/0',
  pushed_local_file_days: 30,
  device_file_cache_days: 30,
  device_file_max_bytes: 512 * 1024 ** 2,
  /** What one account may have in transfers that are still kept. */
  device_file_cache_bytes: 5 * 1024 ** 3,
  device_log_max_bytes: 16 * 1024 ** 2,
  log_retention_months: 1,
  operation_log_retention_months: 3,
  device_data_retention_months: 6,
  export_days: 7,
  file_name_max: 255,
  /** In UTF-8: what file systems of devices hold. */
  file_name_bytes: 255,
  config_file_bytes: 1_048_576,
  istage_templates_max: 500,
  istage_configs_max: 2_000,
  alias_max: 36,
  sn_max: 36,
  base_os_version: { min: 2, max: 35 },
  collection: {
    battery_percent: 5,
    wifi: 10,
    mobile: 5,
    every_hours: 2,
    location_metres: 30,
    location_hours: 24,
    variation: { min: 1, max: 99 },
  },
  screen_lock_min: 4,
  manage_password_min: 6,
  ring_min_seconds: 2,
  /** dBm: at or below -100 nothing, at or above -55 full, four levels between. */
  signal: { min: -100, max: -55, levels: 4 },
  prompt_reminder_minutes: [10, 30, 60],
  force_install_warning_seconds: 60,
  expiry_red_days: 3,
  expiry_orange_days: 30,
  back_to_top: { after_px: 100, offset_px: 80 },
  private_ports: { http: 10101, https: 10102, mqtt: 10103, mqtts: 10104, metrics: 10105 },
  private_accounts: 2,
  unlimited_devices: 999_999_999_999,
  group_depth: 10,
  qrcode_minutes: 10,
  /** More does not fit into a QR code at its lowest error correction. */
  qrcode_text_bytes: 2_900,
  announcement_days: 7,
  session: { idle_hours: 12, absolute_days: 7 },
  /** How long a link to set a password holds. */
  password_link: { invitation_hours: 7 * 24, reset_minutes: 60 },
  password_confirmed_minutes: 5,
  /** Destructive acts on so many devices of an account within an hour ask for the password again. */
  password_from_devices: 10,
  /** What one account may scrap within an hour, and so what a stolen session can do. */
  scrapped_per_hour: 1_000,
  /** Devices of one account that a factory reset may be sent to within an hour. */
  factory_reset_per_hour: 1_000,
  /** Devices of one account that an OS may be pushed to within an hour. */
  os_push_per_hour: 10_000,
  /** Devices of one account that may be shut down within an hour: somebody has to walk to each of them. */
  shutdown_per_hour: 10_000,
  /** Devices of one account that apps may be removed from within an hour. */
  app_uninstall_per_hour: 10_000,
  /** Lists and devices that a customer, its sub-accounts included, may export within an hour: each reads a whole list. */
  exports_per_hour: 300,
  /** How long the scrapping of `password_from_devices` devices or more can be stopped. */
  scrap_delay_seconds: 60,
  /** How long who loosens the limit from which a second person approves pushes is held to the former one. */
  approval_held_hours: 24,
  admin_weight: 1000,
  api_tokens_max: 50,
  webhooks_max: 20,
  /** Messages that wait for one webhook, and for all of a customer, its sub-accounts included. */
  webhook_waiting_max: 5_000,
  webhook_waiting_of_customer: 20_000,
  default_disk_space: 10 * 1024 ** 3,
  puzzle: { min_ms: 300, max_ms: 30_000, tolerance_px: 5 },
} as const
export const mapTypes = { baidu: '1', open_street_map: '2' } as const
export const accountTypes = { account: 1, sub_account: 2, user_account: 3, ops_account: 101 } as const
/** Special values where a device group's kid is asked for. */
export const groupValues = { all: 'ALL', none: 'NO_GROUP', root: 'ROOT' } as const
/** dBm -> 0..4 bars. */
export const signalLevel = (dbm: number): number => {
  const { min, max, levels } = constants.signal
  return Math.max(0, Math.min(levels, Math.round(((dbm - min) / (max - min)) * levels)))
}
