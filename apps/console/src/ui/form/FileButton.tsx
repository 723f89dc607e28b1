import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useRef } from 'react'
import { DisabledReason } from '../dialog/DisabledReason.tsx'

type Props = {
  label: string
  icon: ReactNode
  look: 'primary' | 'block'
  /** Why no file can be chosen now. */
  disabled_reason: string | undefined
  onChoose: (file: File) => void
  /** Where several may be chosen at once. */
  onChooseMany?: (files: readonly File[]) => void
}
/** A button that has the browser ask for one file, or for several. */
export function FileButton({ label, icon, look, disabled_reason, onChoose, onChooseMany }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <DisabledReason disabled_reason={disabled_reason}>
        <Button
          type={look === 'primary' ? 'primary' : 'default'}
          block={look === 'block'}
          icon={icon}
          disabled={disabled_reason !== undefined}
          onClick={() => input.current?.click()}
        >
          {label}
        </Button>
      </DisabledReason>
      <input
        ref={input}
        type="file"
        hidden
        multiple={onChooseMany !== undefined}
        aria-label={label}
        onChange={(event) => {
          const [file, ...more] = event.target.files ?? []
          if (file && onChooseMany && more.length > 0) onChooseMany([file, ...more])
          else if (file) onChoose(file)
          // The same file may be chosen again later.
          event.target.value = ''
        }}
      />
    </>
  )
}
