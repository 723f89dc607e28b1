import { standing } from './app-install.ts'
import type { TaskKind } from './kind.ts'

/** What is not there any more is as it should be. */
export const app_uninstall: TaskKind<'app_uninstall'> = {
  what: 'remove apps from this device',
  can_repeat: true,
  async execute({ packages }, { body, signal }) {
    const lines: string[] = []
    for (const name of packages) {
      signal.throwIfAborted()
      const is_there = (await body.apps.installed(name)) !== undefined
      if (is_there) await body.apps.uninstall(name)
      lines.push(is_there ? `${name}: removed` : `${name}: not there`)
    }
    return { text: lines.join('\n').slice(0, 4000), apps: await standing(body, packages) }
  },
}
