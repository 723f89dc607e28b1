import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serverUrl } from '@mdm/agent/enrol.ts'
import { fileStore } from '@mdm/agent/store.ts'

type Options = {
  /** The demo's description of itself, as it stands from its last start; undefined on the first. */
  file: string
  url: string
  mqtt: string[]
  /** Folders of the agents of the demo, and folders that have one per agent. */
  agent: string
  fleet: string
}

/**
 * Devices know their server by its address, and at another one they would announce themselves as new. A demo that comes
 * back at another port, or as a copy of its folder, leads its devices there.
 */
export async function leadDevicesHere({ file, url, mqtt, agent, fleet }: Options): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const before = serverUrl((JSON.parse(text) as { url: string }).url).href
  const names = await readdir(fleet).catch(() => [])
  await Promise.all(
    [agent, ...names.map((name) => join(fleet, name))].map(async (folder) => {
      const store = fileStore(folder)
      const stored = (await store.read('credentials')) as { server: string } | undefined
      // One that its configuration led elsewhere stays there.
      if (stored?.server !== before) return
      const led = { ...stored, server: serverUrl(url).href, mqtt }
      if (JSON.stringify(led) !== JSON.stringify(stored)) await store.write('credentials', led)
    }),
  )
}
