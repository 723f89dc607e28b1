import { CheckOutlined, CloseOutlined, FilterOutlined } from '@ant-design/icons'
import { Button, Input, Menu, Skeleton } from 'antd'
import type { MenuRef } from 'antd'
import { lazy, Suspense, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { listText } from '../../i18n/list-text.ts'
import { useZone } from '../../core/session.tsx'
import { dateParts } from '../value/format.ts'
import { timesOf } from './params.ts'
import type { ListParams, ParamSchema } from './params.ts'
import { Popup, TakesFocus } from '../dialog/Popup.tsx'

/** One filter of a list: a chip that reads 'Model: CT-60' and can be taken off. `key` is the input's name. */
export type Filter =
  | { key: string; label: string; kind: 'one'; options: readonly FilterOption[] }
  | { key: string; label: string; kind: 'many'; options: readonly FilterOption[] }
  /** `is_quick`: two buttons in the tools, because people ask for it all day. */
  | { key: string; label: string; kind: 'yes_no'; yes: string; no: string; is_quick?: boolean }
  /** Two inputs, `key` and `until`: instants from and to. Without `until` one of the kind `json`: `{ from, to }`. */
  | { key: string; until?: string; label: string; kind: 'time' }
  /** One input of the kind `json`: `{ min, max }`, both of them. */
  | { key: string; label: string; kind: 'range'; min: number; max: number; unit: string }
  /** One input of the kind `texts`, pasted from a sheet: at most `max` of them; `shown` says how many are asked for. */
  | { key: string; label: string; kind: 'pasted'; max: number; shown: string; missing: readonly string[] }
  /** Chosen in a drawer or dialog that the page opens; `shown` says in words what is chosen. */
  | { key: string; label: string; kind: 'elsewhere'; shown: string | undefined; open: () => void }
  /** Chosen in an editor of its own, where the options are too many to be listed; `shown` names what is chosen. */
  | {
      key: string
      label: string
      kind: 'own'
      shown: string | undefined
      editor: (choose: (value: string) => void) => ReactNode
    }
export type TimeFilter = Extract<Filter, { kind: 'time' }>
export type RangeFilter = Extract<Filter, { kind: 'range' }>
export type PastedFilter = Extract<Filter, { kind: 'pasted' }>
type FilterOption = { value: string; label: string; icon?: ReactNode }

// The calendar is large, the field for numbers not small, and most visits to a list need neither.
const TimeEditor = lazy(() => import('./TimeEditor.tsx').then((m) => ({ default: m.TimeEditor })))
const RangeEditor = lazy(() => import('./RangeEditor.tsx').then((m) => ({ default: m.RangeEditor })))
const PastedEditor = lazy(() => import('./PastedEditor.tsx').then((m) => ({ default: m.PastedEditor })))

type Params = ListParams<ParamSchema>
type Range = { min: number; max: number }
type Props = { filters: readonly Filter[]; params: Params }

/** The filters in force as chips, and a button that adds one. */
export function FilterChips({ filters, params }: Props) {
  const { t } = useTranslation('common')
  const zone = useZone()
  const quick = filters.filter(isQuick)
  const others = filters.filter((filter) => !isQuick(filter))
  const on = others.filter((filter) => readFilter(filter, params.values, zone) !== undefined)
  return (
    <div className="chips">
      {quick.map((filter) => (
        <QuickFilter key={filter.key} filter={filter} params={params} />
      ))}
      {on.map((filter) => (
        <span className="chip" key={filter.key}>
          <Chip
            filter={filter}
            params={params}
            text={t('list.filter_value', { name: filter.label, value: readFilter(filter, params.values, zone) })}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={t('list.remove_filter', { name: filter.label })}
            onClick={() => params.set(cleared(filter))}
          >
            <CloseOutlined aria-hidden />
          </button>
        </span>
      ))}
      {on.length < others.length && (
        <FilterPopover filters={others.filter((filter) => !on.includes(filter))} all={others} params={params}>
          <Button type="text" icon={<FilterOutlined aria-hidden />} aria-haspopup="dialog">
            {t('list.add_filter')}
          </Button>
        </FilterPopover>
      )}
    </div>
  )
}

type Quick = Extract<Filter, { kind: 'yes_no' }>
const isQuick = (filter: Filter): filter is Quick => filter.kind === 'yes_no' && filter.is_quick === true

/** One click filters, another takes it back. */
function QuickFilter({ filter, params }: { filter: Quick; params: Params }) {
  const value = params.values[filter.key]
  const button = (wanted: boolean, word: string) => (
    <button
      type="button"
      className="chip quick-filter"
      aria-pressed={value === wanted}
      onClick={() => params.set({ [filter.key]: value === wanted ? null : wanted })}
    >
      {word}
    </button>
  )
  return (
    <span role="group" aria-label={filter.label} className="quick-filters">
      {button(true, filter.yes)}
      {button(false, filter.no)}
    </span>
  )
}

function Chip({ filter, params, text }: { filter: Filter; params: Params; text: string }) {
  const button = (open?: () => void) => (
    <button type="button" className="chip-text" title={text} onClick={open}>
      {text}
    </button>
  )
  if (filter.kind === 'elsewhere') return button(filter.open)
  return (
    <FilterPopover filters={[filter]} params={params}>
      {button()}
    </FilterPopover>
  )
}

type PopoverProps = Props & {
  /** Among them the one whose first value has been chosen here. */ all?: readonly Filter[]
  children: ReactNode
}
function FilterPopover({ filters, all = filters, params, children }: PopoverProps) {
  const [is_open, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)
  const filter = all.find(({ key }) => key === chosen) ?? (filters.length === 1 ? filters[0] : undefined)
  // The next time it begins with the names again, however it was closed.
  const show = (open: boolean) => {
    setOpen(open)
    if (!open) setChosen(null)
  }
  const choose = (key: string) => {
    const wanted = filters.find((each) => each.key === key)
    if (wanted?.kind !== 'elsewhere') return setChosen(key)
    show(false)
    wanted.open()
  }
  return (
    <Popup
      open={is_open}
      onOpenChange={show}
      placement="bottomLeft"
      content={
        <Suspense fallback={<Skeleton.Input active />}>
          {/* What is chosen first gives way to the editor of its value, and the focus goes along. */}
          <TakesFocus key={filter?.key ?? ''}>
            {filter ? (
              <FilterEditor filter={filter} params={params} onDone={() => show(false)} />
            ) : (
              <Menu
                className="filter-menu"
                selectable={false}
                items={filters.map(({ key, label }) => ({ key, label }))}
                onClick={({ key }) => choose(key)}
              />
            )}
          </TakesFocus>
        </Suspense>
      }
    >
      {children}
    </Popup>
  )
}

function FilterEditor({ filter, params, onDone }: { filter: Filter; params: Params; onDone: () => void }) {
  const { t } = useTranslation('common')
  const [wanted, setWanted] = useState('')
  const menu = useRef<MenuRef>(null)
  const value = params.values[filter.key]
  // The address follows a moment later, and the next choice may come before.
  const [several, setSeveral] = useState(() => (Array.isArray(value) ? (value as string[]) : []))
  if (filter.kind === 'time') return <TimeEditor filter={filter} params={params} />
  if (filter.kind === 'range') return <RangeEditor filter={filter} params={params} onDone={onDone} />
  if (filter.kind === 'pasted') return <PastedEditor filter={filter} params={params} onDone={onDone} />
  if (filter.kind === 'elsewhere') return null
  if (filter.kind === 'own') {
    return filter.editor((chosen) => {
      params.set({ [filter.key]: chosen })
      onDone()
    })
  }
  const options: readonly FilterOption[] =
    filter.kind === 'yes_no'
      ? [
          { value: 'true', label: filter.yes },
          { value: 'false', label: filter.no },
        ]
      : filter.options
  const shown = options.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
  const many = filter.kind === 'many'
  const selected = many ? several : value === undefined ? [] : [String(value)]
  const choose = (key: string) => {
    if (many) {
      const next = selected.includes(key) ? selected.filter((each) => each !== key) : [...selected, key]
      setSeveral(next)
      return params.set({ [filter.key]: next.length > 0 ? next : null })
    }
    params.set({ [filter.key]: filter.kind === 'yes_no' ? key === 'true' : key })
    onDone()
  }
  return (
    <div>
      {options.length > 8 && (
        <Input
          autoFocus
          size="small"
          allowClear
          placeholder={t('search')}
          aria-label={t('search')}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            menu.current?.focus()
          }}
        />
      )}
      <Menu
        ref={menu}
        className="filter-menu"
        multiple={many}
        selectedKeys={selected}
        items={shown.map(({ value: key, label, icon }) => ({
          key,
          label,
          icon,
          ...(many && checkable(selected.includes(key))),
        }))}
        onClick={({ key }) => choose(key)}
      />
    </div>
  )
}

/** A choice that stays where it is while others are made beside it. */
const checkable = (is_checked: boolean) => ({
  role: 'menuitemcheckbox',
  'aria-checked': is_checked,
  extra: <CheckOutlined aria-hidden style={{ visibility: is_checked ? 'visible' : 'hidden' }} />,
})

const cleared = (filter: Filter) => ({
  [filter.key]: null,
  ...(filter.kind === 'time' && filter.until !== undefined && { [filter.until]: null }),
})

/** How a list is filtered, in the words of its chips; empty when it is not. */
export function useFilterSummary(filters: readonly Filter[] | undefined, { values }: Params): string {
  const zone = useZone()
  const text = values['text']
  return listText([
    ...(typeof text === 'string' ? [text] : []),
    ...(filters ?? []).flatMap((each) => readFilter(each, values, zone) ?? []),
  ])
}

function readFilter(filter: Filter, values: Params['values'], zone: string): string | undefined {
  const value = values[filter.key]
  if (filter.kind === 'time') {
    const [from, until] = timesOf(filter, values)
    if (from === undefined && until === undefined) return undefined
    const text = (at: unknown) =>
      typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? dateParts(at, zone).join(' ') : '…'
    return `${text(from)} – ${text(until)}`
  }
  if (value === undefined) return undefined
  if (filter.kind === 'yes_no') return value === true ? filter.yes : filter.no
  if (filter.kind === 'own' || filter.kind === 'elsewhere' || filter.kind === 'pasted') return filter.shown ?? '…'
  if (filter.kind === 'range') {
    const { min, max } = value as Range
    return `${min} – ${max} ${filter.unit}`
  }
  const label = (each: unknown) => filter.options.find((option) => option.value === String(each))?.label ?? String(each)
  return Array.isArray(value) ? listText(value.map(label)) : label(value)
}
