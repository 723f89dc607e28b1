import { DownConfig } from '@mdm/device-link'
import type { LostMode } from '@mdm/device-link'
import type { Body } from './body/body.ts'
import { reports_folder } from './staging/reports.ts'
import type { Store } from './store.ts'

type Forgetting = { store: Store; body: Pick<Body, 'configure'>; log: (text: string) => void; signal: AbortSignal }

/**
 * The tasks and events of a registration that has ended are nobody's any more. The screen of a lost device was kept locked until
 * here; whether it is lost still, the account that has it now says with its configuration.
 */
export async function forgetWork({ store, body, log, signal }: Forgetting): Promise<void> {
  const { lost } = DownConfig.safeParse(await store.read('config').catch(() => undefined)).data?.config ?? {}
  if (lost?.is_lost)
    await body
      .configure('lost', { is_lost: false, message: '', phone: '' } satisfies LostMode, signal)
      .catch((error: Error) => log(`the screen was not let go: ${error.message}`))
  const folders = [...(await store.list('tasks')), ...(await store.list(reports_folder))]
  for (const name of [...folders, 'events', 'config', 'fence', 'moved', 'server-move']) await store.remove(name)
}
