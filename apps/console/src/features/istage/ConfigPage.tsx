import { Button, Skeleton } from 'antd'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { errors, fieldMessage, pages } from '@mdm/contract'
import type { FieldFault, Out } from '@mdm/contract'
import { TemplateJson } from '@mdm/contract/istage/index.ts'
import { useSearch, withParams } from '../../core/address.ts'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { useUnsavedGuard } from '../../ui/form/unsaved.ts'
import { Wizard } from '../../ui/form/Wizard.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { BasicsStep } from './BasicsStep.tsx'
import { contentOf, editedModules, emptyDraft, faultsOf, stepOf, wizardSteps } from './draft.ts'
import type { Draft } from './draft.ts'
import { IstageCodes } from './IstageCodes.tsx'
import { matches } from './matches.ts'
import { ModulesStep } from './ModulesStep.tsx'
import { ParametersStep } from './ParametersStep.tsx'
import './istage.css'

type Config = Out<typeof api.istageConfig.get>

/** Makes a configuration of iStage step by step, or goes on with the one that the address names. */
export default function ConfigPage() {
  const kid = useSearchParams()[0].get('kid')
  return kid === null ? <Steps /> : <Edit key={kid} kid={kid} />
}

function Edit({ kid }: { kid: string }) {
  const { t } = useTranslation('istage')
  const query = useCall(api.istageConfig.get, { kid })
  // What is typed stays, whatever is read again meanwhile.
  const [first, setFirst] = useState<Config>()
  if (query.data && !first) setFirst(query.data)
  if (query.error && !first) return <Failure error={query.error} retry={query.refetch} />
  if (!first) return <Skeleton active />
  if (first.is_template_deleted) return <Failure error={new Error(t('why_not.template_deleted'))} />
  return <Steps of={first} />
}

const draftOf = (of: Config): Draft => ({
  name: of.name,
  description: of.description,
  type: of.type,
  template_kid: of.template_kid,
  modules: editedModules(of.template as TemplateJson, of.content),
})

function Steps({ of }: { of?: Config }) {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const navigate = useNavigate()
  const language = useSessionStore((s) => s.language)
  const [search, setSearch] = useSearch()
  const [initial] = useState<Draft>(() => (of ? draftOf(of) : emptyDraft))
  const [draft, setDraft] = useState(initial)
  /** What is stored: nothing is unsaved while the draft is this. */
  const [kept, setKept] = useState(initial)
  const [saved, setSaved] = useState(of ? { kid: of.kid, name: of.name, status: of.status } : null)
  const [is_tried, setTried] = useState(false)
  const [leaving, setLeaving] = useState<string | null>(null)
  const is_dirty = draft !== kept
  const ask = useUnsavedGuard(is_dirty && leaving === null)
  const template = useTemplate(draft.template_kid, of)
  const is_complete = saved?.status === 'completed' && !is_dirty
  const step = stepOf(search.get('step'), draft, is_complete)
  const at = wizardSteps.indexOf(step)
  const go = useCallback(
    (to: number) => setSearch((before) => withParams(before, { step: wizardSteps[to] ?? null })),
    [setSearch],
  )
  const insert = useWrite(api.istageConfig.insert)
  const update = useWrite(api.istageConfig.update, { done: t('config.saved') })
  const write = saved ? update : insert
  useEffect(() => {
    if (leaving !== null) void navigate(leaving, { replace: true })
  }, [leaving, navigate])
  const change = (by: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...by }))
    if (write.error) write.reset()
  }

  const faults = useMemo(() => (template.data ? faultsOf(draft, template.data, matches) : {}), [draft, template.data])
  const fault = (path: string): string | undefined => {
    const found: FieldFault | undefined = is_tried ? faults[path] : undefined
    return found && fieldMessage(found, language)
  }
  const basicFaults = {
    name: draft.name.trim() === '' ? t('need.name') : nameTaken(write.error),
    type: draft.type === null ? t('need.type') : undefined,
    version: draft.template_kid === null ? t('need.version') : undefined,
  }

  async function save(status: 'incomplete' | 'completed'): Promise<void> {
    if (!template.data || draft.template_kid === null) return
    const { name, description, template_kid } = draft
    const given = { name, description, template_kid, status, private_content: contentOf(draft, template.data) }
    const row = saved ? await update.mutateAsync({ kid: saved.kid, ...given }) : await insert.mutateAsync(given)
    setKept(draft)
    setSaved({ kid: row.kid, name: row.name, status: row.status })
    setTried(false)
    if (status === 'incomplete') setLeaving(link.istageListIstageConfig.to())
    else if (of) go(wizardSteps.indexOf('finish'))
    else setLeaving(link.istageConfigEdit.to({ kid: row.kid, step: 'finish' }))
  }
  async function next(): Promise<void> {
    if (step === 'finish') return setLeaving(link.istageListIstageConfig.to())
    const is_wrong =
      step === 'basics'
        ? draft.name.trim() === '' || draft.type === null || draft.template_kid === null
        : step === 'modules'
          ? Object.keys(draft.modules).length === 0
          : Object.keys(faults).length > 0
    setTried(is_wrong)
    if (is_wrong) return focusFirstFault()
    if (step === 'parameters') return save('completed')
    go(at + 1)
  }

  const title = textOf(pages[of ? 'istageConfigEdit' : 'istageConfigAdd'].title)
  const may_keep = draft.name.trim() !== '' && template.data !== undefined && step !== 'finish'
  const name_taken = nameTaken(write.error)
  return (
    <Wizard
      title={title}
      icon={pageIcon('istageListIstageConfig')}
      actions={
        may_keep && (
          <Button loading={write.isPending} onClick={() => void save('incomplete').catch(() => undefined)}>
            {t('config.keep_incomplete')}
          </Button>
        )
      }
      at={at}
      steps={[
        {
          key: 'basics',
          title: t('step.basics'),
          content: (
            <BasicsStep
              draft={draft}
              faults={is_tried ? basicFaults : { name: name_taken }}
              known={of && { kid: of.template_kid, version: of.version, name: of.template_name }}
              onChange={change}
            />
          ),
        },
        {
          key: 'modules',
          title: t('step.modules'),
          content: (
            <ModulesStep
              draft={draft}
              template={template.data}
              fault={is_tried && Object.keys(draft.modules).length === 0 ? t('need.module') : undefined}
              onChange={change}
            />
          ),
        },
        {
          key: 'parameters',
          title: t('step.parameters'),
          content: template.data ? (
            <ParametersStep draft={draft} template={template.data} fault={fault} onChange={change} />
          ) : (
            <Skeleton active />
          ),
        },
        {
          key: 'finish',
          title: t('step.finish'),
          content: saved && <IstageCodes config={saved} />,
        },
      ]}
      onNext={next}
      onBack={() => {
        setTried(false)
        go(at - 1)
      }}
      onCancel={() => ask(() => setLeaving(link.istageListIstageConfig.to()))}
      cancel={is_complete ? t('common:close') : undefined}
      submit={t('config.done')}
      next={step === 'parameters' ? t('config.complete') : undefined}
      disabled_reason={
        is_tried && step === 'parameters' && Object.keys(faults).length > 0
          ? t('need.faults', { count: Object.keys(faults).length })
          : undefined
      }
      loading={write.isPending || (draft.template_kid !== null && template.isPending)}
      submitError={write.error && !name_taken ? write.error : (template.error ?? null)}
    />
  )
}

const nameTaken = (error: { result: number; message: string } | null): string | undefined =>
  error?.result === errors.duplicate_name.result ? error.message : undefined

function focusFirstFault(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('.ant-form-item-has-error :is(input, textarea, button)')?.focus(),
  )
}

/** The template that is chosen; of a configuration that is edited it came along. */
function useTemplate(kid: string | null, of: Config | undefined) {
  const known = of !== undefined && of.template_kid === kid
  const query = useCall(api.istageTemplate.get, { kid: kid ?? '' }, { enabled: kid !== null && !known })
  const raw = known ? of.template : query.data?.template
  const data = useMemo(() => (raw === undefined ? undefined : TemplateJson.parse(raw)), [raw])
  return { data, error: known || kid === null ? null : query.error, isPending: kid !== null && data === undefined }
}
