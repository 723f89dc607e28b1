import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../apps/server/src/db/client.ts'
import { prepareImage } from './prepare-image.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mdm-image-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function firstBoot(name: string, image: string) {
  const said: Record<string, unknown>[] = []
  const say = (fields: Record<string, unknown>, message: string) => void said.push({ ...fields, message })
  const log = { info: say, warn: say, error: say }
  const database = await openDatabase({ data_dir: join(root, name), image, migrations: {}, log })
  const { rows } = await database.pool.query(`select count(*) as tables from pg_tables where schemaname = 'public'`)
  await database.close()
  return { rows, said }
}

// Without a usable one it starts all the same: apps/server/src/db/embedded/embedded.test.ts.
it('starts an empty database from the image', async () => {
  const image = join(root, 'image.tar.gz')
  expect(await prepareImage(image)).toBeGreaterThan(1e6)
  const booted = await firstBoot('good', image)
  // The tables of the migrator itself.
  expect(booted.rows).toEqual([{ tables: 2 }])
  expect(booted.said).toContainEqual(expect.objectContaining({ message: 'embedded database ready', from_image: true }))
})
