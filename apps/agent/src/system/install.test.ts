import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../cli.ts'

const has_systemd = spawnSync('systemd-analyze', ['--version']).status === 0

let folder: string
let count = 0
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-install-'))))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

/** Runs a command of the agent and says what it printed. */
async function run(...args: string[]): Promise<{ code: number; said: string }> {
  let said = ''
  const listen = (chunk: unknown) => {
    said += String(chunk)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(listen))
  process.exitCode = 0
  await main(args)
  for (const spy of spies) spy.mockRestore()
  return { code: Number(process.exitCode), said }
}
function image(): string {
  const root = join(folder, `root-${(count += 1)}`)
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  for (const program of ['mdm-agent', 'systemd-notify'])
    writeFileSync(join(root, 'usr/bin', program), '#!/bin/sh\n', { mode: 0o755 })
  return root
}
const settingsIn = (root: string) => JSON.parse(readFileSync(join(root, 'etc/mdm-agent/agent.json'), 'utf8')) as object
const unit = (root: string, name: string) => readFileSync(join(root, 'etc/systemd/system', name), 'utf8')

test('install writes settings and units that start with the machine; done again it keeps what is not named', async () => {
  const root = image()
  const lock = '["loginctl","lock-sessions"]'
  const options = ['--root', root, '--server', 'https://mdm.example.com', '--qrcode', 'f3a1', '--lock-command', lock]
  expect((await run('install', ...options)).code).toBe(0)
  const written = {
    server: 'https://mdm.example.com',
    qrcode: 'f3a1',
    'lock-command': lock,
    data: '/var/lib/mdm-agent',
  }
  expect(settingsIn(root)).toEqual(written)
  expect(statSync(join(root, 'etc/mdm-agent/agent.json')).mode & 0o777).toBe(0o640)
  const service = unit(root, 'mdm-agent.service')
  for (const line of [
    'Environment=MDM_AGENT_SLOTS=/var/lib/mdm-agent/agent',
    'User=mdm-agent',
    'Type=notify',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'Restart=always',
  ])
    expect(service.split('\n')).toContain(line)
  expect(readlinkSync(join(root, 'etc/systemd/system/multi-user.target.wants/mdm-agent.service'))).toContain(
    'mdm-agent.service',
  )
  expect((await run('install', '--root', root, '--files', '/srv/pushed', '--packages', 'no')).code).toBe(0)
  expect(settingsIn(root)).toEqual({ ...written, files: '/srv/pushed', packages: 'no' })
  expect(unit(root, 'mdm-agent.service')).toContain('ReadWritePaths=-/srv/pushed\n')
  const status = await run('status', '--root', root)
  expect(status).toMatchObject({
    code: 3,
    said: expect.stringMatching(/server +https:\/\/mdm\.example\.com\nregistered +no/),
  })
  await run('uninstall', '--root', root)
  expect([
    existsSync(join(root, 'etc/systemd/system/mdm-agent.service')),
    existsSync(join(root, 'etc/mdm-agent/agent.json')),
  ]).toEqual([false, true])
  await run('uninstall', '--purge', '--root', root)
  expect(existsSync(join(root, 'etc/mdm-agent'))).toBe(false)
})

test('what cannot be installed is said, and nothing is written', async () => {
  const root = image()
  const wrong: [string, string[]][] = [
    ['--server is missing', []],
    ['whole path', ['--server', 'https://mdm.example.com', '--files', 'pushed']],
    ['yes or no', ['--server', 'https://mdm.example.com', '--packages', 'maybe']],
    ['MDM_AGENT_LOCK_COMMAND', ['--server', 'https://mdm.example.com', '--lock-command', '[1]']],
    ["Unknown option '--sever'", ['--sever', 'https://mdm.example.com']],
  ]
  for (const [says, args] of wrong) {
    const { code, said } = await run('install', '--root', root, ...args)
    expect([said.split('\n', 1)[0], code]).toEqual([expect.stringContaining(says), 2])
  }
  expect(existsSync(join(root, 'etc'))).toBe(false)
})

test.skipIf(!has_systemd)('systemd finds nothing wrong with the units (where systemd-analyze is there)', async () => {
  const root = image()
  await run('install', '--root', root, '--server', 'https://mdm.example.com')
  // Those of the system that ours name.
  for (const name of ['sysinit', 'basic', 'shutdown', 'network-online', 'sockets', 'multi-user'])
    writeFileSync(
      join(root, 'etc/systemd/system', `${name}.target`),
      `[Unit]\nDescription=${name}\nDefaultDependencies=no\n`,
    )
  const units = ['mdm-agent.service', 'mdm-agent-helper.socket', 'mdm-agent-helper.service']
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', `--root=${root}`, ...units], {
    encoding: 'utf8',
  })
  const ours = stderr.split('\n').filter((line) => line.includes('mdm-agent') && !/\.(slice|mount)/.test(line))
  expect([ours, status]).toEqual([[], 0])
})
