import { ImportOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api_limits, isApiMethod, readApiMethods } from '@mdm/contract'
import type { ApiMethods } from '@mdm/contract'
import { useCount } from '../../ui/value/format.ts'

type Props = {
  /** `Field` gives these three. */
  id?: string
  value?: string[]
  onChange?: (methods: string[]) => void
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).flatMap((line) => line.trim() || [])

/** One method a line, typed, pasted or taken from a file. */
export function MethodsField({ id, value = [], onChange }: Props) {
  const { t } = useTranslation('api-authorisation')
  const count = useCount()
  const input = useRef<HTMLInputElement>(null)
  /** As it is typed, with its empty lines. */
  const [text, setText] = useState(() => value.join('\n'))
  const [read, setRead] = useState<ApiMethods | 'too_large' | null>(null)
  const change = (next: string) => {
    setText(next)
    onChange?.(linesOf(next))
  }
  const take = async (file: File) => {
    if (file.size > api_limits.file_bytes) return setRead('too_large')
    const found = readApiMethods(await file.text())
    setRead(found)
    const present = linesOf(text)
    const known = new Set(present)
    change([...present, ...found.methods.filter((method) => !known.has(method))].join('\n'))
  }
  return (
    <div className="api-methods">
      <Input.TextArea
        {...(id !== undefined && { id })}
        className="code"
        autoSize={{ minRows: 8, maxRows: 18 }}
        spellCheck={false}
        placeholder={'com.acme.Printer.print\ncom.acme.Scanner.start'}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      <div className="api-methods-foot">
        <Button icon={<ImportOutlined aria-hidden />} onClick={() => input.current?.click()}>
          {t('import.button')}
        </Button>
        <span className="dim number">{t('method_count', { count: value.length, shown: count(value.length) })}</span>
        <input
          ref={input}
          type="file"
          hidden
          accept=".txt,.csv,text/plain,text/csv"
          aria-label={t('import.label')}
          onChange={(event) => {
            const [chosen] = event.target.files ?? []
            event.target.value = ''
            if (chosen) void take(chosen)
          }}
        />
      </div>
      <div role="status">
        {read === 'too_large' && <p className="api-import-bad">{t('import.too_large')}</p>}
        {read && read !== 'too_large' && <Imported read={read} />}
      </div>
    </div>
  )
}

const faults_shown = 5
function Imported({ read: { methods, faults, fault_count, repeated } }: { read: ApiMethods }) {
  const { t } = useTranslation('api-authorisation')
  const count = useCount()
  return (
    <>
      <p>
        {t('import.taken', { count: methods.length, shown: count(methods.length) })}
        {repeated > 0 && (
          <span className="dim"> {t('import.repeated', { count: repeated, shown: count(repeated) })}</span>
        )}
      </p>
      {fault_count > 0 && (
        <div className="api-import-bad">
          <p>{t('import.left_out', { count: fault_count, shown: count(fault_count) })}</p>
          <ul>
            {faults.slice(0, faults_shown).map(({ line, text }) => (
              <li key={line}>
                {t('import.line', { line: count(line) })} <code>{text}</code>
              </li>
            ))}
            {fault_count > faults_shown && <li className="dim">+{count(fault_count - faults_shown)}</li>}
          </ul>
        </div>
      )}
    </>
  )
}

/** The first lines that are no methods; the form says so before it is sent. */
export const oddMethods = (methods: readonly string[]): string[] =>
  methods.filter((method) => !isApiMethod(method)).slice(0, 3)
