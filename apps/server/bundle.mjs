import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

const { version } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8'))

/** They have WebAssembly, data or native parts beside their code; all others are bundled: hundreds of files are slow to find. */
const outside = [
  '@bokuweb/zstd-wasm',
  '@electric-sql/pglite',
  '@embedpdf/fonts-sc',
  'bufferutil',
  'pg-native',
  'utf-8-validate',
]
/** CommonJS packages in a module ask for Node's own parts by `require`. */
const banner = `import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);`

/** What the processes and threads of the server start with, by the name that they are started by. */
export const programs = {
  'pglite-worker': 'apps/server/src/db/embedded/pglite-worker.ts',
  'broker-process': 'apps/server/src/link/broker/broker-process.ts',
  'file-reader': 'apps/server/src/workers/file-reader.ts',
  'delta-maker': 'apps/server/src/workers/delta-maker.ts',
  packer: 'apps/server/src/workers/packer.ts',
  'sheet-writer': 'apps/server/src/workers/sheet-writer.ts',
}

/** Less to read and compile at every start; names stay as they are, so that a stack trace says something without its map. */
export const production = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160, legalComments: 'linked' }

/**
 * They are started for one file, and bundled apart: what they shared with the server would be in chunks that load most of it,
 * which takes each start 0.2 s of a processor.
 */
const started_often = ['file-reader', 'delta-maker', 'packer']

/** Bundles programs with the npm packages they use into `outdir`, from which Node finds the packages that stay outside. */
export async function bundle(entryPoints, outdir, more = {}) {
  const entries = Object.entries(entryPoints)
  const parts = [false, true].map((apart) => entries.filter(([name]) => started_often.includes(name) === apart))
  for (const part of parts)
    await build({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(part),
      outdir,
      bundle: true,
      // Shared code once: demo and main are the same server.
      splitting: true,
      chunkNames: 'chunk-[hash]',
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      external: outside,
      // Its CommonJS asks for its parts in a way that no bundler follows.
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
      banner: { js: banner },
      define: { MDM_SERVER_VERSION: JSON.stringify(version) },
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
      ...more,
    })
}
