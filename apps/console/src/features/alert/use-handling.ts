import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Alert, AlertSkipped } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { nobody } from './use-people.ts'

/** What was done to several alerts: how many, and which were left as they are. */
export type Outcome = { text: string; skipped: readonly AlertSkipped[] }
type Act = 'acknowledged' | 'resolved' | 'assigned'
type Seen = Pick<Alert, 'kid' | 'assignee_kid'>

/** Acts on several alerts at once. What was left out is kept until somebody has read it. */
export function useHandling() {
  const { t } = useTranslation('alert')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const acknowledging = useWrite(api.alert.acknowledge_batch)
  const assigning = useWrite(api.alert.assign)
  const say = (act: Act, count: number, skipped: readonly AlertSkipped[]) => {
    const text = t(`handled.${act}`, { count })
    if (skipped.length > 0) setOutcome({ text, skipped })
    else notify.ok(text)
  }
  return {
    outcome,
    close: () => setOutcome(null),
    is_busy: acknowledging.isPending || assigning.isPending,
    say,
    async acknowledge(kids: readonly string[]): Promise<boolean> {
      const done = await acknowledging.run({ kids: [...kids] })
      if (done) say('acknowledged', done.acknowledged, done.skipped)
      return done !== undefined
    },
    /** As they were seen: what somebody else assigned since is left as it is. */
    async assign(alerts: readonly Seen[], to: string): Promise<boolean> {
      const done = await assigning.run({
        alerts: alerts.map(({ kid, assignee_kid }) => ({ kid, from_kid: assignee_kid })),
        assignee_kid: to === nobody ? null : to,
      })
      if (done) say('assigned', done.assigned, done.skipped)
      return done !== undefined
    },
  }
}
export type Handling = ReturnType<typeof useHandling>
