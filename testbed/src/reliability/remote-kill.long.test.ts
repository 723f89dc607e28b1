import type { RemoteTicket } from '@mdm/contract'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { viewerEnd } from '@mdm/server/testing/remote.ts'
import type { End } from '@mdm/server/testing/remote.ts'
import { migratedPostgres } from '@mdm/server/testing/shared-postgres.ts'
import { describe, expect, test } from 'vitest'
import { caller } from '../caller.ts'
import { enrol } from '../enrol.ts'
import { until } from '../until.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'
import { has_mosquitto, withMosquitto } from './push-kills.ts'
import { roundRobin } from './round-robin.ts'

const lacking = [!has_mosquitto && 'mosquitto', postgres_missing && 'PostgreSQL'].filter(Boolean).join(' and ')
/** From a link that dropped to the next picture. */
const back_ms = 5_000
const hello = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])])
const whole_picture = Buffer.from([3, 0, 0, 0, 0, 0, 0, 64, 0, 64])

const own = ({ port }: Killable) => `http://127.0.0.1:${port}`

/** A viewer that sees pictures. */
async function viewerOf(url: string, ticket: RemoteTicket): Promise<End> {
  const viewer = await viewerEnd(url, ticket)
  viewer.socket.send(Buffer.concat([hello, whole_picture]))
  await viewer.got(64 * 64)
  return viewer
}

describe.runIf(!lacking)(`a remote session${lacking && ` (skipped: ${lacking} is not installed)`}`, () => {
  test(
    'goes on by the other server within five seconds when one is killed, whichever ends it has, and its rows say so',
    () =>
      withMosquitto(async (broker_url) => {
        const proxy = await roundRobin()
        const of_both = { database_url: await migratedPostgres(), broker_url, public_url: proxy.url }
        await using stays = await killableServer(of_both)
        await using dies = await killableServer({ ...of_both, beside: stays })
        proxy.lead([stays])
        const customer = caller(own(stays), stays.customer.identity)
        const device = await enrol(caller(proxy.url, stays.customer.identity), { sn: 'REMOTE-KILL' })
        try {
          const { session, ...first } = await customer.terminalRemote.open_desktop({ terminal_kid: device.kid })
          const session_kid = session.kid
          const shown = () => customer.terminalRemote.get({ session_kid })
          await (await viewerOf(own(stays), { session, ...first })).socket.close()
          for (const [ofDevice, ofViewer] of [
            [dies, stays],
            [stays, dies],
            [dies, dies],
          ] as const) {
            proxy.lead([ofDevice])
            const ticket = await customer.terminalRemote.join({ session_kid })
            const viewer = await viewerOf(own(ofViewer), ticket)
            const since = performance.now()
            proxy.lead([stays])
            await dies.kill()
            const { code } = await viewer.closed
            // One that hangs on the server that is gone has nobody to tell it more.
            expect(code).toBe(ofViewer === stays ? 4004 : 1006)
            const again = await viewerOf(own(stays), await customer.terminalRemote.join({ session_kid }))
            expect(performance.now() - since).toBeLessThan(back_ms)
            again.socket.close()
            await dies.killAndRestart()
          }
          await until(
            'everybody to have left',
            async () => (await shown()).viewers.every(({ left_at }) => left_at !== null),
            300,
          )
          expect(device.body.remote.screen.viewers).toEqual([])
          await customer.terminalRemote.end({ kids: [session_kid] })
          expect(await shown()).toMatchObject({ end_reason: 'ended' })
        } finally {
          await device.agent.stop()
          await proxy.close()
        }
      }),
    5 * 60_000,
  )
})
