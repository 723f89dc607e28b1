import { expect, test } from 'vitest'
import { own_package, settingsAfter } from './settings.ts'

const device = { model: 'SM-T510', sn: 'WEB-1' }
const managed = (value: string) => ({ entries: [{ package: own_package, key: 'start_page', kind: 'text', value }] })

test.each([
  ['device_name', { option: 0, custom: 'Lobby' }, { name: 'Lobby' }],
  ['device_name', { option: 1, custom: '' }, { name: 'SM-T510' }],
  ['device_name', { option: 2, custom: '' }, { name: 'WEB-1' }],
  ['device_name', { option: -2, custom: '' }, { name: '' }],
  ['language', { locale: 'vi_VN' }, { language: 'vi_VN' }],
  ['kiosk', { mode: 'one_app', apps: [own_package], exit_password: '4711' }, { is_kiosk: true, exit_password: '4711' }],
  ['kiosk', { mode: 'off' }, { is_kiosk: false, exit_password: '' }],
  ['managed_apps', managed('https://menu.example/today'), { start_page: 'https://menu.example/today' }],
  ['managed_apps', { entries: [] }, { start_page: '' }],
])('%s %j', (section, value, settings) => {
  expect(settingsAfter(section, value, device)).toEqual({ outcome: { outcome: 'applied' }, settings })
})

test('a kiosk of an app that is no page is not obeyed, and says which one is', () => {
  const { outcome, settings } = settingsAfter('kiosk', { mode: 'one_app', apps: ['com.example.scan'] }, device)
  expect(outcome).toMatchObject({ outcome: 'not_supported', reason: 'no_hardware' })
  expect(outcome.message).toContain(own_package)
  expect(settings).toBeUndefined()
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'menu.example'])(
  'a start page that is no address of the web changes nothing: %s',
  (address) => {
    const { outcome, settings } = settingsAfter('managed_apps', managed(address), device)
    expect([outcome.outcome, settings]).toEqual(['failed', undefined])
  },
)

test('a section that no page can obey says so', () => {
  expect(settingsAfter('hardware', {}, device).outcome).toEqual({ outcome: 'not_supported', reason: 'unknown_section' })
})
