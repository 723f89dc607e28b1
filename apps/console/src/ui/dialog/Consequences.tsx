import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Failure } from '../Failure.tsx'
import { useHoldBack } from './hold-back.ts'

type Props<T> = {
  /** A read that is `fresh`: what was true when the dialog was open before says nothing about now. */
  of: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  /** As many lines as it usually takes at most: kept free, so that the buttons below stand still. */
  rows: number
  children: (data: T) => ReactNode
}

/**
 * In a dialog that asks: what its act would do, which the server says after the dialog has opened. The act is held back until
 * then. What could not be found out is told, and keeps nobody from the act.
 */
export function Consequences<T>({ of: { data, error, refetch }, rows, children }: Props<T>) {
  const { t } = useTranslation('common')
  const is_pending = data === undefined && !error
  useHoldBack(is_pending)
  return (
    <div
      className="consequences"
      style={{ '--rows': rows } as React.CSSProperties}
      aria-live="polite"
      aria-busy={is_pending}
    >
      {is_pending && <Skeleton active title={false} paragraph={{ rows: 1 }} />}
      {data === undefined && error && (
        <>
          <p>{t('consequences_unknown')}</p>
          <Failure error={error} retry={refetch} is_line />
        </>
      )}
      {data !== undefined && children(data)}
    </div>
  )
}
