import { AutoComplete, DatePicker, Input, InputNumber, Select } from 'antd'
import dayjs from 'dayjs'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { tagLimits, whereLimits } from '@mdm/contract'
import type { WhereKind } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useCustomFields } from '../device-fields.tsx'
import { useGroups } from '../../groups/GroupPicker.tsx'
import { flat } from '../../groups/group-tree.ts'
import { instantOf, pickInZone, wallOf } from '../../../ui/value/wall-time.ts'
import { useMay, useZone } from '../../../core/session.tsx'
import { kidOfField } from './where-draft.ts'
import type { DraftCondition } from './where-draft.ts'

type Props = {
  condition: DraftCondition
  kind: WhereKind
  is_marked: boolean
  onChange: (value: unknown) => void
}

/** The editor of a condition's value, by the kind of what it is about. */
export function WhereValue(props: Props) {
  const { condition, kind } = props
  const { op } = condition
  if (op === 'is_empty' || op === 'is_filled') return null
  if (op === 'older_than' || op === 'within') return <Days {...props} />
  if (kind === 'text') return <Text {...props} />
  if (kind === 'number') return <Range {...props} />
  if (kind === 'time') return <Time {...props} />
  if (kind === 'date') return <Day {...props} />
  if (kind === 'yes_no') return <YesNo {...props} />
  if (kind === 'app') return <App {...props} />
  return <Several {...props} />
}

const useShared = ({ is_marked }: Props) => {
  const { t } = useTranslation('device-filters')
  return { size: 'small', 'aria-label': t('build.value'), status: is_marked ? 'error' : undefined } as const
}

function Text(props: Props) {
  const shared = useShared(props)
  return (
    <Input
      {...shared}
      maxLength={100}
      value={props.condition.value as string}
      onChange={(event) => props.onChange(event.target.value)}
    />
  )
}

function Range(props: Props) {
  const { t } = useTranslation('device-filters')
  const shared = useShared(props)
  const { condition, onChange } = props
  const range = (condition.value ?? {}) as { min?: number | null; max?: number | null }
  const unit = { battery_level: '%', signal: 'dBm' }[condition.field as 'signal']
  const bound = (key: 'min' | 'max') => (
    <InputNumber<number>
      {...shared}
      aria-label={t(`build.${key}`)}
      placeholder={t(`build.${key}`)}
      suffix={unit}
      value={range[key] ?? null}
      onChange={(value) => onChange({ ...range, [key]: value ?? undefined })}
    />
  )
  return (
    <>
      {bound('min')}
      {bound('max')}
    </>
  )
}

function Days(props: Props) {
  const { t } = useTranslation('device-filters')
  const shared = useShared(props)
  return (
    <InputNumber<number>
      {...shared}
      min={1}
      max={36_500}
      precision={0}
      suffix={t('days_unit')}
      value={(props.condition.value as number | undefined) ?? null}
      onChange={(value) => props.onChange(value ?? undefined)}
    />
  )
}

function Time(props: Props) {
  const shared = useShared(props)
  const zone = useZone()
  useEffect(() => pickInZone(zone), [zone])
  const { value } = props.condition
  return (
    <DatePicker
      {...shared}
      showTime
      format="YYYY/MM/DD HH:mm:ss"
      value={typeof value === 'string' ? wallOf(value, zone) : null}
      onChange={(at) => props.onChange(at ? instantOf(at, zone) : undefined)}
    />
  )
}

function Day(props: Props) {
  const shared = useShared(props)
  const { value } = props.condition
  return (
    <DatePicker
      {...shared}
      format="YYYY/MM/DD"
      value={typeof value === 'string' ? dayjs(value) : null}
      onChange={(at) => props.onChange(at?.format('YYYY-MM-DD'))}
    />
  )
}

function YesNo(props: Props) {
  const { t } = useTranslation('common')
  const shared = useShared(props)
  return (
    <Select<'true' | 'false'>
      {...shared}
      value={props.condition.value === true ? 'true' : 'false'}
      options={[
        { value: 'true', label: t('yes') },
        { value: 'false', label: t('no') },
      ]}
      onChange={(value) => props.onChange(value === 'true')}
    />
  )
}

/** A package, which may be one that the app center does not have, and the version that it is compared with. */
function App(props: Props) {
  const { t } = useTranslation('device-filters')
  const shared = useShared(props)
  const { condition, onChange } = props
  const may_list = useMay('appCenterList')
  const known = useCall(api.appCenter.paging, { page_size: 200, sort: 'name' }, { enabled: may_list }).data?.items ?? []
  const value = (condition.value ?? {}) as { package?: string; version?: string; version_code?: number }
  const has_version = !['is_installed', 'is_not_installed'].includes(condition.op)
  const packages = new Map(known.map((app) => [app.package, app.name]))
  return (
    <>
      <AutoComplete
        {...shared}
        aria-label={t('build.package')}
        placeholder={t('build.package')}
        className="where-package"
        popupMatchSelectWidth={false}
        showSearch={{
          filterOption: (text, option) => String(option?.label).toLowerCase().includes(text.trim().toLowerCase()),
        }}
        options={[...packages].map(([name, title]) => ({ value: name, label: `${title} (${name})` }))}
        value={value.package ?? ''}
        onChange={(name: string) => onChange({ package: name, version: value.version })}
      />
      {has_version && (
        <Input
          {...shared}
          aria-label={t('build.version')}
          placeholder={t('build.version')}
          maxLength={100}
          value={value.version ?? ''}
          suffix={value.version_code !== undefined && <span className="dim">({value.version_code})</span>}
          // The code was of what stood there.
          onChange={(event) => onChange({ package: value.package, version: event.target.value })}
        />
      )}
    </>
  )
}

/** Of choices, tags and groups. */
function Several(props: Props) {
  const shared = useShared(props)
  const options = useOptions(props)
  const value = props.condition.value as string[]
  // What devices call themselves may be typed although no device is called so now; tags and groups are chosen.
  const is_open = ['model', 'os_version', 'uid'].includes(props.condition.field)
  return (
    <Select<string[]>
      {...shared}
      mode={is_open ? 'tags' : 'multiple'}
      className="wide"
      maxCount={props.kind === 'tags' ? tagLimits.of_device : whereLimits.values}
      showSearch={{ optionFilterProp: 'label' }}
      popupMatchSelectWidth={false}
      options={options}
      value={value}
      onChange={props.onChange}
    />
  )
}

function useOptions({ condition, kind }: Props): { value: string; label: string }[] {
  const { t } = useTranslation('device')
  const facets = useCall(api.terminal.facets, {}).data
  const tags = useCall(api.terminal.list_tag, {}, { enabled: kind === 'tags' }).data ?? []
  const { tree } = useGroups()
  const fields = useCustomFields()
  const plain = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }))
  const kid = kidOfField(condition.field)
  if (kid !== undefined) return plain(fields.find((field) => field.kid === kid)?.choices)
  if (kind === 'tags') return plain(tags)
  if (kind === 'group') {
    const none = { value: 'NO_GROUP', label: t('group.none') }
    return [none, ...flat(tree).map(({ kid: value, path }) => ({ value, label: path.join(' / ') }))]
  }
  if (condition.field === 'model') return plain(facets?.models)
  if (condition.field === 'os_version') return plain(facets?.os_versions)
  if (condition.field === 'uid') return plain(facets?.uids)
  return (['wifi', 'mobile', 'ethernet', 'none'] as const).map((value) => ({ value, label: t(`network.${value}`) }))
}
