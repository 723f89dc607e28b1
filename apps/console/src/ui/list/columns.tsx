import { ArrowDownOutlined, ArrowUpOutlined, SettingOutlined } from '@ant-design/icons'
import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { config_group_permission, ltscopes } from '@mdm/contract'
import { Dialog } from '../dialog/Dialog.tsx'
import type { Column } from './ListPage.tsx'
import { api, useWrite } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'
import { useAccountDefaults } from '../../core/account-defaults.ts'
import { usePreference } from '../../core/preferences.ts'

type Choice = { order: string[]; hidden: string[] }
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
const isChoice = (value: unknown): value is Choice =>
  typeof value === 'object' && value !== null && isTexts((value as Choice).order) && isTexts((value as Choice).hidden)

export type Columns<R> = {
  /** Of the list, where its choice is remembered. */
  id?: string
  shown: readonly Column<R>[]
  all: readonly Column<R>[]
  choice: Choice
  choose: (choice: Choice | null) => void
}

/** The one list whose columns an account arranges for its people. */
const device_list = 'device-list'

/** Which columns a person sees, and in which order, remembered per person and list. */
export function useColumns<R>(id: string, columns: readonly Column<R>[]): Columns<R> {
  const [stored, choose] = usePreference(`columns.${id}`, isChoice)
  const of_account = useAccountDefaults((s) => (id === device_list ? s.columns : null))
  return { ...arranged(columns, stored ?? of_account, choose), id }
}

/** The same for as long as something is open: it begins with `columns` as they are. */
export function useColumnsHere<R>({ all, choice }: Columns<R>): Columns<R> {
  const [chosen, choose] = useState<Choice | null>(choice)
  return arranged(all, chosen, choose)
}

function arranged<R>(columns: readonly Column<R>[], chosen: Choice | null, choose: Columns<R>['choose']): Columns<R> {
  // A column that is new since the choice was made is hidden if it is delivered so.
  const hidden = columns.filter(({ key, is_hidden }) => is_hidden && !chosen?.order.includes(key)).map(({ key }) => key)
  const choice = { order: chosen?.order ?? [], hidden: [...(chosen?.hidden ?? []), ...hidden] }
  // A column that is new since the choice was made keeps the place it is delivered in.
  const rank = (column: Column<R>) => {
    if (column.is_fixed) return -1
    const at = choice.order.indexOf(column.key)
    return at >= 0 ? at : columns.indexOf(column)
  }
  const all = [...columns].sort((a, b) => rank(a) - rank(b))
  return {
    all,
    shown: all.filter((column) => column.is_fixed || !choice.hidden.includes(column.key)),
    choice,
    choose,
  }
}

export function ColumnsButton<R>({ columns }: { columns: Columns<R> }) {
  const { t } = useTranslation('common')
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <Button
        type="text"
        icon={<SettingOutlined aria-hidden />}
        aria-label={t('list.columns')}
        title={t('list.columns')}
        onClick={() => setOpen(true)}
      />
      {is_open && <ColumnsDialog columns={columns} onClose={() => setOpen(false)} />}
    </>
  )
}

function ColumnsDialog<R>({ columns, onClose }: { columns: Columns<R>; onClose: () => void }) {
  const { t } = useTranslation('common')
  return (
    <Dialog
      width={400}
      title={t('list.columns_title')}
      onCancel={onClose}
      footer={
        <>
          <Button type="text" onClick={() => columns.choose(null)}>
            {t('list.columns_reset')}
          </Button>
          {columns.id === device_list && <ForAccount columns={columns} />}
          <Button onClick={onClose}>{t('close')}</Button>
        </>
      }
    >
      <ColumnChoice columns={columns} />
    </Dialog>
  )
}

/** Makes the choice that of everybody in the account who has made none. */
function ForAccount<R>({ columns: { all, choice } }: { columns: Columns<R> }) {
  const { t } = useTranslation('common')
  const may_edit = useMay('deviceDetailConfig:edit')
  const may_account = useMay(config_group_permission)
  const save = useWrite(api.terminalConfig.save, { done: t('list.columns_for_account_done') })
  if (!may_edit || !may_account) return null
  const list_columns = { order: all.map((column) => column.key), hidden: choice.hidden }
  return (
    <Button
      type="text"
      loading={save.isPending}
      onClick={() => {
        void save.run({ ltscope: ltscopes.account, list_columns })
        useAccountDefaults.setState({ columns: list_columns })
      }}
    >
      {t('list.columns_for_account')}
    </Button>
  )
}

/** Columns to be ticked and put in order. */
export function ColumnChoice<R>({ columns: { all, choice, choose } }: { columns: Columns<R> }) {
  const { t } = useTranslation('common')
  const order = all.map((column) => column.key)
  const toggle = (key: string, is_shown: boolean) =>
    choose({ order, hidden: is_shown ? choice.hidden.filter((each) => each !== key) : [...choice.hidden, key] })
  const move = (at: number, by: number) => {
    const next = [...order]
    next.splice(at + by, 0, ...next.splice(at, 1))
    choose({ order: next, hidden: choice.hidden })
  }
  return (
    <ul className="column-choice">
      {all.map((column, at) => (
        <li key={column.key}>
          <Checkbox
            checked={column.is_fixed || !choice.hidden.includes(column.key)}
            disabled={column.is_fixed}
            onChange={(event) => toggle(column.key, event.target.checked)}
          >
            {column.title}
          </Checkbox>
          {!column.is_fixed && (
            <span>
              <Button
                type="text"
                size="small"
                icon={<ArrowUpOutlined aria-hidden />}
                disabled={at === 0 || all[at - 1]?.is_fixed}
                aria-label={t('list.column_up', { name: column.title })}
                onClick={() => move(at, -1)}
              />
              <Button
                type="text"
                size="small"
                icon={<ArrowDownOutlined aria-hidden />}
                disabled={at === all.length - 1}
                aria-label={t('list.column_down', { name: column.title })}
                onClick={() => move(at, 1)}
              />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
