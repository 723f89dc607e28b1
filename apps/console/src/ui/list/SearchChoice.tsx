import { Input, Menu, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import type { AnyCall, ReadResult } from '../../core/api.ts'
import type { Typed } from '../form/search-select.ts'
import { Failure } from '../Failure.tsx'

type Props = {
  typed: Typed
  query: Pick<ReadResult<AnyCall>, 'data' | 'error' | 'isPending' | 'refetch'>
  /** What is looked for, where it is typed. */
  label: string
  /** Offered before what was found, while nothing is typed. */
  fixed?: readonly { key: string; label: string }[]
  found: readonly { key: string; label: ReactNode }[]
  none: string
  chosen: string | undefined
  onChoose: (key: string) => void
}

/** The editor of a filter: one of what a call finds by a text. */
export function SearchChoice({ typed, query, label, fixed = [], found, none, chosen, onChoose }: Props) {
  return (
    <>
      <Input
        autoFocus
        size="small"
        allowClear
        maxLength={100}
        placeholder={label}
        aria-label={label}
        value={typed.typed}
        onChange={(event) => typed.setTyped(event.target.value)}
      />
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 3 }} />}
      <Menu
        className="filter-menu"
        selectedKeys={chosen ? [chosen] : []}
        items={[...(typed.text ? [] : fixed), ...found]}
        onClick={({ key }) => onChoose(key)}
      />
      {query.data && found.length === 0 && <p className="dim">{none}</p>}
    </>
  )
}
