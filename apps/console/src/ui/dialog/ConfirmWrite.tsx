import type { ReactNode } from 'react'
import type { Out, Sent } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { ConfirmDanger } from './ConfirmDanger.tsx'

type Props<C extends AnyCall> = {
  call: C
  input: Sent<C>
  /** A question that names what is hit: 'Delete the webhook Orders?' */
  title: string
  submit: string
  /** Said when it worked. */
  done?: string | ((answer: Out<C>) => string)
  /** Other groups whose reads this changes. */
  also?: readonly string[]
  /** Has to be typed first. */
  word?: 'DELETE'
  dismiss?: string
  /** What will happen; it may depend on how the server refused. */
  children?: ReactNode | ((error: CallFailed | null) => ReactNode)
  onDone?: (data: Out<C>) => void
  /** Where to, from a page about what is gone then. */
  leave?: () => unknown
  onClose: () => void
}

/** Asks before one write that takes something away, makes it, and closes. Mount it only while open. */
export function ConfirmWrite<C extends AnyCall>(props: Props<C>) {
  const { call, input, done, also, children, onDone, leave, onClose } = props
  const write = useWrite(call, {
    ...(done !== undefined && { done }),
    ...(also && { also }),
    ...(leave && { leave }),
    onSuccess: (data) => {
      onDone?.(data)
      // Of a page that was left the address is gone, and with it the dialog.
      if (!leave) onClose()
    },
  })
  return (
    <ConfirmDanger
      title={props.title}
      submit={props.submit}
      dismiss={props.dismiss}
      word={props.word}
      loading={write.isPending}
      submitError={write.error}
      onConfirm={() => write.mutateAsync(input)}
      onClose={onClose}
    >
      {typeof children === 'function' ? children(write.error) : children}
    </ConfirmDanger>
  )
}
