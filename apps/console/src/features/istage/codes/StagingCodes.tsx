import { QrcodeOutlined } from '@ant-design/icons'
import { Button, Segmented, Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { CodeLabels } from './CodeLabels.tsx'
import { CodeSequence } from './CodeSequence.tsx'
import { FileActions } from './FileActions.tsx'
import './codes.css'

type Making = Sent<typeof api.istageCode.make>
export type MakingOptions = { kid: string; hours: number; enrol: Making['enrol'] }
const lives = [1, 8, 24, 168, 720, 2160] as const
/** Whoever photographs a code has its Wi-Fi password for so long. */
const usual_life = 24
const permanent_shown = 100

/** A configuration as QR codes, as a file, and as a label for each row of a spreadsheet. */
export function StagingCodes({ kid, name, variables }: { kid: string; name: string; variables: readonly string[] }) {
  const { t } = useTranslation('istage/codes')
  const [source, setSource] = useState<'codes' | 'sheet'>(variables.length > 0 ? 'sheet' : 'codes')
  const [hours, setHours] = useState<(typeof lives)[number]>(usual_life)
  const [link, setLink] = useState('none')
  const may_link = useMay('deviceList:qrcode')
  const making: MakingOptions = {
    kid,
    hours,
    enrol: link === 'none' ? undefined : link === 'once' ? {} : { qrcode_kid: link },
  }
  return (
    <div className="staging">
      <Segmented<'codes' | 'sheet'>
        aria-label={t('source')}
        value={source}
        onChange={(next) => {
          setSource(next)
          if (next === 'sheet' && link === 'once') setLink('none')
        }}
        options={[
          { value: 'codes', label: t('codes') },
          { value: 'sheet', label: t('sheet') },
        ]}
      />
      <div className="staging-options">
        <Choice label={t('life')} hint={t('life_hint')}>
          <Select
            aria-label={t('life')}
            value={hours}
            onChange={setHours}
            options={lives.map((value) => ({ value, label: t(`lives.h${value}`) }))}
          />
        </Choice>
        {may_link && <LinkChoice value={link} onChange={setLink} has_once={source === 'codes'} />}
      </div>
      {source === 'codes' ? (
        <Codes key={JSON.stringify(making)} making={making} name={name} />
      ) : (
        <CodeLabels key={JSON.stringify(making)} making={making} name={name} variables={variables} />
      )}
    </div>
  )
}

function Choice({ label, hint, children }: { label: string; hint: string; children: ReactNode }) {
  return (
    <label className="staging-choice">
      <span>{label}</span>
      {children}
      <span className="dim">{hint}</span>
    </label>
  )
}

type LinkChoiceProps = { value: string; onChange: (value: string) => void; has_once: boolean }
/** Whether the code registers a new device as well, and by which registration code. */
function LinkChoice({ value, onChange, has_once }: LinkChoiceProps) {
  const { t } = useTranslation(['istage/codes', 'device'])
  const page = { is_revoked: false, page: 1, page_size: permanent_shown }
  const permanent = useCall(api.terminalQrcode.paging, page)
  const options = [
    { value: 'none', label: t('link.none') },
    ...(has_once ? [{ value: 'once', label: t('link.once') }] : []),
    ...(permanent.data?.items ?? []).map(({ kid, terminal_group_name, created_by }) => ({
      value: kid,
      label: t('link.permanent', { group: terminal_group_name ?? t('device:group.none'), person: created_by }),
    })),
  ]
  return (
    <Choice label={t('link.label')} hint={t(value === 'none' ? 'link.hint_none' : 'link.hint')}>
      <Select
        aria-label={t('link.label')}
        value={value}
        onChange={onChange}
        options={options}
        loading={permanent.isPending}
      />
    </Choice>
  )
}

function Codes({ making, name }: { making: MakingOptions; name: string }) {
  const { t } = useTranslation('istage/codes')
  const make = useWrite(api.istageCode.make)
  return (
    <>
      {make.data ? (
        <CodeSequence codes={make.data.secret_codes} expires_at={make.data.expires_at} name={name} />
      ) : (
        <p className="dim">{t('intro')}</p>
      )}
      {make.error && <Failure error={make.error} is_line />}
      <div className="staging-tools">
        <Button
          type={make.data ? 'default' : 'primary'}
          icon={<QrcodeOutlined aria-hidden />}
          loading={make.isPending}
          onClick={() => make.mutate(making)}
        >
          {t(make.data ? 'make_again' : 'make')}
        </Button>
        <FileActions making={making} />
      </div>
    </>
  )
}
