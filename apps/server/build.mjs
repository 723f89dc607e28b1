// Bundles the server and everything that runs in its processes into apps/server/dist; packages of npm stay outside.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const dist = join(here, 'dist')
const image = 'pglite-image.tar.gz'
const sources = {
  main: 'apps/server/src/main.ts',
  'pglite-worker': 'apps/server/src/db/pglite-worker.ts',
  'broker-process': 'apps/server/src/link/broker/broker-process.ts',
  demo: 'testbed/src/demo.ts',
  agent: 'apps/agent/src/cli.ts',
}

/** Ours is bundled, theirs is not: theirs may have workers, assets and native parts of its own. */
const ours = {
  name: 'ours',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@mdm/') ? undefined : { path, external: true },
    )
  },
}

if (existsSync(dist))
  for (const name of readdirSync(dist)) if (name !== image) rmSync(join(dist, name), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: sources,
  outdir: dist,
  bundle: true,
  // Shared code once: demo and main are the same server.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [ours],
})

// An empty database cluster that the first start unpacks rather than makes. It depends on the PGlite version only.
if (!existsSync(join(dist, image))) {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'tools/prepare-image.ts'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}
