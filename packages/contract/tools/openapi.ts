// Writes packages/contract/openapi.json from the contract; with --check says whether it is up to date (exit 1 if not).
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { openapi } from '../src/openapi.ts'

const file = fileURLToPath(new URL('../openapi.json', import.meta.url))
const text = JSON.stringify(openapi())

if (process.argv.includes('--check')) {
  // What it says; how it is laid out is checked with every other file.
  const committed = existsSync(file) ? JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))) : ''
  if (committed !== text) {
    console.error('packages/contract/openapi.json is not what the contract says. Run: npm run openapi')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }))
  console.log(`${file}: ${Object.keys(JSON.parse(text).paths as object).length} paths`)
}
