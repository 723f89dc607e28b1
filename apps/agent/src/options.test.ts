import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentName, environmentOf, readSettings, settings, settingsHelp } from './options.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-options-'))))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: object | string): string {
  const path = join(folder, 'agent.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('docs/linux-agent.md lists every setting as --help does', () => {
  const page = readFileSync(new URL('../../../docs/linux-agent.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ')
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ')
  for (const [name, setting] of Object.entries(settings)) {
    const { takes, says, default: usual = '' } = setting as { takes: string; says: string; default?: string }
    expect(page).toContain(
      `| \`${name}\` | ${takes.replaceAll('|', ' or ')} | ${says} | ${usual}${usual === '' ? '' : ' '}|`,
    )
    expect(plain(settingsHelp())).toContain(plain(`--${name} ${takes} ${says}`))
  }
})

test('a setting comes from the command line, the environment or the file, in this order', () => {
  const path = file({
    server: 'https://file',
    sn: 'F',
    'state-every': 60,
    'lock-command': ['loginctl', 'lock sessions'],
  })
  const env = { MDM_AGENT_SERVER: 'https://environment', MDM_AGENT_SN: 'E', MDM_AGENT_DATA: '' }
  expect(readSettings(['--settings', path, '--server', 'https://line'], env)).toEqual({
    server: 'https://line',
    sn: 'E',
    'state-every': '60',
    'lock-command': '["loginctl","lock sessions"]',
  })
  expect(readSettings([], { MDM_AGENT_SETTINGS: path })).toMatchObject({ server: 'https://file' })
  expect(environmentName('factory-reset-command')).toBe('MDM_AGENT_FACTORY_RESET_COMMAND')
  expect(environmentOf({ 'lock-command': 'x' })).toEqual({ MDM_AGENT_LOCK_COMMAND: 'x' })
})

test('a file that is not as it has to be is named', () => {
  expect(() => readSettings(['--settings', file({ sever: 'x' })], {})).toThrow('there is no setting sever')
  expect(() => readSettings(['--settings', file('{')], {})).toThrow('--settings:')
  expect(() => readSettings(['--settings', file({ server: true })], {})).toThrow('server')
  expect(() => readSettings(['--settings', join(folder, 'none')], {})).toThrow('ENOENT')
  expect(() => readSettings(['--sever', 'x'], {})).toThrow("Unknown option '--sever'")
})
