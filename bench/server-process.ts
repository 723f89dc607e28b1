// A server of its own for a measurement, started from the sources; settings come from the environment.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readConfig } from '../apps/server/src/config.ts'
import { startServer } from '../apps/server/src/server.ts'

export type ServerReady = { mqtt_port: number; http_port: number }
/** A question for its database; or from when to when its event loop is watched. */
export type Asked = { text: string; values: unknown[] } | { watch_lag: boolean }

const own_broker = process.env['MQTT_URL'] === undefined ? { MDM_MQTT_PORT: '0' } : {}
const server = await startServer(readConfig({ ...process.env, MDM_HTTP_PORT: '0', ...own_broker }))
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)))
const lag = monitorEventLoopDelay({ resolution: 5 })

/** Rows; or how late the event loop was, in milliseconds, at 99 of 100 looks. */
async function answer(asked: Asked): Promise<object[] | number> {
  if ('text' in asked) return (await server.deps.database.pool.query(asked.text, asked.values)).rows as object[]
  if (asked.watch_lag) {
    lag.reset()
    lag.enable()
    return 0
  }
  lag.disable()
  return lag.percentile(99) / 1e6
}
process.on('message', (asked: Asked) => {
  answer(asked).then(
    (found) => process.send!(found),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
const { http, mqtt } = server.deps.config
process.send!({ mqtt_port: mqtt.port, http_port: http.port } satisfies ServerReady)
