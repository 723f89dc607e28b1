// Writes docs/device-link.schema.json from the schemas; with --check says whether it is up to date (exit 1 if not).
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { jsonSchema } from '../src/json-schema.ts'

const file = fileURLToPath(new URL('../../../docs/device-link.schema.json', import.meta.url))
const text = `${JSON.stringify(jsonSchema(), null, 2)}\n`

if (process.argv.includes('--check')) {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (committed !== text) {
    console.error('docs/device-link.schema.json is not what packages/device-link says. Run: npm run openapi')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, text)
  console.log(file)
}
