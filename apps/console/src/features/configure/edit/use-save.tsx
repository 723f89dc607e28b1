import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { ConfigAffected, ConfigSection, PlainRollout } from '@mdm/contract'
import { api, send, useWrite } from '../../../core/api.ts'
import type { ConfigPlace } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { refusalOf } from './drafts.ts'

const SaveDialog = lazy(() => import('./SaveDialog.tsx'))
type Wanted = { rollout?: PlainRollout }
type Asked = { would: ConfigAffected; answer: (wanted: Wanted | null) => void }

/**
 * Saves one section at a level. Where other levels inherit from it, the user first sees which devices would change, and may
 * have it go out in steps.
 * @throws CallFailed, and NotNow when the user cancels
 */
export function useSave(place: ConfigPlace, section: ConfigSection) {
  const { t } = useTranslation(['configure', 'configure/edit', 'common'])
  const of_account = useWrite(api.terminalConfig.save, { done: useSaid(t('saved')), also: ['terminal', 'get'] })
  const of_platform = useWrite(api.opsTerminalConfig.save, { done: t('saved') })
  const is_platform = place.ltscope === ltscopes.platform
  const save = is_platform ? of_platform : of_account
  const { ask, dialog } = useSaveQuestion({ may_step: !is_platform })
  async function run(value: unknown): Promise<void> {
    const given = { [section]: value }
    if (is_platform) {
      await ask(send(api.opsTerminalConfig.affected, given as never))
      await of_platform.mutateAsync(given as never)
      return
    }
    const is_alone = place.ltscope === ltscopes.terminal
    const wanted = is_alone ? {} : await ask(send(api.terminalConfig.affected, { ...place, ...given } as never))
    await of_account.mutateAsync({ ...place, ...given, ...wanted } as never)
  }
  return {
    run,
    /** The question before the save; it stands beside the form. */
    dialog,
    isPending: save.isPending,
    error: useMemo(() => refusalOf(save.error, section) ?? save.error, [save.error, section]),
  }
}

/** Thrown where the user saw what would change and cancelled: the form stays as it is. */
class NotNow extends Error {}

/** Before a change of a level: which devices it changes, and how many, where there are any. */
export function useSaveQuestion({ may_step, is_copy = false }: { may_step: boolean; is_copy?: boolean }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  /** @throws NotNow when the user cancels */
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
