import { CopyOutlined } from '@ant-design/icons'
import { Button, Checkbox, QRCode, Select, Skeleton } from 'antd'
import { useState } from 'react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { notify } from '../../../core/notices.ts'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { CodeBlock } from '../../../ui/value/CodeBlock.tsx'
import { copyText } from '../../../ui/value/values.tsx'
import type { PanelProps } from './kinds.tsx'
import { OutOfReach } from './OutOfReach.tsx'
import { useCodeOptions } from './PermanentPanel.tsx'
import type { texts } from './texts/en.ts'

type Snippet = { label: keyof (typeof texts)['snippet']; text: string; is_qr?: boolean }
type SnippetsOf = (code: { server: string; token: string }) => readonly Snippet[]

/** A panel of what to type, or to scan, made of the token of a permanent code: a new one, or one that is there. */
export const snippets = (snippetsOf: SnippetsOf): ComponentType<PanelProps> =>
  function SnippetsPanel(props: PanelProps) {
    const [kid, setKid] = useState<string | null>(null)
    return kid === null ? (
      <ChooseCode {...props} onChosen={setKid} />
    ) : (
      <Snippets kid={kid} snippetsOf={snippetsOf} onBack={() => setKid(null)} />
    )
  }

function ChooseCode({ group, onGroup, onChosen }: PanelProps & { onChosen: (kid: string) => void }) {
  const { t } = useTranslation('devices/enrolment')
  const [chosen, setChosen] = useState('')
  const [needs_approval, setApproval] = useState(false)
  const options = useCodeOptions()
  const create = useWrite(api.terminalQrcode.qrcode_forever_registered, { onSuccess: ({ kid }) => onChosen(kid) })
  return (
    <div className="qr">
      <p className="dim">{t('enrol.token_hint')}</p>
      <label className="qr-group">
        <span>{t('gms.code')}</span>
        <Select value={chosen} onChange={setChosen} options={options} />
      </label>
      {chosen === '' && (
        <>
          <label className="qr-group">
            <span>{t('permanent.group')}</span>
            <GroupPicker special={['NO_GROUP']} value={group} onChange={onGroup} />
          </label>
          <Checkbox checked={needs_approval} onChange={({ target }) => setApproval(target.checked)}>
            {t('permanent.needs_approval')}
          </Checkbox>
        </>
      )}
      {create.error && <Failure error={create.error} is_line />}
      <Button
        type="primary"
        loading={create.isPending}
        onClick={() => (chosen ? onChosen(chosen) : create.mutate({ terminal_group_kid: group, needs_approval }))}
      >
        {t('enrol.show')}
      </Button>
    </div>
  )
}

type ShownProps = { kid: string; snippetsOf: SnippetsOf; onBack: () => void }
function Snippets({ kid, snippetsOf, onBack }: ShownProps) {
  const { t } = useTranslation(['devices/enrolment', 'common'])
  const query = useCall(api.terminalQrcode.get, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  const copy = (text: string) =>
    copyText(text).then(
      () => notify.ok(t('copied')),
      () => notify.fail(new Error(t('common:copy_failed'))),
    )
  return (
    <div className="qr">
      <OutOfReach address={query.data.token_url} />
      {snippetsOf(partsOf(query.data.token_url)).map(({ label, text, is_qr }) => {
        const title = t(`snippet.${label}`)
        return (
          <section key={label} className="snippet">
            <h3>{title}</h3>
            <Button
              size="small"
              icon={<CopyOutlined aria-hidden />}
              aria-label={t('enrol.copy', { title })}
              onClick={() => void copy(text)}
            />
            {is_qr && (
              <div className="qr-code">
                <QRCode value={text} size={248} color="#000" bgColor="#fff" bordered={false} aria-label={title} />
              </div>
            )}
            <CodeBlock label={title} text={text} />
          </section>
        )
      })}
      <div className="qr-tools">
        <Button onClick={onBack}>{t('enrol.other_token')}</Button>
      </div>
    </div>
  )
}

/** What a permanent code says: the address of the server, `/enrol` and the token. */
function partsOf(token_url: string): { server: string; token: string } {
  const url = new URL(token_url)
  return {
    server: url.origin + url.pathname.replace(/\/enrol$/, ''),
    token: url.searchParams.get('qr') ?? '',
  }
}
