import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What fills the sentence of a refusal, which every reader gets in the own language. Null: of an older release.
  `ALTER TABLE operation_log ADD COLUMN message_details jsonb`,
  // What a device last said of its apps (path '') and of each part of a folder, for when it is offline.
  `CREATE TABLE device_listing (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('apps', 'folder')),
    path text NOT NULL,
    after text NOT NULL,
    items jsonb NOT NULL,
    next text,
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, kind, path, after)
  )`,
  `CREATE INDEX device_listing_old ON device_listing (reported_at)`,
  // Whole percents: most reports change nothing of it.
  `ALTER TABLE terminal_state ADD COLUMN storage_percent smallint GENERATED ALWAYS AS (
    CASE WHEN (run ->> 'storage_total')::numeric > 0 THEN
      least(100, round(100 * (run ->> 'storage_used')::numeric / (run ->> 'storage_total')::numeric))::smallint
    END) STORED`,
  `CREATE INDEX terminal_state_low_storage ON terminal_state (account_kid, storage_percent, terminal_kid)
    WHERE storage_percent >= 90`,
  // How many devices of a group, or of none, were online at a moment of the last day.
  `CREATE TABLE online_sample (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_group_kid uuid,
    at timestamptz NOT NULL,
    online integer NOT NULL
  )`,
  `CREATE INDEX online_sample_of ON online_sample (account_kid, at)`,
  `CREATE INDEX online_sample_old ON online_sample (at)`,
]

/** Delivered menu entries that nobody has renamed. */
const renamed: readonly (readonly [code: string, old: string, name: Record<'en' | 'vi' | 'zh-cn', string>])[] = [
  ['externalUserManageList', 'External users', { en: 'Customers', vi: 'Khách hàng', 'zh-cn': '客户' }],
  [
    'deviceList:cancel',
    'Cancel or scrap devices',
    { en: 'Deregister or scrap devices', vi: 'Hủy đăng ký hoặc loại bỏ thiết bị', 'zh-cn': '注销或报废设备' },
  ],
  ['deviceDetailPushMessage', 'Push message', { en: 'Push message', vi: 'Gửi tin nhắn', 'zh-cn': '推送消息' }],
  ['deviceDetailPushMessage:push', 'Push a message', { en: 'Push a message', vi: 'Gửi tin nhắn', 'zh-cn': '推送消息' }],
  ['deviceDetailFsCapture', 'Screen captures', { en: 'Screenshots', vi: 'Ảnh chụp màn hình', 'zh-cn': '屏幕截图' }],
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  for (const [code, old, name] of renamed) {
    await sql`
      UPDATE menu_tree SET name = ${JSON.stringify(name)}::jsonb
      WHERE code = ${code} AND is_seeded AND name ->> 'en' = ${old}
    `.execute(db)
  }
  await phonesToDigits(db)
}

/**
 * A phone number is kept as its digits, so that the same number written with a space is not another one. Where two people
 * have the same number already, the older keeps it so and the other's stays as it was written until it is next saved.
 */
export async function phonesToDigits(db: Kysely<unknown>): Promise<void> {
  await sql`
    UPDATE user_account u SET phone = d.digits
    FROM (
      SELECT DISTINCT ON (regexp_replace(phone, '[^0-9+]', '', 'g'))
        kid, regexp_replace(phone, '[^0-9+]', '', 'g') AS digits
      FROM user_account WHERE phone IS NOT NULL
      ORDER BY regexp_replace(phone, '[^0-9+]', '', 'g'), (phone ~ '[^0-9+]'), kid
    ) d
    WHERE u.kid = d.kid AND u.phone <> d.digits
  `.execute(db)
}
