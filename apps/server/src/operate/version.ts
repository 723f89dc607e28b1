import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Of the server; its package.json is above the bundle, and further up above the sources. */
export function serverVersion(): string {
  const places = ['../package.json', '../../package.json'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const { version } = JSON.parse(
    readFileSync(
      places.find((path) => existsSync(path))!,
      'utf8',
    ),
  ) as { version: string }
  return version
}
