import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

/**
 * Makes the image that the embedded database starts from at its first boot, a quarter of the time of initdb: an empty
 * cluster, nothing migrated.
 * @param target where the gzipped tarball goes; replaced in one step
 * @returns its size in bytes
 */
export async function prepareImage(target: string): Promise<number> {
  const database = await PGlite.create()
  try {
    await database.exec('checkpoint')
    const image = Buffer.from(await (await database.dumpDataDir('gzip')).arrayBuffer())
    await mkdir(dirname(target), { recursive: true })
    await writeFile(`${target}.part`, image)
    await rename(`${target}.part`, target)
    return image.length
  } finally {
    await database.close()
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const target = fileURLToPath(new URL('../apps/server/dist/pglite-image.tar.gz', import.meta.url))
  const bytes = await prepareImage(target)
  console.log(`${target}: ${(bytes / 1e6).toFixed(1)} MB`)
}
