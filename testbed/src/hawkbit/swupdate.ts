import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpioOf } from '@mdm/server/testing/os-images.ts'

const is_there = ['swupdate', 'openssl'].every((program) => spawnSync(program, ['version']).error === undefined)
/** Why there is no SWUpdate to test with, or undefined. */
export const swupdate_missing = is_there ? undefined : 'no swupdate or openssl: apt-get install -y swupdate openssl'

type Started = { stop(): Promise<void>; said(): string }
const path = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

/** A machine with Debian's SWUpdate, which takes what is signed by one publisher, and the publisher. */
export async function swupdateMachine({ server, id, attributes }: { server: string; id: string; attributes: object }) {
  const folder = await mkdtemp(join(tmpdir(), 'swupdate-'))
  const at = (name: string) => join(folder, name)
  await mkdir(at('tmp'))
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('key.pem'), '-out', at('cert.pem'), '-days', '3650']
  execFileSync('openssl', ['req', '-x509', ...key, '-subj', '/CN=Acme'], { stdio: 'ignore', env: path })
  const identify = Object.entries(attributes).map(
    ([name, value]) => `{ name = "${name}"; value = "${String(value)}"; }`,
  )
  writeFileSync(at('swupdate.cfg'), `globals: { verbose = true; };\nidentify: ( ${identify.join(', ')} );\n`)
  const running = new Set<Started>()

  return {
    target: at('target.txt'),
    /** An image that writes the target. */
    image(content: string, { version = '2.0', broken = false } = {}): Buffer {
      const digest = createHash('sha256')
        .update(broken ? 'other' : content)
        .digest('hex')
      const file = `filename = "target.txt"; path = "${at('target.txt')}"; sha256 = "${digest}";`
      const text = `software = { version = "${version}"; hardware-compatibility: [ "1.0" ]; files: ( { ${file} } ); };\n`
      writeFileSync(at('sw-description'), text)
      const out = ['-in', at('sw-description'), '-out', at('sw-description.sig'), '-outform', 'DER']
      const by = ['-signer', at('cert.pem'), '-inkey', at('key.pem'), '-nosmimecap', '-binary']
      execFileSync('openssl', ['cms', '-sign', ...out, ...by], { stdio: 'ignore', env: path })
      return cpioOf([
        ['sw-description', text],
        ['sw-description.sig', readFileSync(at('sw-description.sig'))],
        ['target.txt', content],
      ])
    },
    /** Begins it; with `confirm` it says after its restart what became of the update: 2 is success, 3 is failure. */
    start(token: string, { confirm, slow = false }: { confirm?: 2 | 3; slow?: boolean } = {}): Started {
      const more = `${confirm === undefined ? '' : ` -c ${confirm}`}${slow ? ' -n 50k -w 1' : ''}`
      const ask = `-t default -u ${server} -i ${id} ${token} -p 5${more}`
      const args = ['-v', '-f', at('swupdate.cfg'), '-k', at('cert.pem'), '-H', 'acme:1.0', '-u', ask]
      const child = spawn('swupdate', args, { env: { ...path, TMPDIR: at('tmp') }, detached: true })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      const started: Started = {
        said: () => said,
        async stop() {
          running.delete(started)
          // It has processes of its own.
          if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
          await gone
        },
      }
      running.add(started)
      return started
    },
    async [Symbol.asyncDispose]() {
      for (const each of running) await each.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
