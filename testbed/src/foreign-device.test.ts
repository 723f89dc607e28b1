import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishedSchema } from '@mdm/agent/testing/published-schema.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const has_mosquitto = spawnSync('mosquitto_pub', ['--help']).error === undefined

/** No code of this project on the device's side: curl's requests and Mosquitto's clients, as docs/device-link/joining.md says. */
describe.skipIf(!has_mosquitto)(
  has_mosquitto ? 'a device of somebody else' : 'left out: mosquitto-clients is not installed',
  () => {
    let w: World
    const listening: ChildProcess[] = []
    beforeAll(async () => {
      w = await world()
    })
    afterAll(async () => {
      for (const child of listening) child.kill()
      await w[Symbol.asyncDispose]()
    })

    test('registers, reports, receives and completes a message task', async () => {
      const call = w.customers[0]!
      const post = async (path: string, body: unknown) =>
        (
          await fetch(`${w.url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).json() as Promise<Record<string, never>>
      const claim = randomBytes(32).toString('hex')
      const sn = 'MOSQUITTO-1'
      const announced = await post('/device/announce', {
        sn,
        model: 'handmade',
        os_name: 'Debian',
        os_version: '12',
        service_version: '0.1',
        protocol_version: 1,
        claim_hash: createHash('sha256').update(claim).digest('hex'),
      })
      expect(await post('/device/enrol', { sn, claim })).toMatchObject({ state: 'waiting' })
      const { kid } = await call.terminal.manual_registered({ sn, registration_code: announced['registration_code']! })
      const enrolled = await post('/device/enrol', { sn, claim })
      expect(enrolled).toMatchObject({ state: 'registered', kid })

      const { hostname, port } = new URL(w.server.mqtt_url)
      const connection = ['-h', hostname, '-p', port, '-u', kid, '-P', enrolled['secret']!, '-i', kid, '-q', '1']
      const lines: string[] = []
      // Mosquitto's two clients are two connections, and a device has one: it listens, hangs up to speak, and listens again.
      const listen = () => {
        const child = spawn('mosquitto_sub', [...connection, '-t', `mdm/v1/${kid}/down/#`, '-v'])
        child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
        listening.push(child)
        return child
      }
      const say = async (name: string, payload: unknown) => {
        const args = [...connection, '-t', `mdm/v1/${kid}/up/${name}`, '-m', JSON.stringify(payload)]
        // The server is in this process: waiting for a child must not stop it.
        const [code] = await once(spawn('mosquitto_pub', args, { stdio: 'inherit' }), 'exit')
        expect(code).toBe(0)
      }

      const device_time = new Date().toISOString()
      await say('hello', {
        epoch: 'one',
        boot_id: 'boot-1',
        device_time,
        inventory: { model: 'handmade', os_version: '12' },
      })
      await say('state', {
        seq: 1,
        device_time,
        battery: { level: 64, charging: 'discharging' },
        network: { type: 'wifi', signal: -60 },
      })
      expect(await call.terminal.get({ kid })).toMatchObject({
        battery_level: 64,
        network_type: 'wifi',
        os_version: '12',
      })

      const task = await call.pushTask.insert({
        type: 'message',
        payload: { title: 'Hello', text: 'from the console' },
        terminal_kids: [kid],
      })
      listen()
      const line = await until('the task to arrive', () => lines.find((l) => l.startsWith(`mdm/v1/${kid}/down/task `)))
      const down = JSON.parse(line.slice(line.indexOf('{'))) as {
        task_kid: string
        attempt: number
        version: number
        payload: unknown
      }
      // As a stranger would check it: by the published JSON Schema alone.
      expect(publishedSchema('down/task').safeParse(down).error).toBeUndefined()
      expect(down).toMatchObject({ type: 'message', payload: { title: 'Hello', text: 'from the console' }, attempt: 1 })
      listening.at(-1)!.kill()
      for (const [i, state] of ['receipt', 'executing', 'completed'].entries())
        await say('task', { task_kid: down.task_kid, attempt: 1, state, expected_version: down.version + i })
      expect(await call.pushTask.get({ kid: task.kid })).toMatchObject({ result: 'all_succeeded' })
    })
  },
)
