import { Button, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OsVersionDetail } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { localeOf } from '../../../i18n/language.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { bytesParts } from '../../../ui/value/format.ts'

/** The server makes differences from the chosen older versions, whose full packages it has. */
export function MakeDifferences({ version }: { version: OsVersionDetail }) {
  const { t } = useTranslation('os-version')
  const id = useId()
  const locale = useSessionStore((state) => localeOf[state.language])
  const [chosen, setChosen] = useState<string[]>([])
  const older = useCall(api.opsOsVersion.list_from, { kid: version.kid })
  const make = useWrite(api.opsOsVersion.make_differences, { done: t('make.begun') })
  const has_full = version.packages.some(({ kind, state }) => kind === 'full' && state === 'ready')
  const taken = (ver: number) => version.packages.some(({ from }) => from?.ver === ver)
  const options = (older.data ?? [])
    .filter(({ ver }) => !taken(ver))
    .map(({ kid, os_version, ver, full_size }) => ({
      value: kid,
      disabled: full_size === null,
      name: `${os_version} (VER ${ver})`,
      label: `${os_version} (VER ${ver}) · ${full_size === null ? t('make.no_full') : bytesParts(full_size, locale).join(' ')}`,
    }))
  const there = chosen.filter((kid) => options.some(({ value }) => value === kid))
  if (older.data?.length === 0) return null
  return (
    <section className="os-package-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('make.title')}</h2>
      <p className="dim">{t(has_full ? 'make.hint' : 'make.needs_full')}</p>
      <label htmlFor={`${id}-from`}>{t('make.from')}</label>
      <Select<string[]>
        id={`${id}-from`}
        mode="multiple"
        value={there}
        disabled={!has_full}
        placeholder={t('make.choose')}
        optionFilterProp="name"
        optionLabelProp="name"
        options={options}
        onChange={setChosen}
      />
      <Button
        loading={make.isPending}
        disabled={!has_full || there.length === 0}
        onClick={() =>
          void make.mutateAsync({ os_version_kid: version.kid, from_kids: there }).then(
            () => setChosen([]),
            () => undefined,
          )
        }
      >
        {t('make.submit')}
      </Button>
      {make.error && <Failure error={make.error} is_line />}
    </section>
  )
}
