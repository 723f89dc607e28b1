import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { selfSigned } from './certificates.ts'
import { freePort } from './free-port.ts'

export const has_pebble = spawnSync('pebble', ['-version']).error === undefined

/** The authority that Let's Encrypt tests its clients with; it asks for challenges at `http_port` of the name that is ordered. */
export async function startPebble(http_port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-pebble-'))
  const [port, management_port] = [await freePort(), await freePort()]
  const at = (name: string) => join(folder, name)
  const { cert, key } = selfSigned()
  await writeFile(at('cert.pem'), cert)
  await writeFile(at('key.pem'), key)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management_port}`,
    certificate: at('cert.pem'),
    privateKey: at('key.pem'),
    httpPort: http_port,
    tlsPort: await freePort(),
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  await writeFile(at('config.json'), JSON.stringify({ pebble }))
  // It refuses one of twenty nonces, as authorities do.
  const authority = spawn('pebble', ['-config', at('config.json')], {
    stdio: 'ignore',
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' },
  })
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request({ host: '127.0.0.1', port: management_port, path, ca: cert, servername: 'localhost' }, (answer) =>
        resolve(text(answer)),
      )
        .on('error', reject)
        .end()
    })
  /** What browsers would know it by. */
  const root = await vi.waitFor(() => ask('/roots/0'))
  return {
    directory: `https://localhost:${port}/dir`,
    ca: at('cert.pem'),
    root,
    async close() {
      authority.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
