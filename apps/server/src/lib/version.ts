import { readFileSync } from 'node:fs'

/** What it was bundled as. */
declare const MDM_SERVER_VERSION: string | undefined

/** Of the server: in a bundle, wherever that lies, and else as its package.json says. */
export function serverVersion(): string {
  if (typeof MDM_SERVER_VERSION === 'string') return MDM_SERVER_VERSION
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
