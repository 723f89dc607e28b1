// Bundles the server and everything that runs in its processes, with the npm packages they use, into apps/server/dist.
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
  'pglite-worker': 'apps/server/src/db/embedded/pglite-worker.ts',
  'broker-process': 'apps/server/src/link/broker/broker-process.ts',
  'file-reader': 'apps/server/src/workers/file-reader.ts',
  'sheet-writer': 'apps/server/src/workers/sheet-writer.ts',
  demo: 'testbed/src/demo.ts',
  agent: 'apps/agent/src/cli.ts',
}

/** They have WebAssembly, data or native parts beside their code; all others are bundled: hundreds of files are slow to find. */
const outside = ['@electric-sql/pglite', 'bufferutil', 'pg-native', 'utf-8-validate']
/** CommonJS packages in a module ask for Node's own parts by `require`. */
const banner = `import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);`

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
  external: outside,
  banner: { js: banner },
  // Less to read and compile at every start; names stay as they are, so that a stack trace says something without its map.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'linked',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
})

// An empty database cluster that the first start unpacks rather than makes. It depends on the PGlite version only.
if (!existsSync(join(dist, image))) {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'tools/prepare-image.ts'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}
