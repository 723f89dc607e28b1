import { CaretDownFilled, CaretRightFilled, CloseOutlined, LockOutlined, SearchOutlined } from '@ant-design/icons'
import { Input, Skeleton, Switch } from 'antd'
import { useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { holds } from '@mdm/contract'
import type { Grantable } from '@mdm/contract'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useSession } from '../../core/session.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { checkedOf, choicesOf, found, leavesOf, namesOf, namesOutside, toggled, unfolded } from './permission-choice.ts'
import type { Choice } from './permission-choice.ts'
import './permission-tree.css'

type Props = {
  /** `Field` gives these three. */
  id?: string
  value?: readonly string[]
  onChange?: (value: string[]) => void
  /** Undefined while it is read. */
  grantable: readonly Grantable[] | undefined
  label: string
  disabled?: boolean
}
type Row = { choice: Choice; level: number }

const none: readonly string[] = []

/** Names and patterns of permissions, chosen from the tree of the menu: groups, pages, operations. */
export function PermissionTree({ id, value = none, onChange, grantable, label, disabled }: Props) {
  const { t } = useTranslation('permission-tree')
  const language = useSessionStore((s) => s.language)
  const held = useSession().permissions
  const [typed, setTyped] = useState('')
  const tree = useMemo(() => choicesOf(grantable ?? [], language, t('open_page')), [grantable, language, t])
  if (!grantable) return <Skeleton active title={false} paragraph={{ rows: 8 }} />

  const names = namesOf(tree)
  const is_all = value.includes('*')
  const change = (next: string[]) => disabled || onChange?.(next)
  const all_disabled_reason = !is_all && !holds(held, '*') ? t('all_disabled_reason') : undefined
  const extra = namesOutside(tree, value)
  return (
    <div className="permission-choice" id={id} role="group" aria-label={label}>
      <div className="permission-tools">
        <Input
          type="search"
          allowClear
          maxLength={100}
          prefix={<SearchOutlined aria-hidden />}
          placeholder={t('search')}
          aria-label={t('search')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          // Enter would submit the form around it.
          onPressEnter={(event) => event.preventDefault()}
        />
        <label className="permission-all">
          <DisabledReason disabled_reason={all_disabled_reason}>
            <Switch
              size="small"
              checked={is_all}
              disabled={disabled}
              onChange={(is_on) => change(is_on ? ['*'] : unfolded(tree, ['*']).filter(mayGrant(tree)))}
            />
          </DisabledReason>
          {t('all')}
        </label>
        <span className="permission-count dim" role="status">
          {t('granted', { count: unfolded(tree, value).length, total: names.length })}
        </span>
      </div>
      {extra.length > 0 && (
        <ul className="permission-patterns" aria-label={t('patterns')}>
          {extra.map((pattern) => (
            <li key={pattern} className="chip" title={pattern.includes('*') ? t('pattern_hint') : t('name_hint')}>
              <code>{pattern}</code>
              {!disabled && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t('remove_pattern', { pattern })}
                  onClick={() => change(value.filter((other) => other !== pattern))}
                >
                  <CloseOutlined aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Rows
        tree={found(tree, typed)}
        is_search={typed.trim() !== ''}
        label={label}
        value={value}
        disabled={disabled ?? false}
        onToggle={(choice) => change(toggled(tree, choice, value))}
      />
    </div>
  )
}

/** What of a whole may be granted by the person; the rest of it is not theirs to spell out. */
const mayGrant = (tree: readonly Choice[]) => {
  const free = new Set(leavesOf(tree).flatMap((leaf) => (leaf.may_grant ? [leaf.permission] : [])))
  return (name: string) => free.has(name)
}

type RowsProps = {
  tree: readonly Choice[]
  /** Everything found is open. */
  is_search: boolean
  label: string
  value: readonly string[]
  disabled: boolean
  onToggle: (choice: Choice) => void
}

/** Keys as in every tree: arrows walk and open, Space and Enter check. */
function Rows({ tree, is_search, label, value, disabled, onToggle }: RowsProps) {
  const { t } = useTranslation('permission-tree')
  const [open, setOpen] = useState<Record<string, boolean>>({})
  const [focused, setFocused] = useState<string | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const reason_id = useId()
  const isOpen = (choice: Choice, level: number) => is_search || (open[choice.key] ?? level === 1)
  const walk = (choices: readonly Choice[], level: number): Row[] =>
    choices.flatMap((choice) => [{ choice, level }, ...(isOpen(choice, level) ? walk(choice.children, level + 1) : [])])
  const rows = walk(tree, 1)
  const in_order = rows.find(({ choice }) => choice.key === focused) ?? rows[0]
  const focus = (row: Row | undefined) => {
    if (!row) return
    setFocused(row.choice.key)
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.choice.key)}"]`)?.focus()
  }
  const toggleOpen = (choice: Choice, to: boolean) => setOpen((now) => ({ ...now, [choice.key]: to }))
  const isLocked = (choice: Choice) => !leavesOf([choice]).some(({ may_grant }) => may_grant)
  const check = (choice: Choice) => !disabled && !isLocked(choice) && onToggle(choice)

  const keyed = (event: KeyboardEvent, row: Row) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const at = rows.indexOf(row)
    const { choice, level } = row
    const is_branch = choice.children.length > 0
    const act: Record<string, () => unknown> = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      Enter: () => check(choice),
      ' ': () => check(choice),
      ArrowRight: () => is_branch && (isOpen(choice, level) ? focus(rows[at + 1]) : toggleOpen(choice, true)),
      ArrowLeft: () =>
        is_branch && isOpen(choice, level) && !is_search
          ? toggleOpen(choice, false)
          : focus(rows.slice(0, at).findLast((other) => other.level < level)),
    }
    const todo = act[event.key]
    if (!todo) return
    event.preventDefault()
    todo()
  }

  if (rows.length === 0) return <p className="permission-none dim">{t(is_search ? 'none_match' : 'nothing')}</p>
  return (
    <>
      <span id={reason_id} hidden>
        {t('not_held')}
      </span>
      <ul role="tree" aria-label={label} aria-multiselectable className="permission-rows" ref={list}>
        {rows.map((row) => {
          const { choice, level } = row
          const is_branch = choice.children.length > 0
          const checked = checkedOf(choice, value)
          const is_locked = isLocked(choice)
          return (
            <li
              key={choice.key}
              role="treeitem"
              data-key={choice.key}
              data-branch={is_branch || undefined}
              aria-level={level}
              aria-checked={checked}
              aria-expanded={is_branch ? isOpen(choice, level) : undefined}
              aria-disabled={disabled || is_locked}
              aria-describedby={is_locked ? reason_id : undefined}
              title={is_locked ? t('not_held') : undefined}
              tabIndex={row === in_order ? 0 : -1}
              style={{ paddingInlineStart: (level - 1) * 22 }}
              onFocus={() => setFocused(choice.key)}
              onClick={() => check(choice)}
              onKeyDown={(event) => keyed(event, row)}
            >
              {is_branch ? (
                // The arrow keys do the same; a second stop for the same thing would only be in the way.
                <span
                  className="permission-caret"
                  aria-hidden
                  onClick={(event) => {
                    event.stopPropagation()
                    if (!is_search) toggleOpen(choice, !isOpen(choice, level))
                  }}
                >
                  {isOpen(choice, level) ? <CaretDownFilled aria-hidden /> : <CaretRightFilled aria-hidden />}
                </span>
              ) : (
                <span className="permission-caret" />
              )}
              <i className="permission-tick" data-checked={checked} aria-hidden />
              <span className="permission-name">{choice.name}</span>
              {is_locked && <LockOutlined className="dim" aria-hidden />}
              {is_branch ? (
                <Part of={choice} value={value} />
              ) : (
                <code className="permission-code dim" aria-hidden>
                  {choice.permission}
                </code>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function Part({ of, value }: { of: Choice; value: readonly string[] }) {
  const { t } = useTranslation('permission-tree')
  return (
    <span className="permission-part dim">
      {t('part', { count: unfolded([of], value).length, total: namesOf([of]).length })}
    </span>
  )
}
