import { Tooltip } from 'antd'
import { cloneElement, useId } from 'react'
import type { ReactElement } from 'react'

type Child = {
  disabled?: boolean
  onClick?: unknown
  'aria-disabled'?: boolean
  'aria-describedby'?: string
}

/**
 * An action that may be impossible now: dimmed, with the reason. `because` undefined means possible. The button stays
 * reachable by keyboard and is read out with its reason, which a disabled one would not be.
 */
export function DisabledReason({
  disabled_reason,
  children,
}: {
  disabled_reason: string | undefined
  children: ReactElement<Child>
}) {
  const id = useId()
  if (!disabled_reason) return children
  const refuse = (event: React.MouseEvent) => {
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <Tooltip title={disabled_reason} trigger={['hover', 'focus']}>
        {cloneElement(children, {
          disabled: false,
          onClick: refuse,
          'aria-disabled': true,
          'aria-describedby': id,
        })}
      </Tooltip>
      <span id={id} hidden>
        {disabled_reason}
      </span>
    </>
  )
}
