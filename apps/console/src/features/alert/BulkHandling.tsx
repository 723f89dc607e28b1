import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { PersonSelect } from './PersonSelect.tsx'
import type { Handling } from './use-handling.ts'

export type Chosen = { act: 'assign' | 'resolve'; alerts: readonly Alert[] }
type Props = {
  alerts: readonly Alert[]
  handling: Handling
  onChoose: (chosen: Chosen) => void
  onDone: () => void
}

/** What can be done with the alerts that are selected. */
export function BulkHandling({ alerts, handling, onChoose, onDone }: Props) {
  const { t } = useTranslation('alert')
  const acknowledge = async () => {
    if (await handling.acknowledge(alerts.map(({ kid }) => kid))) onDone()
  }
  return (
    <>
      <Button size="small" loading={handling.is_busy} onClick={() => void acknowledge()}>
        {t('acknowledge')}
      </Button>
      <Button size="small" aria-haspopup="dialog" onClick={() => onChoose({ act: 'assign', alerts })}>
        {t('assignee.assign')}
      </Button>
      <Button size="small" aria-haspopup="dialog" onClick={() => onChoose({ act: 'resolve', alerts })}>
        {t('resolve')}
      </Button>
    </>
  )
}

type DialogProps = { chosen: Chosen; handling: Handling; onDone: () => void; onClose: () => void }
export function BulkDialog({ chosen, handling, onDone, onClose }: DialogProps) {
  const { t } = useTranslation('alert')
  const { act, alerts } = chosen
  const count = alerts.length
  if (act === 'assign') return <AssignDialog {...{ alerts, handling, onDone, onClose }} />
  return (
    <ConfirmWrite
      call={api.alert.resolve_batch}
      input={{ kids: alerts.map(({ kid }) => kid) }}
      title={t('handled.resolve_title', { count })}
      submit={t('handled.resolve', { count })}
      onDone={({ resolved, skipped }) => {
        handling.say('resolved', resolved, skipped)
        onDone()
      }}
      onClose={onClose}
    >
      <Names alerts={alerts} />
      <p>{t('resolve_what')}</p>
    </ConfirmWrite>
  )
}

function AssignDialog({
  alerts,
  handling,
  onDone,
  onClose,
}: Omit<DialogProps, 'chosen'> & { alerts: readonly Alert[] }) {
  const { t } = useTranslation(['alert', 'common'])
  const [person, setPerson] = useState<string>()
  const count = alerts.length
  const assign = async () => {
    if (person === undefined || !(await handling.assign(alerts, person))) return
    onDone()
    onClose()
  }
  return (
    <Dialog
      title={t('handled.assign_title', { count })}
      onCancel={onClose}
      footer={[
        <Button key="cancel" onClick={onClose}>
          {t('common:cancel')}
        </Button>,
        <Button
          key="go"
          type="primary"
          disabled={person === undefined}
          loading={handling.is_busy}
          onClick={() => void assign()}
        >
          {t('handled.assign', { count })}
        </Button>,
      ]}
    >
      <Names alerts={alerts} />
      <PersonSelect kids={alerts.map(({ kid }) => kid)} value={person} onChange={setPerson} />
      <p className="dim">{t('assignee.hint')}</p>
    </Dialog>
  )
}

const named = 8
function Names({ alerts }: { alerts: readonly Alert[] }) {
  const { t } = useTranslation('alert')
  const more = alerts.length - named
  return (
    <ul className="alert-names">
      {alerts.slice(0, named).map(({ kid, name }) => (
        <li key={kid}>{name}</li>
      ))}
      {more > 0 && <li className="dim">{t('form.preview_more', { shown: more })}</li>}
    </ul>
  )
}
