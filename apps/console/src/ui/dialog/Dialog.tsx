import { Modal } from 'antd'
import type { ModalProps } from 'antd'
import { useEffect, useRef } from 'react'
import { takeFirstFocus } from './take-focus.ts'

/**
 * Every dialog with a cross: the focus begins at its first field, or at the first button of its foot, which does no harm,
 * where nothing is to be filled in. Mount it only while open.
 */
export function Dialog({ title, ...props }: Omit<ModalProps, 'open' | 'closable'>) {
  const heading = useRef<HTMLSpanElement>(null)
  useEffect(() => takeFirstFocus(() => heading.current), [])
  return <Modal {...props} open title={<span ref={heading}>{title}</span>} />
}
