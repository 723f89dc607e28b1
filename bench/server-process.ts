// A server of its own for a measurement, started from the sources; settings come from the environment.
import { readConfig } from '../apps/server/src/config.ts'
import { startServer } from '../apps/server/src/server.ts'

export type ServerReady = { mqtt_port: number; http_port: number }

const server = await startServer(readConfig({ ...process.env, MDM_HTTP_PORT: '0', MDM_MQTT_PORT: '0' }))
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)))
const { http, mqtt } = server.deps.config
process.send!({ mqtt_port: mqtt.port, http_port: http.port } satisfies ServerReady)
