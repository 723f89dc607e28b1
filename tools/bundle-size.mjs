// What a first visit loads, in brotli bytes as the build wrote them: sign-in and the device list, against their limits.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../apps/console/dist')
const limits_kb = { 'sign-in': 220, 'device-list': 480 }
const entry = 'index.html'
const catalogue = (...names) => names.map((name) => `src/i18n/vi/${name}.ts`)
/** Modules that a page asks for at run time: a name per `import()` on the way to it. */
const visits = {
  'sign-in': [entry, 'src/features/sign-in/SignInPage.tsx', ...catalogue('common', 'sign-in')],
  'device-list': [
    entry,
    'src/shell/Shell.tsx',
    'src/features/devices/DevicesPage.tsx',
    '../../node_modules/antd/locale/vi_VN.js',
    '../../node_modules/dayjs/locale/vi.js',
    ...catalogue('common', 'shell', 'screens', 'devices'),
  ],
}

const manifest = JSON.parse(
  await readFile(join(dist, '.vite/manifest.json'), 'utf8').catch(() => {
    console.error('bundle-size: build the console first (npm run build)')
    process.exit(2)
  }),
)

function chunksOf(modules) {
  const seen = new Set()
  const walk = (name) => {
    if (seen.has(name)) return
    const chunk = manifest[name]
    if (!chunk) throw new Error(`bundle-size: ${name} is not in the manifest; its list of modules is out of date`)
    seen.add(name)
    chunk.imports?.forEach(walk)
  }
  modules.forEach(walk)
  return [...seen].map((name) => manifest[name])
}

async function brotliBytes(file) {
  const path = join(dist, file)
  return (await stat(`${path}.br`).catch(() => stat(path))).size
}

let is_over = false
for (const [page, modules] of Object.entries(visits)) {
  const chunks = chunksOf(modules)
  const files = new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js')))
  const sizes = await Promise.all([...files].map(async (file) => [file, await brotliBytes(file)]))
  const kb = sizes.reduce((sum, [, bytes]) => sum + bytes, 0) / 1024
  const limit = limits_kb[page]
  if (kb > limit) is_over = true
  console.log(`${page}: ${kb.toFixed(1)} KB of ${limit} KB, ${sizes.length} files${kb > limit ? ' OVER' : ''}`)
  if (process.argv.includes('--files')) {
    for (const [file, bytes] of sizes.sort((a, b) => b[1] - a[1]))
      console.log(`  ${(bytes / 1024).toFixed(1)}  ${file}`)
  }
}
process.exit(is_over ? 1 : 0)
