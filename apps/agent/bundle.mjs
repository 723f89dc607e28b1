// Bundles the agent into one file that needs nothing but Node.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
export const dist = join(here, 'dist')
export const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))

/** Its WebAssembly is read from a file beside it: in one file there is none. */
const zstdInside = {
  name: 'zstd-inside',
  setup(of) {
    of.onLoad({ filter: /zstd-wasm\/dist\/common\/index\.node\.js$/ }, ({ path }) => {
      const read = /yield readFile\(.*?zstd\.wasm'\)\)/
      const text = readFileSync(path, 'utf8')
      if (!read.test(text)) throw new Error(`${path} does not read its WebAssembly as it used to`)
      return { contents: text.replace(read, "require('./zstd.wasm')") }
    })
  },
}

/** Writes `mdm-agent.mjs` into `outdir` and says where it is. `as` is the version that it says of itself. */
export async function bundleAgent(outdir = dist, as = version) {
  await build({
    absWorkingDir: join(here, '../..'),
    entryPoints: { 'mdm-agent': 'apps/agent/src/cli.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    define: { MDM_AGENT_BUILT_AS: JSON.stringify(as) },
    format: 'esm',
    // Native parts that the WebSocket takes where they are installed.
    external: ['bufferutil', 'utf-8-validate'],
    plugins: [zstdInside],
    loader: { '.wasm': 'binary' },
    banner: {
      js: `#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);`,
    },
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'external',
    logLevel: 'warning',
  })
  return join(outdir, 'mdm-agent.mjs')
}
