import { EditOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { Part } from '../Part.tsx'

type Props = { device: TerminalDetail }

/** What people know of a device, in their own words. */
export function NotePart({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { open } = useDialog({ note: 'deviceList:edit' }, [device])
  return (
    <Part
      title={t('note.title')}
      lead={<p className="device-note">{device.note || <span className="dim">–</span>}</p>}
      rows={[]}
    >
      <May needs="deviceList:edit">
        <Button size="small" type="link" icon={<EditOutlined aria-hidden />} onClick={() => open('note', device)}>
          {t('actions.note')}
        </Button>
      </May>
    </Part>
  )
}

export function NoteDrawer({ device, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('device-detail')
  const write = useWrite(api.terminal.update_note, { done: t('note.done') })
  return (
    <FormDrawer<{ note: string }>
      title={t('note.of', { device: device.name || device.sn })}
      submit={t('note.submit')}
      initial={{ note: device.note }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ note }) => write.mutateAsync({ kid: device.kid, note })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="note" label={t('note.title')} extra={t('note.hint')} schema={api.terminal.update_note.input}>
        <Input.TextArea autoFocus rows={8} />
      </Field>
    </FormDrawer>
  )
}
