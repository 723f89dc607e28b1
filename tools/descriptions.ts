// Writes what others read of the wires: packages/contract/openapi.json, docs/device-link.schema.json and what is made of it in
// docs/device-link/, docs/templatejson.schema.json. With --check says whether they are up to date (exit 1 if not).
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import '../packages/contract/tools/openapi.ts'
import { linkSchema } from './link-schema.ts'
import { linkParts, withParts } from './link-tables.ts'
import { templateSchema } from './template-schema.ts'

const docs = join(import.meta.dirname, '../docs')
const pages = join(docs, 'device-link')
const schema = linkSchema()
const parts = await linkParts(schema)
const made: [path: string, text: string][] = [
  [join(docs, 'device-link.schema.json'), `${JSON.stringify(schema, null, 2)}\n`],
  [join(docs, 'templatejson.schema.json'), `${JSON.stringify(templateSchema(), null, 2)}\n`],
]
for (const name of await readdir(pages)) {
  const path = join(pages, name)
  made.push([path, withParts(await readFile(path, 'utf8'), parts)])
}
for (const [path, text] of made) {
  const is_same = (await readFile(path, 'utf8')) === text
  if (is_same) continue
  if (process.argv.includes('--check')) {
    console.error(`${path} is not what the declarations say. Run: npm run openapi`)
    process.exitCode = 1
  } else await writeFile(path, text)
}
if (!process.argv.includes('--check')) console.log(made.map(([path]) => path).join('\n'))
