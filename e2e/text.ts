import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createInstance } from 'i18next'
import { catalogueOf } from '../apps/console/src/i18n/catalogue-name.ts'
import { root } from './demo-server.ts'

const source = join(root, 'apps/console/src')
const english = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('/texts/en.ts'),
)
const catalogues = await Promise.all(
  english.map(async (path): Promise<[string, object]> => {
    const { texts } = (await import(pathToFileURL(join(source, path)).href)) as { texts: object }
    return [catalogueOf(`./${relative('i18n', path)}`.replace('./../', '../')).namespace, texts]
  }),
)
const translator = createInstance()
await translator.init({
  lng: 'en',
  resources: { en: Object.fromEntries(catalogues) },
  interpolation: { escapeValue: false },
})

/**
 * What the console says in English for a key of its catalogues, such as `common:next`. A sentence that a test is about stands
 * in the test itself.
 */
export function text(key: `${string}:${string}`, values: Record<string, string | number> = {}): string {
  if (!translator.exists(key, values)) throw new Error(`no catalogue has ${key}`)
  // Typed by all keys there are it takes the compiler minutes.
  const translate = translator.t as (key: string, values: object) => string
  return translate(key, values)
}
