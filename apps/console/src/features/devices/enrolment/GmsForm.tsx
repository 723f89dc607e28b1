import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { FormDrawer } from '../../../ui/form/form.tsx'
import { gmsInput } from './gms-draft.ts'
import type { GmsDraft } from './gms-draft.ts'
import { AgentFields, DeviceFields, ExtraFields, NetworkFields, RegistrationFields } from './gms-fields.tsx'
import { OutOfReach } from './OutOfReach.tsx'
import { QrSheet } from './QrSheet.tsx'
import { useUpload } from '../../../shared/device-batch/use-upload.ts'

/** From here on cameras need a large or a close code. */
const dense_bytes = 1_200
/** Four pixels for a module at least, however full the code is: fewer are not read from a screen. */
const shown = { width: 820, size: 480, dense_size: 740 }
type Props = {
  title: string
  back: ReactNode
  width: number
  draft: GmsDraft
  onDraft: (draft: GmsDraft) => void
  onClose: () => void
}

/** An Android Enterprise code: what it shall carry, then the code. */
export function GmsForm({ title, back, width, draft, onDraft, onClose }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const { upload, percent } = useUpload()
  const [is_made, setMade] = useState(false)
  const [upload_error, setUploadError] = useState<CallFailed | null>(null)
  const create = useWrite(api.terminalQrcode.qrcode_gms_registered, {
    // The next code takes the APK that is there now.
    onSuccess: ({ apk }, sent) => sent.upload_kid && apk && onDraft({ ...draft, source: 'kept', apk_kid: apk.kid }),
  })
  const submit = async (values: GmsDraft) => {
    setUploadError(null)
    create.reset()
    const upload_kid = values.source === 'upload' && values.file ? await sent(values.file) : undefined
    await create.mutateAsync(gmsInput(values, upload_kid))
  }
  const sent = (file: File) =>
    upload(file).catch((error: unknown) => {
      if (error instanceof CallFailed) setUploadError(error)
      throw error
    })
  if (is_made && create.data) {
    const { secret_text, bytes } = create.data
    return (
      <Drawer
        rootClassName="drawer-in-place"
        className="form-drawer"
        size={shown.width}
        title={t('gms.sheet')}
        onClose={onClose}
      >
        <div className="qr">
          <OutOfReach address={addressIn(secret_text)} />
          <QrSheet
            value={secret_text}
            size={bytes > dense_bytes ? shown.dense_size : shown.size}
            label={t('gms.label')}
            title={t('gms.sheet')}
            hint={t('gms.result_hint')}
            facts={
              <>
                <strong>{draft.component_name}</strong>
                <span className="number">{t('gms.size', { bytes, max: constants.qrcode_text_bytes })}</span>
                {bytes > dense_bytes && <span className="qr-dense">{t('gms.dense')}</span>}
              </>
            }
            actions={<Button onClick={() => setMade(false)}>{t('gms.again')}</Button>}
          />
        </div>
      </Drawer>
    )
  }
  return (
    <FormDrawer<GmsDraft>
      title={title}
      submit={percent === null ? t('gms.submit') : t('gms.uploading', { percent })}
      width={width}
      initial={draft}
      onValues={(values) => onDraft({ ...draft, ...values })}
      loading={create.isPending || percent !== null}
      submitError={create.error ?? upload_error}
      onSubmit={(values) => submit({ ...draft, ...values })}
      onDone={() => setMade(true)}
      onClose={onClose}
    >
      {back}
      <p className="dim register-hint">{t('gms.hint')}</p>
      <AgentFields draft={draft} />
      <RegistrationFields draft={draft} />
      <NetworkFields draft={draft} />
      <DeviceFields />
      <ExtraFields draft={draft} />
    </FormDrawer>
  )
}

/** The first address in the JSON of a set-up code: the server that phones are to reach. */
const addressIn = (json: string): string => /https?:\/\/[^"\\\s]+/.exec(json)?.[0] ?? ''
