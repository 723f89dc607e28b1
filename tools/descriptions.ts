// Writes what others read of the wires: packages/contract/openapi.json, docs/device-link.schema.json and the sections in docs/device-link.md.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import '../packages/contract/tools/openapi.ts'
import '../packages/device-link/tools/schema.ts'
import { begin, end, sectionTables } from './config-sections.ts'

const path = join(import.meta.dirname, '../docs/device-link.md')
const page = await readFile(path, 'utf8')
const from = page.indexOf(begin)
const to = page.indexOf(end)
await writeFile(path, page.slice(0, from) + (await sectionTables()).trimEnd() + page.slice(to + end.length))
console.log(path)
