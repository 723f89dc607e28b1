import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { ConfigAffected } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { SectionChange } from '@mdm/contract/config/lines.ts'
import { api, useWrite } from '../../../core/api.ts'
import type { CallFailed } from '../../../core/call-failed.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Failure } from '../../../ui/Failure.tsx'
import type { ConfigPlace } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { inputOf, refusalOf } from './drafts.ts'
import type { Draft } from './drafts.ts'
import SaveDialog from './SaveDialog.tsx'
import { SectionDifferences } from './SectionDifferences.tsx'
import { useWouldChange, WouldChange } from './WouldChange.tsx'

type Props = {
  place: ConfigPlace
  /** Of the level. */
  name: string
  draft: Draft
  changes: readonly SectionChange[]
  error: CallFailed | null
  onSaved: () => void
  onRefused: (error: CallFailed | null) => void
  onClose: () => void
}
const unknown: ConfigAffected = { sections: [], devices: 0, items: [] }

/** All changes of a level before they are saved: section by section what differs, and which devices that is for. */
export default function ReviewDialog({ place, name, draft, changes, error, onSaved, onRefused, onClose }: Props) {
  const { t } = useTranslation(['configure/edit', 'configure'])
  const textOf = useTextOf()
  const given = inputOf(draft)
  const is_platform = place.ltscope === ltscopes.platform
  const would = useWouldChange(place, given)
  const done = useSaid(t('configure:saved'))
  const account = useWrite(api.terminalConfig.save, { done, also: ['terminal', 'get'] })
  const platform = useWrite(api.opsTerminalConfig.save, { done: t('configure:saved') })
  const is_about = (section: SectionChange['section']) => refusalOf(error, section) !== null
  return (
    <SaveDialog
      title={t('draft.review_title', { count: changes.length, level: name })}
      would={would.data ?? unknown}
      may_step={!is_platform}
      is_held={would.isPending}
      loading={account.isPending || platform.isPending}
      onSave={(rollout) => {
        const saving = is_platform
          ? platform.mutateAsync(given as never)
          : account.mutateAsync({ ...place, ...given, ...(rollout && { rollout }) } as never)
        saving.then(onSaved, (refused: CallFailed) => onRefused(refused.is_cancelled ? null : refused))
      }}
      onCancel={onClose}
    >
      {error && !changes.some(({ section }) => is_about(section)) && <Failure error={error} is_line />}
      {changes.map(({ section, before, after }) => {
        const title = textOf(sectionOf(section).title)
        const refusal = refusalOf(error, section)
        return (
          <div key={section} className="config-section">
            <h3>{title}</h3>
            {refusal && (
              <ul className="config-fault" role="alert">
                {Object.values(refusal.fields).map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            )}
            {draft[section] === null && <p>{t('version.was_reset')}</p>}
            <SectionDifferences section={section} before={before} after={after} />
          </div>
        )
      })}
      <WouldChange of={would} />
    </SaveDialog>
  )
}
