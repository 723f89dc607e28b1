import { CallFailed } from './call-failed.ts'
import { sessionState } from './session-store.ts'
import { useTray } from './tray.ts'
import type { Work } from './tray.ts'

/** Live events are faster where they come; this is for the tray, which has to end even when they do not. */
const poll_ms = 2_000
const followed = new Set<string>()

type Poll = () => Promise<Omit<Work, 'id'> | undefined>

/**
 * Keeps a line in the tray for as long as a job of the server runs, whatever screen is open. `poll` asks how it stands;
 * undefined is that it concerns nobody any more. A job that is followed already is followed once.
 */
export function followWork(id: string, poll: Poll, onEnd: () => void): void {
  if (followed.has(id)) return
  followed.add(id)
  void pollUntilEnd(id, poll, onEnd).finally(() => followed.delete(id))
}

async function pollUntilEnd(id: string, poll: Poll, onEnd: () => void): Promise<void> {
  const { put, remove } = useTray.getState()
  const { account_kid } = sessionState()
  for (;;) {
    // In another account nobody can see it; whoever comes back finds it in the list of jobs.
    if (sessionState().account_kid !== account_kid) return remove(id)
    try {
      const work = await poll()
      if (!work) return remove(id)
      put({ id, ...work })
      if (work.state !== 'running') return onEnd()
    } catch (error) {
      // The network may be away; anything else will not get better.
      if (!(error instanceof CallFailed && error.is_offline)) return remove(id)
    }
    await new Promise((resolve) => setTimeout(resolve, poll_ms))
  }
}
