import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input, Select, Skeleton } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppSetting } from '@mdm/contract'
import { managed_apps } from '@mdm/contract/config/apps.ts'
import type { ManagedEntry } from '@mdm/contract/config/apps.ts'
import { useTextOf } from '../../../../i18n/use-text-of.ts'
import { listText } from '../../../../i18n/list-text.ts'
import { Failure } from '../../../../ui/Failure.tsx'
import { isSettable, valueOf, withSetting } from './entries.ts'
import { useAppSettings } from './offered-apps.ts'
import { SettingControl } from './SettingControl.tsx'

type Props = {
  package: string
  /** Of the app center; of others the package is the name. */
  name: string
  entries: readonly ManagedEntry[]
  onChange: (entries: ManagedEntry[]) => void
  onRemove: () => void
}
/** What is set of one app: a form of what its package says can be set, and beside that whatever else is typed. */
export function AppPart({ package: of, name, entries, onChange, onRemove }: Props) {
  const { t } = useTranslation('configure/edit')
  const query = useAppSettings(of)
  const settings = query.data ?? []
  const others = entries.filter((entry) => entry.package === of && !settings.some(({ key }) => key === entry.key))
  const nested = settings.filter((setting) => !isSettable(setting))
  return (
    <fieldset className="config-app" aria-label={name}>
      <div className="config-app-head">
        <span className="config-app-name">{name}</span>
        {name !== of && <span className="code dim">{of}</span>}
        <Button
          type="text"
          icon={<DeleteOutlined aria-hidden />}
          aria-label={t('apps.remove', { name })}
          onClick={onRemove}
        />
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 3 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.data && settings.length === 0 && <p className="dim">{t('apps.says_nothing')}</p>}
      {settings.filter(isSettable).map((setting) => (
        <Setting
          key={setting.key}
          setting={setting}
          value={valueOf(entries, { package: of, key: setting.key })}
          onChange={(value) =>
            onChange(withSetting(entries, { package: of, key: setting.key, kind: setting.kind, value }))
          }
        />
      ))}
      {nested.length > 0 && (
        <p className="dim">
          {t('apps.nested', { count: nested.length, keys: listText(nested.map(({ key }) => key)) })}
        </p>
      )}
      <Others of={of} name={name} others={others} entries={entries} onChange={onChange} />
    </fieldset>
  )
}

type SettingProps = {
  setting: AppSetting & { kind: ManagedEntry['kind'] }
  value: string | undefined
  onChange: (value: string | undefined) => void
}
function Setting({ setting, value, onChange }: SettingProps) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const id = useId()
  const { title, description, preset, options, kind } = setting
  const label = textOf(title)
  const said = (one: string) => {
    if (kind === 'yes_no') return t(one === 'true' ? 'common:yes' : 'common:no')
    const option = options.find((each) => each.value === one)
    return option ? textOf(option.title) : one
  }
  const shown = preset && (kind === 'several' ? listText(preset.split(',').map(said)) : said(preset))
  return (
    <div className="config-setting">
      <label htmlFor={id}>{label}</label>
      <SettingControl
        id={id}
        label={label}
        kind={kind}
        options={options}
        value={value}
        placeholder={shown ? t('apps.preset', { value: shown }) : t('apps.not_set')}
        onChange={onChange}
      />
      {description && <span className="dim">{textOf(description)}</span>}
    </div>
  )
}

type OthersProps = {
  of: string
  name: string
  others: readonly ManagedEntry[]
  entries: readonly ManagedEntry[]
  onChange: (entries: ManagedEntry[]) => void
}
/** Settings that the package does not name: key, kind and value as they are typed. */
function Others({ of, name, others, entries, onChange }: OthersProps) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const id = useId()
  const { key: key_field, kind: kind_field, value: value_field } = managed_apps.fields.entries.fields!
  const change = (old: ManagedEntry, next: Partial<ManagedEntry>) =>
    onChange(entries.map((entry) => (entry === old ? { ...entry, ...next } : entry)))
  return (
    <>
      {others.map((entry) => {
        const at = entries.indexOf(entry)
        return (
          <div key={at} className="config-setting-other" role="group" aria-label={`${name} ${entry.key}`}>
            <Input
              aria-label={textOf(key_field!.title)}
              placeholder={textOf(key_field!.title)}
              value={entry.key}
              maxLength={100}
              onChange={(event) => change(entry, { key: event.target.value })}
            />
            <Select<ManagedEntry['kind']>
              aria-label={textOf(kind_field!.title)}
              value={entry.kind}
              options={Object.entries(kind_field!.options ?? {}).map(([value, text]) => ({
                value: value as ManagedEntry['kind'],
                label: textOf(text),
              }))}
              onChange={(kind) => change(entry, { kind, value: '' })}
            />
            <SettingControl
              id={`${id}-${at}`}
              label={textOf(value_field!.title)}
              placeholder={textOf(value_field!.title)}
              kind={entry.kind}
              value={entry.value || undefined}
              onChange={(value) => change(entry, { value: value ?? '' })}
            />
            <Button
              type="text"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t('apps.remove_setting', { key: entry.key })}
              onClick={() => onChange(entries.filter((each) => each !== entry))}
            />
          </div>
        )
      })}
      <Button
        type="dashed"
        size="small"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => onChange([...entries, { package: of, key: '', kind: 'text', value: '' }])}
      >
        {t('apps.add_setting')}
      </Button>
    </>
  )
}
