import { CloseOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { CloudFile } from '@mdm/contract'
import { send } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { useSession } from '../../../core/session.tsx'
import { nameFault, nextName, sameName } from '../../../lib/file-names.ts'
import type { NameFault } from '../../../lib/file-names.ts'
import { isInterrupted } from './InterruptedLines.tsx'
import type { Interrupted } from './InterruptedLines.tsx'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'
import { enqueue, useUploads } from './uploads.ts'
import type { Item } from './uploads.ts'

type Draft = { file: File; name: string; goes_on: boolean }
type Fault = NameFault | 'taken' | 'twice' | 'queued'
type Props = {
  side: FileSide
  files: readonly File[]
  /** Where they go; null is the top. */
  folder_kid: string | null
  is_visible?: boolean
  interrupted: readonly Interrupted[]
  /** They are on their way. */
  onDone?: () => void
  onClose: () => void
}

/** Every file with the name it will have; what is wrong with a name is said here, before a byte is sent. */
export function UploadDialog({ side, files, folder_kid, is_visible = true, interrupted, onDone, onClose }: Props) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const { account_kid, account_name } = useSession()
  const queued = useUploads((s) => s.items)
  const [drafts, setDrafts] = useState(() =>
    files.map((file): Draft => {
      const before = isInterrupted(file, interrupted)
      return { file, name: before?.chosen || file.name, goes_on: before !== undefined }
    }),
  )
  const { taken, error, check } = useTaken(
    drafts.map(({ name }) => name),
    { side, folder_kid },
  )
  const [is_checking, setChecking] = useState(false)
  const list = useRef<HTMLUListElement>(null)

  const faultOf = (draft: Draft, isTaken = taken): Fault | undefined => {
    const fault = nameFault(draft.name)
    if (fault) return fault
    if (isTaken(draft.name)) return 'taken'
    const isBeside = (item: Item) =>
      item.owner.account_kid === account_kid && item.side === side && item.folder_kid === folder_kid
    if (queued.some((item) => isBeside(item) && sameName(item.name, draft.name))) return 'queued'
    return drafts.some((other) => other !== draft && sameName(other.name, draft.name)) ? 'twice' : undefined
  }
  const put = (draft: Draft, patch: Partial<Draft> | null) => {
    const next = drafts.flatMap((each) => (each !== draft ? each : patch ? { ...each, ...patch } : []))
    if (next.length === 0) onClose()
    else setDrafts(next)
  }
  const submit = async () => {
    setChecking(true)
    const isTaken = await check()
    setChecking(false)
    if (!isTaken) return
    const wrong = drafts.findIndex((draft) => faultOf(draft, isTaken))
    if (wrong >= 0) list.current?.querySelectorAll('input')[wrong]?.focus()
    else {
      enqueue(drafts.map(({ file, name }) => ({ file, name, side, folder_kid, is_visible })))
      onDone?.()
      onClose()
    }
  }
  const isUsed = (name: string) => taken(name) || drafts.some((draft) => sameName(draft.name, name))
  return (
    <Dialog
      width={640}
      title={t('dialog.title', { count: drafts.length })}
      onCancel={onClose}
      okText={t('dialog.submit', { count: drafts.length })}
      cancelText={t('common:cancel')}
      onOk={() => void submit()}
      confirmLoading={is_checking}
    >
      <p className="dim">{t('common:in_account', { account: account_name })}</p>
      <ul className="upload-drafts" ref={list}>
        {drafts.map((draft, at) => (
          <DraftRow
            key={`${draft.file.name}-${draft.file.size}-${draft.file.lastModified}`}
            draft={draft}
            fault={faultOf(draft)}
            is_first={at === 0}
            onName={(name) => put(draft, { name })}
            onNext={() => put(draft, { name: nextName(draft.name.trim(), isUsed) })}
            onRemove={() => put(draft, null)}
            onEnter={() => void submit()}
          />
        ))}
      </ul>
      {error && <Failure error={error} is_line />}
    </Dialog>
  )
}

type RowProps = {
  draft: Draft
  fault: Fault | undefined
  is_first: boolean
  onName: (name: string) => void
  onNext: () => void
  onRemove: () => void
  onEnter: () => void
}
function DraftRow({ draft, fault, is_first, onName, onNext, onRemove, onEnter }: RowProps) {
  const { t } = useTranslation('file-cloud')
  const id = useId()
  const can_number = fault === 'taken' || fault === 'twice' || fault === 'queued'
  return (
    <li>
      <Input
        aria-label={t('dialog.name_of', { name: draft.file.name })}
        aria-invalid={fault !== undefined}
        aria-describedby={id}
        status={fault && 'error'}
        autoFocus={is_first}
        value={draft.name}
        onChange={(event) => onName(event.target.value)}
        onPressEnter={onEnter}
      />
      <Bytes value={draft.file.size} />
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('dialog.remove', { name: draft.file.name })}
        title={t('dialog.remove', { name: draft.file.name })}
        onClick={onRemove}
      />
      <p id={id} role={fault && 'alert'} data-bad={fault !== undefined}>
        {fault ? t(`fault.${fault}`, { max: constants.file_name_max }) : draft.goes_on && t('dialog.goes_on')}
        {can_number && (
          <button type="button" className="link" onClick={onNext}>
            {t('dialog.number')}
          </button>
        )}
      </p>
    </li>
  )
}

/** Which names are in the folder already. Asked when a name is given and again on submit. */
type Where = { side: FileSide; folder_kid: string | null }
function useTaken(names: readonly string[], where: Where) {
  const [known, setKnown] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<CallFailed | null>(null)
  const key = (name: string) => name.normalize('NFC').trim().toLowerCase()
  const among = (answers: ReadonlyMap<string, boolean>) => (name: string) => answers.get(key(name)) === true
  /** Undefined when there is no answer. */
  const ask = async (wanted: readonly string[]): Promise<ReturnType<typeof among> | undefined> => {
    const valid = [...new Set(wanted.filter((name) => !nameFault(name)).map(key))]
    try {
      const answers = await Promise.all(valid.map(async (name) => [name, await isTaken(name, where)] as const))
      setKnown((before) => new Map([...before, ...answers]))
      setError(null)
      return among(new Map(answers))
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
      return undefined
    }
  }
  const text = JSON.stringify(names)
  useEffect(() => {
    const all = JSON.parse(text) as string[]
    const timer = setTimeout(() => void ask(all.filter((name) => !known.has(key(name)))), constants.debounce_ms)
    return () => clearTimeout(timer)
    // Names that were asked for are not asked again, so what is known need not start this anew.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text])
  return { taken: among(known), error, check: () => ask(names) }
}

async function isTaken(name: string, { side, folder_kid }: Where): Promise<boolean> {
  const { calls } = fileSides[side]
  // The server searches by a part of at most 100 characters.
  const text = name.slice(0, 100).trim()
  for (let page = 1; ; page++) {
    const found = await send(calls.paging, {
      text,
      page,
      page_size: 200,
      sort: 'name',
      origin: 'private',
      ...(folder_kid !== null && { folder_kid }),
    })
    const isThere = (file: CloudFile) => file.parent_kid === folder_kid && sameName(file.name, name)
    if (found.items.some(isThere)) return true
    if (found.items.length < 200) return false
  }
}
