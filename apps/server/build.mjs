// Bundles the server and everything that runs in its processes, with the npm packages they use, into apps/server/dist.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, production, programs } from './bundle.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const dist = join(here, 'dist')
const image = 'pglite-image.tar.gz'
const sources = {
  main: 'apps/server/src/main.ts',
  mdm: 'apps/server/src/operate/mdm.ts',
  ...programs,
  demo: 'testbed/src/demo.ts',
  agent: 'apps/agent/src/cli.ts',
}

if (existsSync(dist))
  for (const name of readdirSync(dist)) if (name !== image) rmSync(join(dist, name), { recursive: true })
await bundle(sources, dist, production)

// An empty database cluster that the first start unpacks rather than makes. It depends on the PGlite version only.
if (!existsSync(join(dist, image))) {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'tools/prepare-image.ts'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}
