import { UploadOutlined } from '@ant-design/icons'
import { Alert, Button, Input, InputNumber, Progress } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppSplit, AppVersion, InspectedPackage } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import type { Property } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { Bytes, CopyId } from '../../../ui/value/values.tsx'
import { listText } from '../../../i18n/list-text.ts'
import type { PackageState } from './use-package.ts'

const endings = '.apk,.apks,.xapk,.deb,.zip'
type Props = { state: PackageState; onChoose: (file: File) => void; fault?: string | undefined }

/** Chooses a package, shows how it is sent and read, and what it says of itself. */
export function PackageInput({ state, onChoose, fault }: Props) {
  const { t } = useTranslation('app-center')
  const input = useRef<HTMLInputElement>(null)
  const is_busy = state.step === 'sending' || state.step === 'reading'
  return (
    <div className="is-wide app-package">
      <div className="app-package-choice">
        <Button icon={<UploadOutlined aria-hidden />} loading={is_busy} onClick={() => input.current?.click()}>
          {t(state.step === 'none' ? 'package.choose' : 'package.choose_other')}
        </Button>
        {state.step === 'none' ? (
          <span className="dim">{t('package.hint')}</span>
        ) : (
          <span className="app-package-file">
            {state.file.name} <Bytes value={state.file.size} />
          </span>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={endings}
        aria-label={t('package.choose')}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) onChoose(file)
        }}
      />
      {fault && state.step === 'none' && (
        <p className="app-fault" role="alert">
          {fault}
        </p>
      )}
      <div role="status">
        {state.step === 'sending' && (
          <>
            <Progress percent={state.percent} size="small" aria-label={t('package.sending')} />
            {state.is_waiting && <p className="dim">{t('package.waiting')}</p>}
          </>
        )}
        {state.step === 'reading' && <p className="dim">{t('package.reading')}</p>}
      </div>
      {state.step === 'failed' && <Failure error={state.error} is_line />}
      {state.step === 'read' && <Facts inspected={state.inspected} />}
    </div>
  )
}

function Facts({ inspected: { facts, missing } }: { inspected: InspectedPackage }) {
  const { t } = useTranslation('app-center')
  const properties = useFacts({ ...facts, version_name: facts.version_name ?? '', version_code: facts.version_code })
  return (
    <>
      <Properties of={[{ label: t('column.package'), value: facts.package }, ...properties]} />
      {missing.length > 0 && <Alert type="warning" showIcon title={t('package.not_read')} />}
      {facts.left_out.length > 0 && <Alert type="warning" showIcon title={t('package.left_out')} />}
      {facts.is_icon_unshown && <Alert type="info" showIcon title={t('package.no_icon')} />}
    </>
  )
}

type Said = Pick<
  AppVersion,
  'version_name' | 'kind' | 'signers' | 'min_sdk' | 'target_sdk' | 'abis' | 'permissions' | 'splits' | 'left_out'
> & {
  version_code: number | null
}
/** What a package says of itself, in words. */
export function useFacts(facts: Said): Property[] {
  const { t } = useTranslation('app-center')
  return [
    { label: t('fact.version_name'), value: facts.version_name },
    { label: t('fact.version_code'), value: facts.version_code },
    { label: t('fact.kind'), value: t(`kind.${facts.kind}`) },
    { label: t('fact.min_sdk'), value: facts.min_sdk && t('fact.api_level', { level: facts.min_sdk }) },
    { label: t('fact.target_sdk'), value: facts.target_sdk && t('fact.api_level', { level: facts.target_sdk }) },
    { label: t('fact.abis'), value: facts.abis.length > 0 ? listText(facts.abis) : t('fact.any_abi') },
    {
      label: t('fact.signers'),
      is_wide: true,
      value: (
        <span title={t('fact.signers_hint')}>
          {facts.signers.map((signer) => (
            <CopyId key={signer} value={signer} />
          ))}
        </span>
      ),
    },
    ...(facts.splits.length > 0 ? [{ label: t('fact.parts'), is_wide: true, value: <Parts of={facts.splits} /> }] : []),
    ...(facts.left_out.length > 0
      ? [{ label: t('fact.left_out'), is_wide: true, value: <LeftOut of={facts.left_out} /> }]
      : []),
    {
      label: t('fact.permissions'),
      is_wide: true,
      value:
        facts.permissions.length > 0 ? (
          <details>
            <summary>{t('fact.permission_count', { count: facts.permissions.length })}</summary>
            <ul className="app-permissions">
              {facts.permissions.map((permission) => (
                <li key={permission}>{permission}</li>
              ))}
            </ul>
          </details>
        ) : (
          t('fact.no_permissions')
        ),
    },
  ]
}

/** The APKs of a package, and which devices each of them is for. */
function Parts({ of }: { of: readonly AppSplit[] }) {
  const { t } = useTranslation('app-center')
  return (
    <details>
      <summary>{t('fact.part_count', { count: of.length })}</summary>
      <ul className="app-permissions">
        {of.map(({ file, is_base, abi, density, language }) => (
          <li key={file}>
            {file}: {abi ?? density ?? language ?? t(is_base ? 'fact.part_base' : 'fact.part_all')}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What is in the package and is not put on devices. */
function LeftOut({ of }: { of: readonly string[] }) {
  return (
    <ul className="app-permissions">
      {of.map((file, at) => (
        <li key={at}>{file}</li>
      ))}
    </ul>
  )
}

/** What a package does not say is typed by hand. */
export function MissingFacts({ missing }: { missing: InspectedPackage['missing'] }) {
  const { t } = useTranslation('app-center')
  const { input } = api.appCenter.insert
  const needed = { required: true, message: t('package.needed') }
  return (
    <>
      {missing.includes('package') && (
        <Field
          name="package"
          label={t('column.package')}
          extra={t('package.package_hint')}
          rules={[needed, ...zodRules(input, 'package')]}
        >
          <Input autoComplete="off" maxLength={200} />
        </Field>
      )}
      {missing.includes('version_name') && (
        <Field
          name="version_name"
          label={t('fact.version_name')}
          extra={t('package.name_hint')}
          rules={[needed, ...zodRules(input, 'version_name')]}
        >
          <Input autoComplete="off" maxLength={100} />
        </Field>
      )}
      {missing.includes('version_code') && (
        <Field
          name="version_code"
          label={t('fact.version_code')}
          extra={t('package.code_hint')}
          rules={[needed, ...zodRules(input, 'version_code')]}
        >
          <InputNumber<number> className="wide" min={0} precision={0} />
        </Field>
      )}
    </>
  )
}
