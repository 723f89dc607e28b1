import { constants } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGeocoder } from '@mdm/testbed/geocoder.ts'
import { startProvider } from '@mdm/testbed/oidc-provider.ts'
import { until } from '@mdm/testbed/until.ts'
import { cleanEnv, speak } from './demo-server.ts'
import type { Demo } from './demo-server.ts'
import { provider_name, providerPeople } from './provider-people.ts'

/** More than one page of 20 rows for the first customer, few enough for two cores. */
const devices = 36
const close_ms = 30_000

export type OwnDemo = { demo: Demo; end: () => Promise<void> }

export const demoFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'mdm-e2e-'))

/** A port that no outgoing connection is given by the system, so that a server may come back to it. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer()
    const is_free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (is_free) return port
  }
}

/** A demo of its own, which begins as `seed` does: a folder of a demo that is at rest. */
export async function startOwnDemo(seed: string, port: number): Promise<OwnDemo> {
  const data = await demoFolder()
  const erase = () => rm(data, { recursive: true, force: true })
  try {
    await cp(seed, data, { recursive: true, mode: constants.COPYFILE_FICLONE })
    const { demo, end } = await startDemo(data, port)
    return { demo, end: () => end().finally(erase) }
  } catch (error) {
    await erase()
    throw error
  }
}

/**
 * Starts a demo in a folder, beside a real OpenID Connect provider and a geocoder in this process. `end` fails when the
 * demo had internal errors or did not close gracefully.
 */
export async function startDemo(data: string, port = 0): Promise<OwnDemo> {
  const provider = await startProvider(providerPeople)
  const geocoder = await startGeocoder()
  const program =
    process.env['MDM_E2E_SOURCE'] === '1' ? ['--import', 'tsx', 'testbed/src/demo.ts'] : ['apps/server/dist/demo.js']
  const env = cleanEnv({
    MDM_DATA: data,
    MDM_HTTP_PORT: String(port),
    MDM_MQTT_PORT: '0',
    MDM_HTTP_HOST: '127.0.0.1',
    MDM_OIDC_ISSUER: provider.issuer,
    MDM_OIDC_CLIENT_ID: provider.client.client_id,
    MDM_OIDC_CLIENT_SECRET: provider.client.client_secret,
    MDM_OIDC_NAME: provider_name,
    MDM_GEOCODER_URL: geocoder.template,
    // Where receivers of the tests listen.
    MDM_WEBHOOK_ALLOW: '127.0.0.1',
    MDM_GATEWAY_HAWKBIT: 'true',
    MDM_GATEWAY_HEADWIND: 'true',
    MDM_GATEWAY_MENDER: 'true',
  })
  // What a test has seen of a list stays true while it reads on.
  const server = speak(process.execPath, [...program, '--devices', String(devices), '--steady'], env)
  const end = async () => {
    server.child.kill('SIGTERM')
    const late = setTimeout(() => server.child.kill('SIGKILL'), close_ms)
    const code = await server.ended
    clearTimeout(late)
    await provider.close()
    await geocoder.close()
    const errors = server
      .said()
      .split('\n')
      .filter((line) => /^\{"level":(50|60)/.test(line))
    if (errors.length > 0) throw new Error(`the server had internal errors:\n${errors.join('\n')}`)
    if (code !== 0) throw new Error(`the demo did not close gracefully (exit ${code}):\n${server.said()}`)
  }
  let is_over = false
  void server.ended.then(() => (is_over = true))
  try {
    // Whichever test comes first: its devices are there.
    await until(
      'the demo to be ready',
      () => {
        if (is_over) throw new Error(`the demo did not start:\n${server.said()}`)
        return /\] Ready$/m.test(server.said())
      },
      240,
    )
  } catch (error) {
    await end().catch(() => undefined)
    throw error
  }
  const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8')) as Demo
  provider.register(`${demo.url}/login/oidc/callback`)
  return { demo, end }
}
