import { expect, test } from 'vitest'
import { api } from '../../../core/api.ts'
import { emptyGms, gmsInput } from './gms-draft.ts'

const kid = '01890000-0000-7000-8000-000000000000'
const { input } = api.terminalQrcode.qrcode_gms_registered
const base = { ...emptyGms('mdm', 'NO_GROUP'), component_name: 'com.example/.Admin' }

test('a part of the QR code that was not chosen is left out, whatever was typed there before', () => {
  const typed = {
    ...base,
    source: 'kept' as const,
    apk_kid: kid,
    download_url: 'https://cdn.example/a.apk',
    signature_checksum: 'A'.repeat(43),
    wifi: { ssid: 'Depot', security_type: 'WPA' as const, password: 'long enough', is_hidden: false },
    host: '  ',
  }
  expect(gmsInput(typed)).toEqual({
    agent_kind: 'mdm',
    component_name: 'com.example/.Admin',
    apk_kid: kid,
    terminal_group_kid: 'NO_GROUP',
    leave_all_system_apps_enabled: true,
    use_mobile_data: false,
    admin_extras: {},
  })
  expect(gmsInput({ ...typed, source: 'upload' }, kid)).toMatchObject({ upload_kid: kid })
  expect(gmsInput({ ...typed, qrcode_kid: kid })).not.toHaveProperty('terminal_group_kid')
  expect(gmsInput({ ...typed, has_wifi: true, wifi: { ...typed.wifi, security_type: 'NONE' } }).wifi).toMatchObject({
    password: '',
  })
})

test('values go out in the type that was chosen, and the contract accepts them', () => {
  const made = gmsInput(
    {
      ...base,
      has_wifi: true,
      wifi: { ssid: 'Depot', security_type: 'WPA', password: 'long enough', is_hidden: true },
      extras: [
        { key: ' site ', kind: 'text', value: '5' },
        { key: 'retries', kind: 'number', value: '5' },
        { key: 'kiosk', kind: 'yes_no', value: true },
        { key: 'beta', kind: 'yes_no' },
      ],
    },
    kid,
  )
  expect(made.admin_extras).toEqual({ site: '5', retries: 5, kiosk: true, beta: false })
  expect(input.safeParse(made).success).toBe(true)
})
