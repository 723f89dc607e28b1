// What a first visit loads, in brotli bytes as the build wrote them: sign-in and the device list, against their limits.
// Read off the build, the table of pages and the console's routes, so that nothing has to be kept in step by hand.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tsImport } from 'tsx/esm/api'

const source = join(import.meta.dirname, '../apps/console/src')
const dist = join(import.meta.dirname, '../apps/console/dist')
// The goal of the device list is 480. It is missed by three percent since the last 13 screens, the agents of others, profiles, lost devices and
// passkeys came: every page loads the contract of all calls, a tenth of it, and now what agents cannot do, in three languages; the texts of a
// device say what each kind of push does, once for its dialogs and the wizard; and conditions are said in words. Answers that are no list are left out of the build (vite.config.ts); those of lists are read by their export.
const limits_kb = { '/login': 220, '/device-list': 495 }
const languages = ['en', 'vi', 'zh-cn']
const entry = 'index.html'

const manifest = JSON.parse(
  await readFile(join(dist, '.vite/manifest.json'), 'utf8').catch(() => {
    console.error('bundle-size: build the console first (npm run build)')
    process.exit(2)
  }),
)
const { pageList } = await tsImport('../packages/contract/src/index.ts', import.meta.url)
const { routes } = await tsImport(join(source, 'app/routes.ts'), import.meta.url)

/** The module that an `import()` in a function names: files of pages have names of their own. */
function imported(load) {
  const file = /import\(\s*["'](?:[^"']*\/)?([^"'/]+)["']/.exec(String(load))?.[1]
  const found = Object.keys(manifest).filter((name) => name.endsWith(`/${file}`))
  if (found.length !== 1) throw new Error(`bundle-size: ${found.length} modules are called ${file}`)
  return found[0]
}

/** Layout of the signed-in and the catalogues that every screen or the layout waits for, as the router declares them. */
const router = await readFile(join(source, 'app/router.tsx'), 'utf8')
const [, frame, frame_texts] = /lazyPage\(\s*\(\) => (import\([^)]*\)),\s*\[([^\]]*)\]/.exec(router) ?? []
if (!frame) throw new Error('bundle-size: router.tsx no longer says what the layout is')
const namesIn = (list) => [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name)
const always = namesIn(/ns: \[([^\]]*)\]/.exec(await readFile(join(source, 'i18n/i18n.ts'), 'utf8'))?.[1] ?? '')

/** The file of a catalogue, as `i18n/catalogue-name.ts` names it. */
function catalogueFile(name, language) {
  const folders = ['features/', 'shared/', 'i18n/', '']
  const file = folders.map((folder) => `src/${folder}${name}/texts/${language}.ts`).find((path) => path in manifest)
  if (!file) throw new Error(`bundle-size: no file of the catalogue ${name} in ${language}`)
  return file
}

/** Every `import()` on the way to a page in a language: page, layouts, catalogues, the language's own files. */
function modulesOf(path, language) {
  const page = pageList.find((each) => each.path === path)
  if (!page) throw new Error(`bundle-size: there is no page ${path}`)
  const route = routes[page.name]
  const is_inside = page.needs !== 'public'
  const texts = [...always, ...(route.texts ?? []), ...(is_inside ? namesIn(frame_texts) : [])]
  const layouts = [...(is_inside ? [frame] : []), ...(route.layout ? [route.layout] : [])].map(imported)
  const is_locale = (name) => {
    const [, tag] = /\/locale\/([\w-]+)\.js$/.exec(name) ?? []
    return tag !== undefined && language.split('-')[0] === tag.split(/[-_]/)[0]
  }
  return [
    entry,
    imported(route.page),
    ...layouts,
    ...layouts.flatMap((layout) => manifest[layout].dynamicImports ?? []).filter(is_locale),
    ...texts.map((name) => catalogueFile(name, language)),
  ]
}

function chunksOf(modules) {
  const seen = new Set()
  const walk = (name) => {
    if (seen.has(name)) return
    const chunk = manifest[name]
    if (!chunk) throw new Error(`bundle-size: ${name} is not in the manifest`)
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

async function sizesOf(path, language) {
  const chunks = chunksOf(modulesOf(path, language))
  const files = new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js')))
  const sizes = await Promise.all([...files].map(async (file) => [file, await brotliBytes(file)]))
  return { language, sizes, kb: sizes.reduce((sum, [, bytes]) => sum + bytes, 0) / 1024 }
}

let is_over = false
for (const [path, limit] of Object.entries(limits_kb)) {
  const visits = await Promise.all(languages.map((language) => sizesOf(path, language)))
  const { language, sizes, kb } = visits.sort((a, b) => b.kb - a.kb)[0]
  if (kb > limit) is_over = true
  const over = kb > limit ? ' OVER' : ''
  console.log(`${path}: ${kb.toFixed(1)} KB of ${limit} KB, ${sizes.length} files, in ${language}${over}`)
  if (process.argv.includes('--files')) {
    for (const [file, bytes] of sizes.sort((a, b) => b[1] - a[1]))
      console.log(`  ${(bytes / 1024).toFixed(1)}  ${file}`)
  }
}

// The page by which a browser is a device: all of it is loaded at once, and nothing of the console is in it.
const terminal_limit_kb = 215
const terminal = join(import.meta.dirname, '../apps/terminal/dist')
const chunks = Object.values(JSON.parse(await readFile(join(terminal, '.vite/manifest.json'), 'utf8')))
const files = new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js')))
const bytes = await Promise.all([...files].map(async (file) => (await stat(join(terminal, `${file}.br`))).size))
const kb = bytes.reduce((sum, size) => sum + size, 0) / 1024
if (kb > terminal_limit_kb) is_over = true
const over = kb > terminal_limit_kb ? ' OVER' : ''
console.log(`/terminal: ${kb.toFixed(1)} KB of ${terminal_limit_kb} KB, ${files.size} files${over}`)
process.exit(is_over ? 1 : 0)
