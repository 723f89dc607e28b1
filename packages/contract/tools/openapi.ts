// Writes packages/contract/openapi.json from the contract; with --check says whether it is up to date (exit 1 if not).
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openapi } from '../src/openapi.ts'

const file = fileURLToPath(new URL('../openapi.json', import.meta.url))
const text = `${JSON.stringify(openapi(), null, 2)}\n`

if (process.argv.includes('--check')) {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (committed !== text) {
    console.error('packages/contract/openapi.json is not what the contract says. Run: npm run openapi')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, text)
  console.log(`${file}: ${Object.keys(JSON.parse(text).paths as object).length} paths`)
}
