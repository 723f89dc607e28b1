import { lazy, Suspense, useState } from 'react'
import type { ConfigAffected, PlainRollout } from '@mdm/contract'

const SaveDialog = lazy(() => import('./SaveDialog.tsx'))
type Wanted = { rollout?: PlainRollout }
type Asked = { would: ConfigAffected; answer: (wanted: Wanted | null) => void }

/** Thrown where the person looked at what would change and said no: the form stays as it is. */
class NotNow extends Error {}

/** Before a change of a level: which devices it changes, and how many, where there are any. */
export function useWouldChange({ may_step, is_copy = false }: { may_step: boolean; is_copy?: boolean }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  /** @throws NotNow when the person decided against it */
  async function ask(asking: Promise<ConfigAffected>): Promise<Wanted> {
    // What is wrong with the input is said by the change itself, at its fields.
    const would = await asking.catch(() => undefined)
    if (!would || would.devices === 0) return {}
    const wanted = await new Promise<Wanted | null>((answer) => setAsked({ would, answer }))
    setAsked(null)
    if (wanted === null) throw new NotNow()
    return wanted
  }
  const dialog = asked && (
    <Suspense>
      <SaveDialog
        would={asked.would}
        may_step={may_step}
        is_copy={is_copy}
        onSave={(rollout) => asked.answer(rollout ? { rollout } : {})}
        onCancel={() => asked.answer(null)}
      />
    </Suspense>
  )
  return { ask, dialog }
}
