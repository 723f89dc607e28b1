import { makeTemplate } from './database-template.ts'
import { startPostgres } from './postgres.ts'

let shared: Promise<() => Promise<string>> | undefined

/**
 * The URL of a new PostgreSQL database with every migration and no rows, on a server that the test files of this process
 * share. Who stops, pauses or sets up the server itself starts one of its own.
 */
export async function migratedPostgres(): Promise<string> {
  shared ??= start()
  return (await shared)()
}

async function start() {
  const postgres = await startPostgres()
  const template = await postgres.createDatabase()
  await makeTemplate({ url: template })
  const name = new URL(template).pathname.slice(1)
  return () => postgres.createDatabase(name)
}
