import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useRef } from 'react'
import { DisabledReason } from '../dialog/DisabledReason.tsx'

type Props = {
  label: string
  icon: ReactNode
  look: 'primary' | 'block'
  /** Why no file can be chosen now. */
  because: string | undefined
  onChoose: (file: File) => void
}
/** A button that has the browser ask for one file. */
export function FileButton({ label, icon, look, because, onChoose }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <DisabledReason because={because}>
        <Button
          type={look === 'primary' ? 'primary' : 'default'}
          block={look === 'block'}
          icon={icon}
          disabled={because !== undefined}
          onClick={() => input.current?.click()}
        >
          {label}
        </Button>
      </DisabledReason>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) onChoose(file)
          // The same file may be chosen again later.
          event.target.value = ''
        }}
      />
    </>
  )
}
