import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, globalAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Trials } from './body/body.ts'
import { httpRequest } from '#platform'
import { watchTrial } from './os-trial.ts'

const has_openssl = spawnSync('openssl', ['version']).status === 0

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-clock-'))))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => void delete globalAgent.options.ca)

describe.skipIf(!has_openssl)('certificates (where openssl is)', () => {
  test.each([
    ['not valid yet', '20990101000000Z', '20991231000000Z'],
    ['not valid any more', '20000101000000Z', '20001231000000Z'],
  ])('one that is %s by the clock of the device is told as that', async (says, from, to) => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const dates = ['-not_before', from, '-not_after', to]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
      ...dates,
    ])
    if (made.status !== 0) dated(key, cert, from, to)
    globalAgent.options.ca = readFileSync(cert)
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, answer) => answer.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const asking = httpRequest(url, { signal: AbortSignal.timeout(10_000) })
    await expect(asking).rejects.toThrow(`${says}, by the clock of this device: 20`)
    await new Promise((resolve) => server.close(resolve))
  })
})

/** For an openssl whose `req` has no dates: its small authority has. */
function dated(key: string, cert: string, from: string, to: string): void {
  const at = (name: string) => join(folder, name)
  const settings = `[ca]\ndefault_ca=c\n[c]\ndatabase=${at('index')}\nnew_certs_dir=${folder}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=IP:127.0.0.1\n`
  execFileSync('sh', ['-c', `: > ${at('index')}; printf '%s' "$1" > ${at('ca.cnf')}`, 'sh', settings])
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  run('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', at('request'), '-subj', '/CN=127.0.0.1')
  run(
    ...['ca', '-batch', '-selfsign', '-config', at('ca.cnf'), '-keyfile', key, '-in', at('request'), '-out', cert],
    ...['-startdate', from, '-enddate', to, '-extensions', 'e', '-notext'],
  )
}

test('a version on trial is not left because the clock was set from 1970 meanwhile', async () => {
  let now = new Date('1970-01-01T00:01:00Z')
  const due: (() => void)[] = []
  const clock = {
    now: () => now,
    after: (_ms: number, run: () => void) => {
      due.push(run)
      return () => {}
    },
  }
  const done: string[] = []
  const trials: Trials = {
    trial: async () => ({ id: 't', state: 'trying', confirm_seconds: 600, until: '1970-01-01T00:11:00Z' }),
    confirm: async () => void done.push('kept'),
    roll_back: async () => void done.push('left'),
  }
  const ended = new Promise<void>((resolve) => {
    const leave = async () => resolve()
    const watched = watchTrial({
      trials,
      what: 'the system',
      clock,
      signal: new AbortController().signal,
      leave,
      kept: resolve,
      log: () => {},
    })
    const turn = () => new Promise((next) => setImmediate(next))
    void (async () => {
      await turn()
      now = new Date('2026-11-27T12:00:00Z')
      due.shift()!()
      await turn()
      watched.heard()
      due.shift()!()
    })()
  })
  await ended
  expect(done).toEqual(['kept'])
})
