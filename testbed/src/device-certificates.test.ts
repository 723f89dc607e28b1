import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt from 'mqtt'
import { startAgent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { mqttUrls } from '@mdm/server/addresses.ts'
import { selfSigned, signedBy } from '@mdm/server/testing/certificates.ts'
import { expect, test } from 'vitest'
import { registerByCode } from './enrol.ts'
import { world } from './world.ts'

test('where an authority of devices is set, who shows no certificate of it gets in by no door', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-device-ca-'))
  const at = (name: string) => join(folder, name)
  const [server, authority] = [selfSigned('server'), selfSigned('authority of devices')]
  await writeFile(at('cert.pem'), server.cert)
  await writeFile(at('key.pem'), server.key)
  await writeFile(at('devices.pem'), authority.cert)
  try {
    await using here = await world({
      env: {
        ...{ MDM_TLS_CERT: at('cert.pem'), MDM_TLS_KEY: at('key.pem'), MDM_MQTTS_PORT: '0' },
        MDM_DEVICE_CA: at('devices.pem'),
      },
    })
    const { deps } = here.server
    const url = `mqtts://localhost:${deps.config.mqtt.tls_port}`
    expect(mqttUrls(deps)).toEqual([url])

    // A real agent gets in, and the server sees it online.
    const shown = { ...signedBy(authority, 'device 1'), ca: server.cert }
    const device = startAgent({
      ...{ server: here.url, body: simulatedBody({ sn: 'CERTIFIED', seed: 1, faults: {} }), store: memoryStore() },
      certificate: () => shown,
    })
    const kid = await registerByCode(here.customers[0]!, device)
    await expect.poll(async () => (await here.customers[0]!.terminal.get({ kid })).is_online).toBe(true)
    await device.stop()

    // Beyond the greeting come only those who are signed by this authority; name and secret are asked after it.
    const outcome = (certificate?: { cert: string; key: string }) =>
      new Promise<string>((resolve) => {
        const own = { clientId: kid, username: kid, password: 'x', ca: server.cert, reconnectPeriod: 0 }
        const client = mqtt.connect(url, { ...own, ...certificate })
        client.once('connect', () => resolve('in'))
        client.once('error', (error) => resolve(error.message))
        client.once('close', () => resolve('closed'))
      })
    expect(await outcome(signedBy(authority, 'device 2'))).toMatch(/Bad username or password/)
    for (const certificate of [undefined, signedBy(selfSigned('somebody else'), 'device 3'), selfSigned('device 4')])
      expect(await outcome(certificate)).not.toMatch(/^in$|Bad username or password/)
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const asked = get(new URL('/mqtt', here.url), {
      headers: { ...upgrade, 'sec-websocket-key': 'A'.repeat(22) + '==' },
    })
    const [refused] = (await once(asked, 'response')) as [IncomingMessage]
    expect(refused.statusCode).toBe(404)
    refused.destroy()
    expect((await fetch(new URL('/terminal', here.url))).status).toBe(404)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
