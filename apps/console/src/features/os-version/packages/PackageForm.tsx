import { UploadOutlined } from '@ant-design/icons'
import { Button, Input, Progress, Radio, Select } from 'antd'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { osFormats } from '@mdm/contract'
import type { OsVersionDetail } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useSending } from '../../../shared/upload/use-sending.ts'
import { Failure } from '../../../ui/Failure.tsx'

const full = 'full'

/** Adds one package: a file of this computer, or one that the server fetches. A version that is out gets differences only. */
export function PackageForm({ version, is_out }: { version: OsVersionDetail; is_out: boolean }) {
  const { t } = useTranslation('os-version')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const has_full = version.packages.some(({ kind }) => kind === 'full')
  const [chosen, setFrom] = useState<string>()
  const from = chosen ?? (has_full || is_out ? undefined : full)
  const [source, setSource] = useState<'file' | 'url'>('file')
  const [url, setUrl] = useState('')
  const [file_name, setFileName] = useState('')
  const { percent, error, send } = useSending()
  const insert = useWrite(api.opsOsVersion.insert_package, { done: t('package.added') })
  const older = useCall(api.opsOsVersion.list_from, { kid: version.kid })
  const taken = (ver: number) => version.packages.some((one) => one.from?.ver === ver)
  const options = [
    { value: full, label: t('package.full'), disabled: has_full || is_out },
    ...(older.data ?? []).map(({ kid, os_version, ver, uid_code }) => ({
      value: kid,
      disabled: taken(ver),
      label: `${t('package.difference_from', { version: os_version, ver })} · ${uid_code}`,
    })),
  ]
  const of = { os_version_kid: version.kid, from_kid: from === full ? null : (from ?? null) }
  const failed = () => undefined
  const add = (more: { upload_kid: string } | { url: string; file_name?: string }) =>
    insert.mutateAsync({ ...of, ...more }).then(() => {
      setFrom(undefined)
      setUrl('')
      setFileName('')
    }, failed)
  return (
    <section className="os-package-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('package.add')}</h2>
      <label htmlFor={`${id}-from`}>{t('package.kind')}</label>
      <Select<string>
        id={`${id}-from`}
        {...(from !== undefined && { value: from })}
        placeholder={t('package.choose_from')}
        options={options}
        onChange={setFrom}
      />
      {version.packages.length === 0 && older.data?.length === 0 && <p className="dim">{t('package.no_older')}</p>}
      <Radio.Group
        aria-label={t('package.source')}
        value={source}
        onChange={(event) => setSource(event.target.value as 'file' | 'url')}
        options={[
          { value: 'file', label: t('package.by_file') },
          { value: 'url', label: t('package.by_url') },
        ]}
      />
      {source === 'file' ? (
        <>
          <Button
            icon={<UploadOutlined aria-hidden />}
            disabled={from === undefined}
            loading={percent !== null || insert.isPending}
            onClick={() => input.current?.click()}
          >
            {t('package.choose')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            accept={osFormats.map((format) => `.${format}`).join(',')}
            aria-label={t('package.choose')}
            onChange={(event) => {
              const [file] = event.target.files ?? []
              event.target.value = ''
              if (file) void send(file).then((upload_kid) => (upload_kid ? add({ upload_kid }) : undefined))
            }}
          />
          <div role="status">
            {percent !== null && <Progress percent={percent} size="small" aria-label={t('package.sending')} />}
          </div>
        </>
      ) : (
        <>
          <label htmlFor={`${id}-url`}>{t('package.url')}</label>
          <Input
            id={`${id}-url`}
            value={url}
            maxLength={1000}
            placeholder="https://"
            onChange={(event) => setUrl(event.target.value)}
          />
          <label htmlFor={`${id}-name`}>{t('package.file_name')}</label>
          <Input
            id={`${id}-name`}
            value={file_name}
            maxLength={255}
            placeholder={`m102_${version.uid_code}_full.zip`}
            onChange={(event) => setFileName(event.target.value)}
          />
          <p className="dim">{t('package.file_name_hint')}</p>
          <Button
            loading={insert.isPending}
            disabled={from === undefined || url.trim() === ''}
            onClick={() =>
              void add({ url: url.trim(), ...(file_name.trim() !== '' && { file_name: file_name.trim() }) })
            }
          >
            {t('package.fetch')}
          </Button>
        </>
      )}
      {(error ?? insert.error) && <Failure error={(error ?? insert.error)!} is_line />}
    </section>
  )
}
